#if HEIC
    import CHEIF

    /// Conversion of more than 8 bits from the planes of HEVC: libheif would hold the image a second time, as RGB of 8 bytes a
    /// pixel.
    extension HEICImage {
        /// - Returns: nil if the planes have a format that is not converted here.
        func decodeWide(
            _ chroma: heif_chroma, limits: DecodeLimits, plan: (PixelSize) throws -> ResizePlan?
        ) throws -> (bitmap: Bitmap, size: PixelSize)? {
            let isColor = [heif_chroma_420, heif_chroma_422, heif_chroma_444].contains(chroma)
            let decoded = try decode(isColor ? heif_colorspace_YCbCr : heif_colorspace_undefined, chroma)
            defer { heif_image_release(decoded) }
            guard let planes = try HEICPlanes(decoded, of: self, limits: limits) else { return nil }
            let size = planes.size
            let hasAlpha = planes.hasAlpha
            let isPremultiplied = hasAlpha && heif_image_handle_is_premultiplied_alpha(handle) != 0
            let conversion = ColorConversion(
                profile: profile, codePoints: codePoints, isWide: true, warnings: &warnings)
            let wide = UnsafeMutablePointer<UInt16>.allocate(capacity: size.width * 4)
            defer { wide.deallocate() }
            return try write(size, plan: plan(size)) { y, row in
                planes.convert(y, to: wide)
                if isPremultiplied, !conversion.isIdentity { WideSamples.unpremultiply(wide, pixelCount: size.width) }
                conversion.convert(wide, to: row, pixelCount: size.width)
                guard hasAlpha else { return 255 }
                return StraightPixels.premultiply(
                    row, width: size.width, isPremultiplied: isPremultiplied && conversion.isIdentity)
            }
        }
    }

    /// Planes of luma, chroma and alpha of 9 to 16 bits, owned by an image of libheif.
    private struct HEICPlanes {
        let size: PixelSize
        private let luma: HEICImage.Plane
        private let chroma: (blue: HEICImage.Plane, red: HEICImage.Plane)?
        private let alpha: HEICImage.Plane?
        private let shift: (x: Int, y: Int)
        private let largest: Float
        private let largestAlpha: Float
        private let offset: (luma: Float, chroma: Float)
        private let scale: (luma: Float, chroma: Float)
        private let red: Float
        private let green: (blue: Float, red: Float)
        private let blue: Float

        var hasAlpha: Bool { alpha != nil }

        /// Returns nil for other colours than YCbCr by constant weights, and for planes that do not match.
        init?(_ image: OpaquePointer, of owner: HEICImage, limits: DecodeLimits) throws {
            let space = heif_image_get_colorspace(image)
            guard space == heif_colorspace_YCbCr || space == heif_colorspace_monochrome else { return nil }
            let bits = Int(heif_image_get_bits_per_pixel_range(image, heif_channel_Y))
            guard (9...16).contains(bits) else { return nil }
            luma = try owner.plane(image, heif_channel_Y, bytesPerPixel: 2, limits: limits)
            size = luma.size
            largest = Float(1 << bits - 1)
            if space == heif_colorspace_YCbCr {
                switch heif_image_get_chroma_format(image) {
                case heif_chroma_420: shift = (1, 1)
                case heif_chroma_422: shift = (1, 0)
                case heif_chroma_444: shift = (0, 0)
                default: return nil
                }
                let planes = try [heif_channel_Cb, heif_channel_Cr].map {
                    try owner.plane(image, $0, bytesPerPixel: 2, limits: limits)
                }
                let wanted = PixelSize(
                    width: (size.width + shift.x) >> shift.x, height: (size.height + shift.y) >> shift.y)
                guard planes.allSatisfy({ $0.size == wanted }),
                    [heif_channel_Cb, heif_channel_Cr].allSatisfy({
                        Int(heif_image_get_bits_per_pixel_range(image, $0)) == bits
                    })
                else { return nil }
                chroma = (planes[0], planes[1])
            } else {
                shift = (0, 0)
                chroma = nil
            }
            if heif_image_has_channel(image, heif_channel_Alpha) != 0 {
                let alphaBits = Int(heif_image_get_bits_per_pixel_range(image, heif_channel_Alpha))
                guard (9...16).contains(alphaBits) else { return nil }
                let plane = try owner.plane(image, heif_channel_Alpha, bytesPerPixel: 2, limits: limits)
                guard plane.size == size else { return nil }
                alpha = plane
                largestAlpha = Float(1 << alphaBits - 1)
            } else {
                guard !owner.info.hasAlpha else { return nil }
                alpha = nil
                largestAlpha = 1
            }
            let points = HEICImage.codePoints(ofDecoded: image)
            // Without code points: BT.601, in the full range.
            guard let weights = Self.weights(points?.matrix ?? 2) else { return nil }
            let unit = Float(1 << (bits - 8))
            let isFull = points?.isFullRange ?? true
            offset = (isFull ? 0 : 16 * unit, Float(1 << (bits - 1)))
            scale = (
                65535 / (isFull ? largest : 219 * unit), 65535 / (isFull ? largest : 224 * unit)
            )
            let rest = 1 - weights.red - weights.blue
            red = 2 * (1 - weights.red)
            blue = 2 * (1 - weights.blue)
            green = (-2 * weights.blue * (1 - weights.blue) / rest, -2 * weights.red * (1 - weights.red) / rest)
        }

        /// Returns the weights of a matrix by its number (ITU-T H.273, table 4).
        private static func weights(_ matrix: Int) -> (red: Float, blue: Float)? {
            switch matrix {
            case 1: (0.2126, 0.0722)
            case 2, 5, 6: (0.299, 0.114)
            case 4: (0.30, 0.11)
            case 7: (0.212, 0.087)
            case 9: (0.2627, 0.0593)
            default: nil
            }
        }

        /// Writes one row of RGBA of 16 bits.
        func convert(_ y: Int, to target: UnsafeMutablePointer<UInt16>) {
            let lumaRow = Self.row(luma, y)
            let blueRow = chroma.map { Self.row($0.blue, y >> shift.y) }
            let redRow = chroma.map { Self.row($0.red, y >> shift.y) }
            let alphaRow = alpha.map { Self.row($0, y) }
            for x in 0..<size.width {
                let pixel = target + x * 4
                let light = (Float(lumaRow[x]) - offset.luma) * scale.luma
                if let blueRow, let redRow {
                    let cb = (Float(blueRow[x >> shift.x]) - offset.chroma) * scale.chroma
                    let cr = (Float(redRow[x >> shift.x]) - offset.chroma) * scale.chroma
                    pixel[0] = Self.clamp(light + red * cr)
                    pixel[1] = Self.clamp(light + green.blue * cb + green.red * cr)
                    pixel[2] = Self.clamp(light + blue * cb)
                } else {
                    let gray = Self.clamp(light)
                    (pixel[0], pixel[1], pixel[2]) = (gray, gray, gray)
                }
                pixel[3] = alphaRow.map { Self.clamp(Float($0[x]) * 65535 / largestAlpha) } ?? .max
            }
        }

        /// libheif keeps samples in the CPU's byte order.
        private static func row(_ plane: HEICImage.Plane, _ y: Int) -> UnsafePointer<UInt16> {
            UnsafeRawPointer(plane.row(y)).assumingMemoryBound(to: UInt16.self)
        }

        private static func clamp(_ value: Float) -> UInt16 { UInt16(min(max(value + 0.5, 0), 65535)) }
    }
#endif
