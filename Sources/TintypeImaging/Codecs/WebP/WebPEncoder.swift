import CWebP
import TintypeBase

/// WebP through libwebp, lossy or lossless, with alpha. At most 16,383 pixels wide and high (RFC 9649, §2.7).
public struct WebPEncoder: ImageEncoder {
    public init() {}

    public var format: ImageFormat { .webp }

    package static let maximumSide = Int(WEBP_MAX_DIMENSION)

    public func encode(_ bitmap: Bitmap, options: EncodeOptions) throws -> Data {
        guard bitmap.width <= Self.maximumSide, bitmap.height <= Self.maximumSide else {
            throw ImagingError.notEncodable(
                "a WebP can be \(Self.maximumSide) pixels wide and high, not \(bitmap.size); scale it down first")
        }
        var config = try Self.configuration(options)
        var image = WebPPicture()
        guard WebPPictureInit(&image) != 0 else {
            throw ImagingError.notEncodable("libwebp is of another version than its header")
        }
        defer { WebPPictureFree(&image) }
        try Self.load(bitmap, into: &image, isLossless: options.isLossless)
        var writer = WebPMemoryWriter()
        WebPMemoryWriterInit(&writer)
        defer { WebPMemoryWriterClear(&writer) }
        let isEncoded = withUnsafeMutablePointer(to: &writer) { writer in
            image.custom_ptr = UnsafeMutableRawPointer(writer)
            image.writer = { WebPMemoryWrite($0, $1, $2) }
            return WebPEncode(&config, &image) != 0
        }
        // Without memory for the alpha it fails without a reason.
        let memoryErrors = [VP8_ENC_ERROR_OUT_OF_MEMORY, VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY, VP8_ENC_OK]
        guard isEncoded || !memoryErrors.contains(image.error_code) else {
            throw ImagingError.outOfMemory(byteCount: nil)
        }
        guard isEncoded, let bytes = writer.mem else {
            throw ImagingError.notEncodable("libwebp could not encode: error \(image.error_code.rawValue)")
        }
        try ImageMemory.check(byteCount: writer.size)
        return Data(bytes: bytes, count: writer.size)
    }

    /// The settings of libwebp for these options.
    package static func configuration(_ options: EncodeOptions) throws -> WebPConfig {
        var config = WebPConfig()
        let quality = Float(min(max(options.quality, 0), 100))
        var isReady = WebPConfigPreset(&config, WEBP_PRESET_DEFAULT, quality) != 0
        if options.isLossless {
            let level = Int32(min(max(options.effort ?? 6, 0), 9))
            isReady = isReady && WebPConfigLosslessPreset(&config, level) != 0
        } else if let effort = options.effort {
            // 0…9 onto libwebp's 0…6.
            config.method = Int32((min(max(effort, 0), 9) * 6 + 4) / 9)
        }
        guard isReady, WebPValidateConfig(&config) != 0 else {
            throw ImagingError.notEncodable("libwebp refuses these options: \(options)")
        }
        return config
    }

    /// Copies the pixels into libwebp's own form. The image must be initialised, and freed afterwards.
    package static func load(_ bitmap: Bitmap, into image: inout WebPPicture, isLossless: Bool) throws {
        image.use_argb = isLossless ? 1 : 0
        image.width = Int32(bitmap.width)
        image.height = Int32(bitmap.height)
        let isLoaded = try bitmap.withUnsafeBytes { bytes -> Bool in
            guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return false }
            if bitmap.isOpaque { return WebPPictureImportRGBX(&image, base, Int32(bitmap.bytesPerRow)) != 0 }
            let straight = try bitmap.straightPixels()
            defer { withExtendedLifetime(straight) {} }
            guard let pixels = straight.bytes.bindMemory(to: UInt8.self).baseAddress else { return false }
            return WebPPictureImportRGBA(&image, pixels, Int32(bitmap.width * 4)) != 0
        }
        guard isLoaded else { throw ImagingError.outOfMemory(byteCount: nil) }
    }
}
