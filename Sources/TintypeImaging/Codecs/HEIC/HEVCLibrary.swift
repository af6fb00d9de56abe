#if HEIC
    #if FFmpeg
        import CHEVCDecoder
        import TintypeBase
    #endif

    /// The decoder of the HEVC data of a HEIF file. Both return the same pixels, libavcodec in two thirds of the time.
    enum HEVCLibrary: Sendable {
        /// libavcodec with the trait `FFmpeg`, where it is installed and the image is worth loading it.
        case automatic
        /// libavcodec always, where it is installed.
        case libavcodec
        /// The decoder of libheif.
        case libheif

        /// Loading libavcodec takes about as long as it saves for an image of half this size.
        private static let worthLoading = 1 << 20

        /// Registers the decoder. Must be called before anything is decoded: libheif does not guard its list of decoders.
        static func register() {
            #if FFmpeg
                chevc_register()
            #endif
        }

        /// Returns the name of the decoder for an image of this size; nil for the choice of libheif.
        func decoder(forPixelCount count: Int) -> UnsafePointer<CChar>? {
            #if FFmpeg
                switch self {
                case .automatic: count >= Self.worthLoading || Self.isLoaded.withLock({ $0 }) ? Self.load() : nil
                case .libavcodec: Self.load()
                case .libheif: nil
                }
            #else
                nil
            #endif
        }

        #if FFmpeg
            private static let isLoaded = Locked(false)

            private static func load() -> UnsafePointer<CChar>? {
                let name = chevc_decoder_id()
                if name != nil { isLoaded.withLock { $0 = true } }
                return name
            }
        #endif
    }
#endif
