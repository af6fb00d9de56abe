import TintypeBase

/// The conversion from the colours of a file to sRGB: by its ICC profile, else by its code points, else none.
struct ColorConversion {
    private let transform: ColorTransform?

    /// - Parameters:
    ///   - isWide: true if `convert` gets 16 bits a sample.
    ///   - isGray: true if the file stores grey, for which a grey profile is valid.
    ///   - warnings: gets a sentence if a profile cannot be used.
    init(
        profile: Data?, codePoints: CodingIndependentCodePoints? = nil, isWide: Bool, isGray: Bool = false,
        warnings: inout [String]
    ) {
        let layout: ColorTransform.Layout = isWide ? .rgba16 : .rgba8
        let source = profile.map { ColorSource.profile($0) } ?? codePoints.map { .codePoints($0) }
        transform = source.flatMap {
            ColorManagement.transform($0, model: isGray ? .gray : .rgb, layout: layout, warnings: &warnings)
        }
        if profile == nil, transform == nil, codePoints?.isHDR ?? false {
            warnings.append("the image is HDR but does not say with which primaries; it is shown without mapping")
        }
    }

    /// True if `convert` changes only the width of the samples.
    var isIdentity: Bool { transform == nil }

    /// Converts straight RGBA8 in place.
    func convert(_ row: UnsafeMutablePointer<UInt8>, pixelCount: Int) {
        transform?.convert(from: row, to: row, pixelCount: pixelCount)
    }

    /// Converts straight RGBA16 in the CPU's byte order to straight RGBA8.
    func convert(_ wide: UnsafePointer<UInt16>, to row: UnsafeMutablePointer<UInt8>, pixelCount: Int) {
        guard let transform else { return WideSamples.narrow(wide, to: row, count: pixelCount * 4) }
        transform.convert(from: wide, to: row, pixelCount: pixelCount)
    }
}

/// Samples of more than 8 bits, four per pixel.
enum WideSamples {
    /// Scales little-endian samples of `bits` bits in two bytes to 16 bits in the byte order of the CPU.
    static func scale(_ source: UnsafeRawPointer, bits: Int, to target: UnsafeMutablePointer<UInt16>, count: Int) {
        let largest = UInt32(1) << UInt32(min(max(bits, 1), 16)) - 1
        for index in 0..<count {
            let sample = UInt16(littleEndian: source.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self))
            let value = min(UInt32(sample), largest)
            target[index] = UInt16((value * 65535 + largest / 2) / largest)
        }
    }

    static func unpremultiply(_ pixels: UnsafeMutablePointer<UInt16>, pixelCount: Int) {
        for index in 0..<pixelCount {
            let pixel = pixels + index * 4
            let alpha = UInt32(pixel[3])
            if alpha == 65535 { continue }
            for channel in 0..<3 {
                pixel[channel] =
                    alpha == 0 ? 0 : UInt16(min(65535, (UInt32(pixel[channel]) * 65535 + alpha / 2) / alpha))
            }
        }
    }

    /// Converts 16 bits to 8, rounded to nearest.
    static func narrow(_ source: UnsafePointer<UInt16>, to target: UnsafeMutablePointer<UInt8>, count: Int) {
        // Exact for all 65,536 values: (v * 255 + 32767) / 65535.
        for index in 0..<count { target[index] = UInt8((UInt32(source[index]) * 255 + 32_895) >> 16) }
    }
}
