import TintypeBase

/// A blurred image in 20 to 30 characters (the BlurHash algorithm, https://blurha.sh): a few terms of the cosine transform
/// of its light, in base 83. It has neither alpha nor proportions.
public struct BlurHash: Sendable, Hashable, CustomStringConvertible {
    /// The hash as text.
    public let string: String
    /// Number of cosine terms across and down, each 1…9.
    let horizontalComponents: Int
    let verticalComponents: Int

    /// The light of each term, row by row; the first one is the mean.
    private let terms: [SIMD3<Double>]

    public var description: String { string }

    /// Parses a hash.
    ///
    /// - Throws: `ImagingError.processorFailed` if the text is not a BlurHash.
    public init(_ string: String) throws {
        let digits = try Base83.digits(string)
        guard digits.count >= 6 else { throw Self.invalid("it is only \(digits.count) characters long") }
        horizontalComponents = digits[0] % 9 + 1
        verticalComponents = digits[0] / 9 + 1
        let count = horizontalComponents * verticalComponents
        guard digits[0] < 81, digits.count == 4 + 2 * count else {
            throw Self.invalid("its \(digits.count) characters do not match its first one")
        }
        let mean = Base83.value(digits[2..<6])
        guard mean <= 0xFF_FFFF else { throw Self.invalid("its mean colour is out of range") }
        var terms = [
            SIMD3(mean >> 16 & 255, mean >> 8 & 255, mean & 255).mapped { SRGBTransfer.toLinear(Double($0) / 255) }
        ]
        let greatest = Double(digits[1] + 1) / 166
        for index in 1..<count {
            let value = Base83.value(digits[(4 + 2 * index)..<(6 + 2 * index)])
            guard value < 19 * 19 * 19 else { throw Self.invalid("one of its terms is out of range") }
            terms.append(
                SIMD3(value / 361, value / 19 % 19, value % 19).mapped { level in
                    let part = Double(level - 9) / 9
                    return part * abs(part) * greatest
                })
        }
        self.string = string
        self.terms = terms
    }

    /// Computes the hash of an image.
    ///
    /// - Parameters:
    ///   - bitmap: the image; a thumbnail has the same hash in less time.
    ///   - horizontalComponents: detail across, 1…9; more where the image is longer.
    ///   - verticalComponents: detail down, 1…9.
    ///   - background: the colour behind transparent pixels.
    /// - Throws: `ImagingError.processorFailed` for components out of range.
    public init(
        encoding bitmap: Bitmap, horizontalComponents: Int = 4, verticalComponents: Int = 3,
        background: PixelColor = .white
    ) throws {
        guard (1...9).contains(horizontalComponents), (1...9).contains(verticalComponents) else {
            throw ImagingError.processorFailed(
                "a BlurHash has 1 to 9 components across and down, not \(horizontalComponents) and "
                    + "\(verticalComponents)")
        }
        let small = try ImageProcessors.Background(color: background).process(bitmap.reduced(toFit: 128))
        let terms = Self.transform(small, horizontalComponents, verticalComponents)
        var text = Base83.text(horizontalComponents - 1 + (verticalComponents - 1) * 9, length: 1)
        let most = terms.dropFirst().reduce(0) { max($0, abs($1.x), abs($1.y), abs($1.z)) }
        let quantized = terms.count > 1 ? Int(max(0, min(82, (most * 166 - 0.5).rounded(.down)))) : 0
        let greatest = Double(quantized + 1) / 166
        text += Base83.text(quantized, length: 1)
        let mean = terms[0].mapped { value in
            Int(SRGBTransfer.fromLinear(min(max(value, 0), 1)) * 255 + 0.5)
        }
        text += Base83.text(mean.x << 16 + mean.y << 8 + mean.z, length: 4)
        for term in terms.dropFirst() {
            let levels = term.mapped { value -> Int in
                let part = value / greatest
                let root = (abs(part)).squareRoot() * (part < 0 ? -1 : 1)
                return Int(max(0, min(18, (root * 9 + 9.5).rounded(.down))))
            }
            text += Base83.text(levels.x * 361 + levels.y * 19 + levels.z, length: 2)
        }
        try self.init(text)
    }

    /// The mean colour, for a placeholder of one colour.
    public var averageColor: PixelColor {
        let numbers = terms[0].mapped { UInt8((SRGBTransfer.fromLinear($0) * 255).rounded()) }
        return PixelColor(red: numbers.x, green: numbers.y, blue: numbers.z)
    }

    /// Draws the hash. 32 pixels are enough for any screen: views scale it up.
    ///
    /// - Parameter width: in pixels.
    /// - Parameter height: in pixels.
    /// - Parameter punch: contrast; 1 is that of the hash.
    /// - Throws: `ImagingError.imageTooLarge` for a size that no bitmap has, `processorFailed` for one of more than
    ///   1000 × 1000 or a punch that is not from 0 to 100.
    public func bitmap(width: Int, height: Int, punch: Double = 1) throws -> Bitmap {
        try Parameter.check(punch, "the punch", in: 0...100)
        guard width <= 1000, height <= 1000 else {
            throw ImagingError.processorFailed("a BlurHash is drawn with at most 1000x1000 pixels")
        }
        _ = try Bitmap.bytesPerRow(width: width, height: height)
        let across = Self.cosines(horizontalComponents, width)
        let down = Self.cosines(verticalComponents, height)
        return try Bitmap(width: width, height: height, isOpaque: true) { bytes, bytesPerRow in
            for y in 0..<height {
                for x in 0..<width {
                    var light = SIMD3<Double>.zero
                    for j in 0..<verticalComponents {
                        for i in 0..<horizontalComponents {
                            let strength: Double = i + j == 0 ? 1 : punch
                            let wave: Double = across[i * width + x] * down[j * height + y] * strength
                            light += terms[j * horizontalComponents + i] * wave
                        }
                    }
                    let pixel = y * bytesPerRow + x * 4
                    for channel in 0..<3 {
                        let value = min(max(light[channel], 0), 1)
                        bytes[pixel + channel] = UInt8(SRGBTransfer.fromLinear(value) * 255 + 0.5)
                    }
                    bytes[pixel + 3] = 255
                }
            }
        }
    }

    private static func transform(_ bitmap: Bitmap, _ horizontal: Int, _ vertical: Int) -> [SIMD3<Double>] {
        let (width, height) = (bitmap.width, bitmap.height)
        let across = cosines(horizontal, width)
        let down = cosines(vertical, height)
        let light = (0...255).map { SRGBTransfer.toLinear(Double($0) / 255) }
        var terms = [SIMD3<Double>](repeating: .zero, count: horizontal * vertical)
        bitmap.withUnsafeBytes { bytes in
            for y in 0..<height {
                for i in 0..<horizontal {
                    var row = SIMD3<Double>.zero
                    for x in 0..<width {
                        let at = y * bitmap.bytesPerRow + x * 4
                        let pixel = SIMD3<Double>(
                            light[Int(bytes[at])], light[Int(bytes[at + 1])], light[Int(bytes[at + 2])])
                        row += pixel * across[i * width + x]
                    }
                    for j in 0..<vertical { terms[j * horizontal + i] += row * down[j * height + y] }
                }
            }
        }
        for index in terms.indices { terms[index] *= (index == 0 ? 1 : 2) / Double(width * height) }
        return terms
    }

    private static func cosines(_ components: Int, _ length: Int) -> [Double] {
        (0..<components).flatMap { component in
            (0..<length).map { cos(.pi * Double(component) * Double($0) / Double(length)) }
        }
    }

    fileprivate static func invalid(_ reason: String) -> ImagingError {
        .processorFailed("this is not a BlurHash: \(reason)")
    }
}

/// The digits of BlurHash, most significant first.
private enum Base83 {
    private static let alphabet = Array(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~".utf8)

    static func digits(_ string: String) throws -> [Int] {
        // The longest hash, 9 by 9, has 166 characters.
        guard string.utf8.count <= 166 else { throw BlurHash.invalid("it is too long") }
        return try string.utf8.map { byte in
            guard let digit = alphabet.firstIndex(of: byte) else {
                throw BlurHash.invalid("it has a character that is not a digit of base 83")
            }
            return digit
        }
    }

    static func value(_ digits: ArraySlice<Int>) -> Int { digits.reduce(0) { $0 * 83 + $1 } }

    static func text(_ value: Int, length: Int) -> String {
        var bytes = [UInt8](repeating: 0, count: length)
        var rest = value
        for index in bytes.indices.reversed() {
            bytes[index] = alphabet[rest % 83]
            rest /= 83
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension SIMD3 {
    func mapped<Result: SIMDScalar>(_ body: (Scalar) -> Result) -> SIMD3<Result> {
        SIMD3<Result>(body(x), body(y), body(z))
    }
}
