import CWebP
import TintypeBase

/// WebP through libwebp, lossy or lossless, with alpha. At most 16,383 pixels wide and high (RFC 9649, §2.7).
struct WebPEncoder: ImageEncoder {
    var format: ImageFormat { .webp }
    var canAnimate: Bool { true }

    static let maximumSide = Int(WEBP_MAX_DIMENSION)

    func encode(_ bitmap: Bitmap, options: EncodeOptions) throws -> Data {
        var check = AnimationFrameCheck(.webp, maximumSide: Self.maximumSide)
        try check.check(bitmap)
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
        // Without memory for alpha, libwebp fails without an error code.
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

    /// Encodes the frames one at a time through the animation encoder of libwebp, which writes only the changes. At least
    /// every 13th frame can be decoded without earlier ones, for seeking. A frame that equals the one before extends it.
    func encode(
        frames: some Sequence<EncodableFrame>, poster: Bitmap?, loopCount: Int, options: EncodeOptions
    ) throws -> Data {
        var check = AnimationFrameCheck(.webp, maximumSide: Self.maximumSide)
        var config = try Self.configuration(options)
        var session: WebPAnimationSession?
        for frame in frames {
            try check.check(frame.bitmap)
            let current =
                try session ?? WebPAnimationSession(size: frame.bitmap.size, loopCount: loopCount, options: options)
            session = current
            try current.append(frame, &config)
        }
        try check.finish()
        return try session?.finish() ?? Data()
    }

    /// Returns the settings of libwebp for these options.
    static func configuration(_ options: EncodeOptions) throws -> WebPConfig {
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

    /// Copies the pixels to an image of libwebp, which must be initialised before and freed afterwards.
    static func load(_ bitmap: Bitmap, into image: inout WebPPicture, isLossless: Bool) throws {
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

/// The encoder of one animation.
private final class WebPAnimationSession {
    private let encoder: OpaquePointer
    private var milliseconds = 0.0

    init(size: PixelSize, loopCount: Int, options: EncodeOptions) throws {
        var settings = WebPAnimEncoderOptions()
        guard WebPAnimEncoderOptionsInit(&settings) != 0 else {
            throw ImagingError.notEncodable("libwebp is of another version than its header")
        }
        settings.anim_params.loop_count = Int32(min(max(loopCount, 0), 65535))
        settings.anim_params.bgcolor = 0
        settings.kmin = 7
        settings.kmax = 13
        settings.minimize_size = options.effort ?? 0 >= 8 ? 1 : 0
        guard let encoder = WebPAnimEncoderNew(Int32(size.width), Int32(size.height), &settings) else {
            throw ImagingError.outOfMemory(byteCount: nil)
        }
        self.encoder = encoder
    }

    deinit { WebPAnimEncoderDelete(encoder) }

    func append(_ frame: EncodableFrame, _ config: inout WebPConfig) throws {
        var image = WebPPicture()
        guard WebPPictureInit(&image) != 0 else {
            throw ImagingError.notEncodable("libwebp is of another version than its header")
        }
        defer { WebPPictureFree(&image) }
        try WebPEncoder.load(frame.bitmap, into: &image, isLossless: true)
        guard WebPAnimEncoderAdd(encoder, &image, timestamp, &config) != 0 else { throw failure() }
        milliseconds += frame.duration.isFinite ? max(0, frame.duration) * 1000 : 0
    }

    private var timestamp: Int32 { Int32(clamping: Int(min(milliseconds.rounded(), 2_000_000_000))) }

    func finish() throws -> Data {
        guard WebPAnimEncoderAdd(encoder, nil, timestamp, nil) != 0 else { throw failure() }
        var output = WebPData()
        WebPDataInit(&output)
        defer { WebPDataClear(&output) }
        guard WebPAnimEncoderAssemble(encoder, &output) != 0, let bytes = output.bytes else { throw failure() }
        return Data(bytes: bytes, count: output.size)
    }

    private func failure() -> ImagingError {
        let reason = WebPAnimEncoderGetError(encoder).map { String(cString: $0) } ?? "no reason given"
        return .notEncodable("libwebp could not encode the animation: \(reason)")
    }
}
