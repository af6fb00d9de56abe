import TintypeBase

/// From the colours that a file says it has to sRGB: by its ICC profile, else by its code points, else not at all.
struct ColorConversion {
    private enum Kind {
        case identity
        case profile(ColorTransform)
        case codePoints(CodePointTransform)
    }

    private let kind: Kind

    /// - Parameters:
    ///   - isWide: true if `convert` will get 16 bits a sample.
    ///   - isGray: true if the file stores grey, in which case a grey profile fits.
    ///   - warnings: gets a sentence if a profile cannot be used.
    init(
        profile: Data?, codePoints: CodingIndependentCodePoints? = nil, isWide: Bool, isGray: Bool = false,
        warnings: inout [String]
    ) {
        if let profile {
            let transform = ColorManagement.transform(
                profile: profile, model: isGray ? .gray : .rgb, layout: isWide ? .rgba16 : .rgba8, warnings: &warnings)
            kind = transform.map { .profile($0) } ?? .identity
        } else {
            let transform = codePoints.flatMap(CodePointTransform.init)
            if transform == nil, codePoints?.isHDR ?? false {
                warnings.append("the image is HDR but does not say with which primaries; it is shown without mapping")
            }
            kind = transform.map { .codePoints($0) } ?? .identity
        }
    }

    /// True if `convert` changes nothing but the width of the samples.
    var isIdentity: Bool {
        if case .identity = kind { true } else { false }
    }

    /// Converts straight RGBA8 in place.
    func convert(_ row: UnsafeMutablePointer<UInt8>, pixelCount: Int) {
        switch kind {
        case .identity: break
        case .profile(let transform): transform.convert(from: row, to: row, pixelCount: pixelCount)
        case .codePoints(let transform): transform.convert(row, to: row, scale: 257, pixelCount: pixelCount)
        }
    }

    /// Converts straight RGBA16 in the CPU's byte order to straight RGBA8.
    func convert(_ wide: UnsafePointer<UInt16>, to row: UnsafeMutablePointer<UInt8>, pixelCount: Int) {
        switch kind {
        case .identity: WideSamples.narrow(wide, to: row, count: pixelCount * 4)
        case .profile(let transform): transform.convert(from: wide, to: row, pixelCount: pixelCount)
        case .codePoints(let transform): transform.convert(wide, to: row, scale: 1, pixelCount: pixelCount)
        }
    }
}
