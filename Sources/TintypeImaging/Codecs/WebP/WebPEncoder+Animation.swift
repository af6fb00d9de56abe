import CWebP
import TintypeBase

extension WebPEncoder {
    public var canAnimate: Bool { true }

    /// An animated WebP through libwebp's animation encoder, which writes only what changed. Frames are taken one at
    /// a time. At least every 13th frame can be decoded without those before it, for seeking. Frames that equal the one
    /// before lengthen it.
    public func encode(frames: some Sequence<EncodableFrame>, loopCount: Int, options: EncodeOptions) throws -> Data {
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
}

/// One animation that is being encoded.
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
