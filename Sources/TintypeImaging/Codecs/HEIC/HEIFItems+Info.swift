#if HEIC
    import CHEIF
    import TintypeBase

    extension HEIFItems {
        /// Returns the info of the primary image with the transforms applied, as libheif does for a whole file.
        func info(limits: DecodeLimits) throws -> ImageInfo {
            do {
                return try readInfo(limits)
            } catch is ByteView.PastEnd {
                throw ImagingError.corrupt(.heic, "a property is truncated")
            }
        }

        private func readInfo(_ limits: DecodeLimits) throws -> ImageInfo {
            var size = try statedSize(of: primary)
            for box in properties(of: primary) {
                let content = box.content.lowerBound
                switch box.type {
                case ISOBoxes.code("irot"):
                    if try bytes.u8(content) & 1 != 0 { size = size?.transposed }
                case ISOBoxes.code("clap"):
                    let (width, height) = (try fraction(content), try fraction(content + 8))
                    if let width, let height { size = PixelSize(width: width, height: height) }
                default: break
                }
            }
            guard let size else { throw ImagingError.corrupt(.heic, "the primary image has no size") }
            let (profile, codePoints) = try colors(limits)
            return ImageInfo(
                format: .heic, storedSize: size, bitDepth: try bitDepth(of: primary),
                hasAlpha: alpha(of: primary) != nil,
                colorSpace: profile.flatMap(ICCHeader.describe) ?? codePoints?.name ?? "sRGB",
                isHDR: profile == nil && codePoints?.isHDR ?? false)
        }

        /// Returns the colours of the image, or those of the first image that it is derived from.
        private func colors(
            _ limits: DecodeLimits
        ) throws -> (profile: Data?, codePoints: CodingIndependentCodePoints?) {
            for item in [primary] + sources(of: primary).prefix(1) {
                var profile: Data?
                var codePoints: CodingIndependentCodePoints?
                for box in properties(of: item) where box.type == ISOBoxes.code("colr") {
                    let content = box.content.lowerBound
                    switch try bytes.bigEndian32(content) {
                    case ISOBoxes.code("nclx"):
                        codePoints = CodingIndependentCodePoints(
                            primaries: Int(try bytes.bigEndian16(content + 4)),
                            transfer: Int(try bytes.bigEndian16(content + 6)),
                            matrix: Int(try bytes.bigEndian16(content + 8)),
                            isFullRange: try bytes.u8(content + 10) & 0x80 != 0)
                    case ISOBoxes.code("prof"), ISOBoxes.code("rICC"):
                        let length = box.content.count - 4
                        guard length > 0, length <= limits.maximumMetadataByteCount else { continue }
                        profile = Data(try bytes.slice(content + 4, length))
                    default: break
                    }
                }
                if profile != nil || codePoints != nil { return (profile, codePoints) }
            }
            return (nil, nil)
        }

        /// Refuses an image that would take more than 1 GB to decode: its planes, the copies in libde265, and for 8 bits the
        /// RGB of libheif. Tiles of a grid are decoded one by one.
        func checkMemory(_ info: ImageInfo, limits: DecodeLimits) throws {
            let isGrid = types[primary] == ISOBoxes.code("grid")
            let isWide = info.bitDepth > 8
            // Tenths of a byte for each pixel.
            let planes = [10, 15, 20, 30][chromaFormat(of: primary)] * (isWide ? 2 : 1)
            let color = isWide ? 0 : info.hasAlpha ? 40 : 30
            let alpha = info.hasAlpha ? 20 * (isWide ? 2 : 1) : 0
            let perPixel = isGrid ? planes + color + alpha : 2 * planes + 36 + color + alpha
            let limit = 10_000_000_000 / perPixel
            guard info.storedSize.area <= limit else {
                throw ImagingError.imageTooLarge(
                    width: info.storedSize.width, height: info.storedSize.height, limit: limit)
            }
        }

        /// The chroma format of the primary image; undefined for grey.
        var chroma: heif_chroma {
            [heif_chroma_undefined, heif_chroma_420, heif_chroma_422, heif_chroma_444][chromaFormat(of: primary)]
        }

        /// Returns `chroma_format_idc`: 0 grey, 1 4:2:0, 2 4:2:2, 3 4:4:4. 3 if it is unknown.
        private func chromaFormat(of item: Int) -> Int {
            (try? configuration(of: item, byte: 16)).map { Int($0 & 3) } ?? 3
        }

        /// Returns a byte of `hvcC` (ISO/IEC 14496-15, §8.3.3) of an item, or of the first tile of a grid.
        private func configuration(of item: Int, byte: Int) throws -> UInt8? {
            for candidate in [item] + sources(of: item).prefix(1) {
                for box in properties(of: candidate) where box.type == ISOBoxes.code("hvcC") {
                    return try bytes.u8(box.content.lowerBound + byte)
                }
            }
            return nil
        }

        private func fraction(_ offset: Int) throws -> Int? {
            let (numerator, denominator) = (try bytes.bigEndian32(offset), try bytes.bigEndian32(offset + 4))
            return denominator == 0 ? nil : Int(numerator / denominator)
        }

        /// Reads the depth from `hvcC`, or else from `pixi`.
        private func bitDepth(of item: Int) throws -> Int {
            if let byte = try configuration(of: item, byte: 17) { return Int(byte & 7) + 8 }
            for box in properties(of: item) where box.type == ISOBoxes.code("pixi") {
                return Int(try bytes.u8(box.content.lowerBound + 5))
            }
            return 8
        }
    }
#endif
