extension ImageCodecs {
    /// The decoders of this build; the optional ones are compiled with their traits.
    static let standardDecoders: [any ImageDecoder] = {
        var decoders: [any ImageDecoder] = [
            JPEGDecoder(), PNGDecoder(), GIFDecoder(), WebPDecoder(), BMPDecoder(), ICODecoder(),
        ]
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

    /// The encoders of this build.
    static let standardEncoders: [any ImageEncoder] = {
        var encoders: [any ImageEncoder] = [JPEGEncoder(), PNGEncoder(), GIFEncoder(), WebPEncoder()]
        #if AVIF
            encoders.append(AVIFEncoder())
        #endif
        #if JXL
            encoders.append(JXLEncoder())
        #endif
        return encoders
    }()
}
