import CLCMS

/// From a picture's own colours to sRGB. Immutable: any thread may use it, and pictures with the same profile share one.
package final class ColorTransform: @unchecked Sendable {
    // lcms copies the transform's one-pixel cache before it uses it, and nothing else in a transform changes.
    private let transform: cmsHTRANSFORM

    /// How the samples to convert lie in memory.
    package enum Layout: Hashable, Sendable {
        /// Straight RGBA to RGBA8; grey pictures have three equal channels. In place is allowed; alpha is kept.
        case rgba8
        /// The same with 16 bits a channel in the CPU's byte order, to RGBA8.
        case rgba16
        /// CMYK with 255 for full ink, to opaque RGBA8. In place is allowed.
        case cmyk8
        /// CMYK with 0 for full ink, as JPEG stores it.
        case cmyk8Inverted
    }

    private let layout: Layout

    init(_ transform: cmsHTRANSFORM, layout: Layout) {
        self.transform = transform
        self.layout = layout
    }

    deinit { cmsDeleteTransform(transform) }

    package func convert(from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, pixelCount: Int) {
        cmsDoTransform(transform, source, target, UInt32(pixelCount))
        // lcms leaves the fourth channel of what it writes alone.
        switch layout {
        case .rgba8:
            guard source != UnsafeRawPointer(target) else { return }
            for index in 0..<pixelCount {
                target.storeBytes(
                    of: source.load(fromByteOffset: index * 4 + 3, as: UInt8.self), toByteOffset: index * 4 + 3,
                    as: UInt8.self)
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

    static let rgba8 = format(space: PT_RGB, channels: 3, extra: 1, bytes: 1)
    static let rgba16 = format(space: PT_RGB, channels: 3, extra: 1, bytes: 2)
    /// The first of four channels, the others passed over.
    static let grayInRGBA8 = format(space: PT_GRAY, channels: 1, extra: 3, bytes: 1)
    static let grayInRGBA16 = format(space: PT_GRAY, channels: 1, extra: 3, bytes: 2)
    static let cmyk8 = format(space: PT_CMYK, channels: 4, bytes: 1)
    static let cmyk8Inverted = format(space: PT_CMYK, channels: 4, bytes: 1, isInverted: true)
}
