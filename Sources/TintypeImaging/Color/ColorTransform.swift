import CLCMS

/// A transform from the colours of an image to sRGB. Immutable: any thread may use it, and images with the same profile
/// share one.
final class ColorTransform: @unchecked Sendable {
    private enum Engine {
        case lcms(cmsHTRANSFORM)
        case codePoints(CodePointTransform)
        case matrix(MatrixConversion)
    }

    // lcms copies the one-pixel cache of a transform before it uses it; nothing else in a transform changes.
    private let engine: Engine

    /// The format of the samples to convert.
    enum Layout: Hashable, Sendable {
        /// Straight RGBA8 to RGBA8; grey images have three equal channels. In place is allowed; alpha is kept.
        case rgba8
        /// Straight RGBA16 in the byte order of the CPU to RGBA8.
        case rgba16
        /// CMYK with 255 for full ink, to opaque RGBA8. In place is allowed.
        case cmyk8
        /// CMYK with 0 for full ink, as JPEG stores it.
        case cmyk8Inverted
    }

    private let layout: Layout

    init(_ transform: cmsHTRANSFORM, layout: Layout) {
        engine = .lcms(transform)
        self.layout = layout
    }

    init(_ transform: CodePointTransform, layout: Layout) {
        engine = .codePoints(transform)
        self.layout = layout
    }

    init(_ conversion: MatrixConversion, layout: Layout) {
        engine = .matrix(conversion)
        self.layout = layout
    }

    deinit {
        if case .lcms(let transform) = engine { cmsDeleteTransform(transform) }
    }

    func convert(from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, pixelCount: Int) {
        switch engine {
        case .lcms(let transform): cmsDoTransform(transform, source, target, UInt32(pixelCount))
        case .matrix(let conversion):
            let bytes = target.assumingMemoryBound(to: UInt8.self)
            if layout == .rgba16 {
                return conversion.convert(
                    source.assumingMemoryBound(to: UInt16.self), to: bytes, pixelCount: pixelCount)
            }
            return conversion.convert(source.assumingMemoryBound(to: UInt8.self), to: bytes, pixelCount: pixelCount)
        case .codePoints(let transform):
            let bytes = target.assumingMemoryBound(to: UInt8.self)
            if layout == .rgba16 {
                let wide = source.assumingMemoryBound(to: UInt16.self)
                return transform.convert(wide, to: bytes, scale: 1, pixelCount: pixelCount)
            }
            return transform.convert(
                source.assumingMemoryBound(to: UInt8.self), to: bytes, scale: 257, pixelCount: pixelCount)
        }
        setAlpha(from: source, to: target, pixelCount: pixelCount)
    }

    /// Sets the fourth channel, which lcms does not write.
    private func setAlpha(from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, pixelCount: Int) {
        switch layout {
        case .rgba8:
            guard source != UnsafeRawPointer(target) else { return }
            for index in 0..<pixelCount {
                let alpha = source.load(fromByteOffset: index * 4 + 3, as: UInt8.self)
                target.storeBytes(of: alpha, toByteOffset: index * 4 + 3, as: UInt8.self)
            }
        case .rgba16:
            for index in 0..<pixelCount {
                let alpha = Int(source.load(fromByteOffset: index * 8 + 6, as: UInt16.self))
                target.storeBytes(
                    of: UInt8((alpha * 255 + 32_895) >> 16), toByteOffset: index * 4 + 3, as: UInt8.self)
            }
        case .cmyk8, .cmyk8Inverted:
            for index in 0..<pixelCount { target.storeBytes(of: 255, toByteOffset: index * 4 + 3, as: UInt8.self) }
        }
    }
}

/// lcms2's pixel formats, whose macros Swift cannot see (lcms2.h, "Format of pixel").
enum LCMSFormat {
    private static func format(space: Int32, channels: Int32, extra: Int32 = 0, bytes: Int32, isInverted: Bool = false)
        -> UInt32
    {
        UInt32(space << 16 | extra << 7 | channels << 3 | bytes | (isInverted ? 1 << 13 : 0))
    }

    static let rgbFloat = format(space: PT_RGB, channels: 3, bytes: 4) | 1 << 22
    static let rgba8 = format(space: PT_RGB, channels: 3, extra: 1, bytes: 1)
    static let rgba16 = format(space: PT_RGB, channels: 3, extra: 1, bytes: 2)
    /// The first of four channels, the others passed over.
    static let grayInRGBA8 = format(space: PT_GRAY, channels: 1, extra: 3, bytes: 1)
    static let grayInRGBA16 = format(space: PT_GRAY, channels: 1, extra: 3, bytes: 2)
    static let cmyk8 = format(space: PT_CMYK, channels: 4, bytes: 1)
    static let cmyk8Inverted = format(space: PT_CMYK, channels: 4, bytes: 1, isInverted: true)
}
