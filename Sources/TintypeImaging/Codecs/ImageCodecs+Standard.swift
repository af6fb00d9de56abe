extension ImageCodecs {
    /// One line for each decoder; the optional ones stand between `#if TRAIT` and `#endif`.
    static let standardDecoders: [any ImageDecoder] = {
        var decoders: [any ImageDecoder] = []
        decoders.append(JPEGDecoder())
        decoders.append(PNGDecoder())
        decoders.append(GIFDecoder())
        decoders.append(WebPDecoder())
        decoders.append(BMPDecoder())
        decoders.append(ICODecoder())
        #if AVIF
            decoders.append(AVIFDecoder())
        #endif
        #if HEIC
            decoders.append(HEICDecoder())
        #endif
        #if JXL
            decoders.append(JXLDecoder())
        #endif
        #if TIFF
            decoders.append(TIFFDecoder())
        #endif
        #if SVG
            decoders.append(SVGDecoder())
        #endif
        return decoders
    }()

    /// One line for each encoder, as above.
    static let standardEncoders: [any ImageEncoder] = {
        var encoders: [any ImageEncoder] = []
        encoders.append(JPEGEncoder())
        encoders.append(PNGEncoder())
        encoders.append(GIFEncoder())
        encoders.append(WebPEncoder())
        #if AVIF
            encoders.append(AVIFEncoder())
        #endif
        #if JXL
            encoders.append(JXLEncoder())
        #endif
        return encoders
    }()
}
