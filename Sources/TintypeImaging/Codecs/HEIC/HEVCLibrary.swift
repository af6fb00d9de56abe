#if HEIC
    #if FFmpeg
        import CHEVCDecoder
        import TintypeBase
    #endif

    /// Who decodes the HEVC inside a HEIF file. Both give the same pixels, with libavcodec in two thirds of the time.
    enum HEVCLibrary: Sendable {
        /// libavcodec with the trait `FFmpeg`, where it is installed and the image is worth loading it.
        case automatic
        /// libavcodec always, where it is installed.
        case libavcodec
        /// What libheif brings along.
        case libheif

        /// Loading libavcodec takes about as long as it saves on an image of half of this size.
        private static let worthLoading = 1 << 20

        /// Must come before anything is decoded: libheif does not guard its list of decoders.
        static func register() {
            #if FFmpeg
                chevc_register()
            #endif
        }

        /// The name of libheif's decoder for an image of so many pixels; nil for libheif's own choice.
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
