#if JXL
    import CJXL

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// What comes before the first frame: size, depth, colours, timing.
    struct JXLHeader {
        private(set) var basic = JxlBasicInfo()
        /// The profile of the pixels that libjxl gives, unless they are sRGB or have code points.
        private(set) var profile: Data?
        private(set) var codePoints: CodingIndependentCodePoints?
        private var colorSpace = "sRGB"
        private var hasBlack = false

        var size: PixelSize { PixelSize(width: Int(basic.xsize), height: Int(basic.ysize)) }
        var hasAlpha: Bool { basic.alpha_bits > 0 }
        var isGray: Bool { basic.num_color_channels == 1 }
        var isAnimated: Bool { basic.have_animation != 0 }
        /// True if samples have more than 8 bits, or are floating point.
        var isDeep: Bool { basic.bits_per_sample > 8 || basic.exponent_bits_per_sample > 0 }

        var secondsPerTick: Double {
            basic.animation.tps_numerator == 0
                ? 0 : Double(basic.animation.tps_denominator) / Double(basic.animation.tps_numerator)
        }

        mutating func readBasicInfo(_ decoder: OpaquePointer, limits: DecodeLimits) throws {
            guard JxlDecoderGetBasicInfo(decoder, &basic) == JXL_DEC_SUCCESS else {
                throw ImagingError.corrupt(.jxl, "its header cannot be read")
            }
            try limits.check(size, format: .jxl)
            for index in 0..<Int(basic.num_extra_channels) {
                var channel = JxlExtraChannelInfo()
                guard JxlDecoderGetExtraChannelInfo(decoder, index, &channel) == JXL_DEC_SUCCESS else { continue }
                hasBlack = hasBlack || channel.type == JXL_CHANNEL_BLACK
            }
        }

        /// Refuses an image for which libjxl would take more than 1 GB. Bytes a pixel as measured with libjxl 0.7, the
        /// pixels that come out included: it goes through a plain lossy image in parts, and holds all others whole.
        ///
        /// - Parameter isLayered: true if several layers make up what is shown.
        func checkMemory(isLayered: Bool) throws {
            let extra = Int(basic.num_extra_channels)
            var perPixel: Int
            if basic.uses_original_profile != 0 {
                perPixel = 4 * (Int(basic.num_color_channels) + extra) + 4
            } else {
                perPixel = extra == 0 ? 8 : 30 + 8 * extra
            }
            if isAnimated { perPixel = max(perPixel, 38) }
            if isLayered { perPixel = max(perPixel, 48) }
            if isDeep { perPixel += 8 }
            let limit = JXLMemory.defaultLimit / perPixel
            guard size.area <= limit else {
                throw ImagingError.imageTooLarge(width: size.width, height: size.height, limit: limit)
            }
        }

        /// libjxl gives the inks of a CMYK image as if they were red, green and blue, and black apart.
        func checkColors() throws {
            guard !hasBlack else { throw ImagingError.unsupportedFormat("a JPEG XL in CMYK") }
        }

        /// Asks for sRGB where libjxl can convert by itself (lossy images, which it stores as XYB), and finds out what
        /// it will give. HDR images are taken as they are, for our own tone mapping.
        mutating func readColors(_ decoder: OpaquePointer, limits: DecodeLimits, warnings: inout [String]) {
            var original = JxlColorEncoding()
            let isNamed = ta_jxl_encoding(decoder, JXL_COLOR_PROFILE_TARGET_ORIGINAL, &original) == JXL_DEC_SUCCESS
            let points = isNamed ? Self.codePoints(original) : nil
            if let points, points.isHDR {
                JxlDecoderSetPreferredColorProfile(decoder, &original)
                codePoints = points
                colorSpace = points.name ?? "unknown"
                return
            }
            if isNamed {
                colorSpace = points?.name ?? "sRGB"
            } else if let profile = Self.profile(decoder, JXL_COLOR_PROFILE_TARGET_ORIGINAL, limits, &warnings) {
                colorSpace = ICCHeader.describe(profile) ?? "unknown"
            }
            if isGray { colorSpace = "Gray" }
            if hasBlack { colorSpace = "CMYK" }
            if basic.uses_original_profile == 0 {
                var wanted = Self.sRGB(isGray: isGray)
                JxlDecoderSetPreferredColorProfile(decoder, &wanted)
            }
            var given = JxlColorEncoding()
            if ta_jxl_encoding(decoder, JXL_COLOR_PROFILE_TARGET_DATA, &given) == JXL_DEC_SUCCESS,
                given.transfer_function == JXL_TRANSFER_FUNCTION_SRGB, given.white_point == JXL_WHITE_POINT_D65,
                given.color_space == JXL_COLOR_SPACE_GRAY || given.primaries == JXL_PRIMARIES_SRGB
            {
                return
            }
            profile = Self.profile(decoder, JXL_COLOR_PROFILE_TARGET_DATA, limits, &warnings)
        }

        private static func sRGB(isGray: Bool) -> JxlColorEncoding {
            var encoding = JxlColorEncoding()
            JxlColorEncodingSetToSRGB(&encoding, isGray ? JXL_TRUE : JXL_FALSE)
            return encoding
        }

        /// libjxl numbers curves and primaries as ITU-T H.273 does, but P3 as 11 whatever its white is.
        private static func codePoints(_ encoding: JxlColorEncoding) -> CodingIndependentCodePoints? {
            let transfer = Int(encoding.transfer_function.rawValue)
            guard transfer < 256, encoding.color_space == JXL_COLOR_SPACE_RGB else { return nil }
            let primaries =
                switch encoding.primaries {
                case JXL_PRIMARIES_SRGB: 1
                case JXL_PRIMARIES_2100: 9
                case JXL_PRIMARIES_P3: encoding.white_point == JXL_WHITE_POINT_DCI ? 11 : 12
                default: 2
                }
            return CodingIndependentCodePoints(
                primaries: primaries, transfer: transfer, matrix: 0, isFullRange: true)
        }

        private static func profile(
            _ decoder: OpaquePointer, _ target: JxlColorProfileTarget, _ limits: DecodeLimits,
            _ warnings: inout [String]
        ) -> Data? {
            var count = 0
            guard ta_jxl_profile_size(decoder, target, &count) == JXL_DEC_SUCCESS, count > 0 else { return nil }
            guard count <= limits.maximumMetadataByteCount else {
                warnings.append("the ICC profile was ignored: it is \(count) bytes long")
                return nil
            }
            var profile = Data(count: count)
            let status = profile.withUnsafeMutableBytes { bytes in
                ta_jxl_profile(decoder, target, bytes.bindMemory(to: UInt8.self).baseAddress, count)
            }
            return status == JXL_DEC_SUCCESS ? profile : nil
        }

        /// - Parameter durations: of the frames, in seconds as stored; nil for a still.
        func info(durations: [Double]?, isFrameListComplete: Bool) -> ImageInfo {
            let moves = (durations?.count ?? 0) > 1 || (isAnimated && !isFrameListComplete)
            return ImageInfo(
                format: .jxl, storedSize: size, bitDepth: Int(basic.bits_per_sample), hasAlpha: hasAlpha,
                colorSpace: colorSpace, frameCount: moves ? max(1, durations?.count ?? 1) : 1,
                loopCount: moves ? Int(basic.animation.num_loops) : nil,
                frames: moves ? (durations ?? []).map { ImageInfo.Frame(rawDuration: $0) } : [],
                isFrameListComplete: isFrameListComplete, isHDR: codePoints?.isHDR ?? false)
        }
    }
#endif
