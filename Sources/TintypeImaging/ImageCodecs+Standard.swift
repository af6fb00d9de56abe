extension ImageCodecs {
    /// One line for each decoder; the optional ones stand between `#if TRAIT` and `#endif`.
    static let standardDecoders: [any ImageDecoder] = {
        var decoders: [any ImageDecoder] = [
            GIFDecoder(), BMPDecoder(), ICODecoder(), WebPDecoder(),
        ]
        return decoders
    }()

    static let standardEncoders: [any ImageEncoder] = {
        var encoders: [any ImageEncoder] = [WebPEncoder()]
        return encoders
    }()
}
