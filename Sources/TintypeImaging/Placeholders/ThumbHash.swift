import TintypeBase

/// A small blurred image in about 25 bytes (the ThumbHash algorithm, https://evanw.github.io/thumbhash/), with alpha and
/// proportions: cosine terms of lightness, of yellow against blue, of red against green, and of alpha, four bits each.
public struct ThumbHash: Sendable, Hashable {
    /// The hash; usually exchanged in Base64.
    public let bytes: [UInt8]

    private let lightness: Channel
    private let yellowBlue: Channel
    private let redGreen: Channel
    private let alpha: Channel?
    /// Number of terms of lightness across and down before the lower bound of 3, which gives the proportions.
    private let shape: (across: Int, down: Int)

    public static func == (first: ThumbHash, second: ThumbHash) -> Bool { first.bytes == second.bytes }

    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

    /// Parses a hash.
    ///
    /// - Throws: `ImagingError.processorFailed` if it is too short.
    public init(_ bytes: [UInt8]) throws {
        guard bytes.count >= 5 else { throw Self.tooShort }
        let first = Int(bytes[0]) | Int(bytes[1]) << 8 | Int(bytes[2]) << 16
        let second = Int(bytes[3]) | Int(bytes[4]) << 8
        let hasAlpha = first >> 23 != 0
        let isLandscape = second >> 15 != 0
        let longer = hasAlpha ? 5 : 7
        let shorter = second & 7
        shape = isLandscape ? (longer, shorter) : (shorter, longer)
        guard !hasAlpha || bytes.count >= 6 else { throw Self.tooShort }

        var nibbles = Nibbles(bytes: bytes, next: hasAlpha ? 12 : 10)
        lightness = try Channel(
            across: max(3, shape.across), down: max(3, shape.down), mean: Double(first & 63) / 63,
            scale: Double(first >> 18 & 31) / 31, from: &nibbles)
        // Slightly more colour compensates for quantisation.
        yellowBlue = try Channel(
            across: 3, down: 3, mean: Double(first >> 6 & 63) / 31.5 - 1, scale: Double(second >> 3 & 63) / 63 * 1.25,
            from: &nibbles)
        redGreen = try Channel(
            across: 3, down: 3, mean: Double(first >> 12 & 63) / 31.5 - 1, scale: Double(second >> 9 & 63) / 63 * 1.25,
            from: &nibbles)
        alpha =
            hasAlpha
            ? try Channel(
                across: 5, down: 5, mean: Double(bytes[5] & 15) / 15, scale: Double(bytes[5] >> 4) / 15, from: &nibbles)
            : nil
        self.bytes = bytes
    }

    /// Computes the hash of an image.
    public init(encoding bitmap: Bitmap) throws {
        let small = try bitmap.reduced(toFit: 100)
        let (width, height) = (small.width, small.height)
        let pixels = small.straightChannels()
        var mean = SIMD4<Double>.zero
        for pixel in pixels { mean += SIMD4<Double>(pixel.x * pixel.w, pixel.y * pixel.w, pixel.z * pixel.w, pixel.w) }
        let coverage = mean.w
        if coverage > 0 { mean /= coverage }
        let hasAlpha = coverage < Double(pixels.count)

        let longer = hasAlpha ? 5.0 : 7.0
        let scale = longer / Double(max(width, height))
        let across = max(1, Int((scale * Double(width)).rounded()))
        let down = max(1, Int((scale * Double(height)).rounded()))
        // Transparent pixels get the mean colour, so that they do not affect the others.
        let ground = SIMD3<Double>(mean.x, mean.y, mean.z)
        let colors = pixels.map { pixel -> SIMD3<Double> in
            let color = SIMD3<Double>(pixel.x, pixel.y, pixel.z)
            return ground * (1 - pixel.w) + color * pixel.w
        }
        func channel(_ across: Int, _ down: Int, _ values: [Double]) -> Channel {
            Channel(across: across, down: down, values: values, width: width, height: height)
        }
        let lightness = channel(max(3, across), max(3, down), colors.map { ($0.x + $0.y + $0.z) / 3 })
        let yellowBlue = channel(3, 3, colors.map { ($0.x + $0.y) / 2 - $0.z })
        let redGreen = channel(3, 3, colors.map { $0.x - $0.y })
        let alpha = hasAlpha ? channel(5, 5, pixels.map(\.w)) : nil

        func level(_ value: Double, _ most: Double) -> Int { Int(min(max((value * most).rounded(), 0), most)) }
        func signed(_ value: Double) -> Int { Int(min(max((31.5 + 31.5 * value).rounded(), 0), 63)) }
        let isLandscape = width > height
        var first: Int = level(lightness.mean, 63)
        first |= signed(yellowBlue.mean) << 6
        first |= signed(redGreen.mean) << 12
        first |= level(lightness.scale, 31) << 18
        if hasAlpha { first |= 1 << 23 }
        var second: Int = isLandscape ? down : across
        second |= level(yellowBlue.scale, 63) << 3
        second |= level(redGreen.scale, 63) << 9
        if isLandscape { second |= 1 << 15 }
        var bytes = [first, first >> 8, first >> 16, second, second >> 8].map { UInt8(truncatingIfNeeded: $0) }
        if let alpha { bytes.append(UInt8(level(alpha.mean, 15) | level(alpha.scale, 15) << 4)) }
        var half: UInt8?
        for channel in [lightness, yellowBlue, redGreen, alpha] {
            for nibble in channel?.nibbles ?? [] {
                if let low = half {
                    bytes.append(low | nibble << 4)
                    half = nil
                } else {
                    half = nibble
                }
            }
        }
        if let half { bytes.append(half) }
        try self.init(bytes)
    }

    /// Width divided by height, approximately.
    public var aspectRatio: Double { Double(max(1, shape.across)) / Double(max(1, shape.down)) }

    /// The mean colour, for a placeholder of one colour.
    public var averageColor: PixelColor {
        let color = Self.color(lightness.mean, yellowBlue.mean, redGreen.mean)
        return PixelColor(
            red: Self.byte(color.x), green: Self.byte(color.y), blue: Self.byte(color.z),
            alpha: Self.byte(alpha?.mean ?? 1))
    }

    /// Draws the hash with a longer side of 32 pixels: views scale it up.
    public func bitmap() throws -> Bitmap {
        let ratio = aspectRatio
        let width = ratio > 1 ? 32 : max(1, Int((32 * ratio).rounded()))
        let height = ratio > 1 ? max(1, Int((32 / ratio).rounded())) : 32
        return try Bitmap(width: width, height: height, isOpaque: alpha == nil) { bytes, bytesPerRow in
            for y in 0..<height {
                let down = Self.cosines(y, height)
                for x in 0..<width {
                    let across = Self.cosines(x, width)
                    let color = Self.color(
                        lightness.value(across, down), yellowBlue.value(across, down), redGreen.value(across, down))
                    let pixel = PixelColor(
                        red: Self.byte(color.x), green: Self.byte(color.y), blue: Self.byte(color.z),
                        alpha: Self.byte(alpha?.value(across, down) ?? 1)
                    ).premultiplied
                    for channel in 0..<4 { bytes[y * bytesPerRow + x * 4 + channel] = pixel[channel] }
                }
            }
        }
    }

    private static func cosines(_ place: Int, _ length: Int) -> [Double] {
        (0..<7).map { cos(.pi / Double(length) * (Double(place) + 0.5) * Double($0)) }
    }

    private static func color(_ lightness: Double, _ yellowBlue: Double, _ redGreen: Double) -> SIMD3<Double> {
        let blue = lightness - 2 / 3 * yellowBlue
        let red = (3 * lightness - blue + redGreen) / 2
        return SIMD3(red, red - redGreen, blue)
    }

    private static func byte(_ value: Double) -> UInt8 { UInt8(min(max(value, 0), 1) * 255) }

    fileprivate static let tooShort = ImagingError.processorFailed("this is not a ThumbHash: it is too short")
}

/// Numbers of four bits, the lower half of a byte first.
private struct Nibbles {
    let bytes: [UInt8]
    var next: Int

    mutating func take() throws -> UInt8 {
        guard next / 2 < bytes.count else { throw ThumbHash.tooShort }
        defer { next += 1 }
        return next % 2 == 0 ? bytes[next / 2] & 15 : bytes[next / 2] >> 4
    }
}

/// The cosine terms of one channel: those in the triangle below the diagonal from `across` to `down`, without the mean.
private struct Channel: Sendable {
    let across: Int
    let down: Int
    let mean: Double
    /// The greatest term.
    let scale: Double
    /// Each from -scale to scale.
    private let terms: [Double]

    init(across: Int, down: Int, mean: Double, scale: Double, from nibbles: inout Nibbles) throws {
        self.across = across
        self.down = down
        self.mean = mean
        self.scale = scale
        terms = try Self.places(across, down).dropFirst().map { _ in (Double(try nibbles.take()) / 7.5 - 1) * scale }
    }

    init(across: Int, down: Int, values: [Double], width: Int, height: Int) {
        let horizontal = Self.cosines(across, width)
        let vertical = Self.cosines(down, height)
        let all = Self.places(across, down).map { place in
            var sum = 0.0
            for y in 0..<height {
                for x in 0..<width { sum += values[y * width + x] * horizontal[place.x][x] * vertical[place.y][y] }
            }
            return sum / Double(width * height)
        }
        self.across = across
        self.down = down
        mean = all[0]
        terms = Array(all.dropFirst())
        scale = terms.reduce(0) { max($0, abs($1)) }
    }

    var nibbles: [UInt8] {
        terms.map { UInt8(min(max((15 * (scale > 0 ? 0.5 + 0.5 / scale * $0 : $0)).rounded(), 0), 15)) }
    }

    func value(_ horizontal: [Double], _ vertical: [Double]) -> Double {
        var sum = mean
        for (place, term) in zip(Self.places(across, down).dropFirst(), terms) {
            sum += term * horizontal[place.x] * vertical[place.y] * 2
        }
        return sum
    }

    private static func places(_ across: Int, _ down: Int) -> [(x: Int, y: Int)] {
        (0..<down).flatMap { y in
            (0..<across).prefix { x in x * down < across * (down - y) }.map { ($0, y) }
        }
    }

    private static func cosines(_ terms: Int, _ length: Int) -> [[Double]] {
        (0..<terms).map { term in
            (0..<length).map { cos(.pi / Double(length) * Double(term) * (Double($0) + 0.5)) }
        }
    }
}
