#if HEIC
    extension HEIFItems {
        /// Facts about the primary image, the transforms applied.
        func info() throws -> ImageInfo {
            do {
                return try readInfo()
            } catch is ByteView.PastEnd {
                throw ImagingError.corrupt(.heic, "a property is cut short")
            }
        }

        private func readInfo() throws -> ImageInfo {
            var size: PixelSize?
            var codePoints: CodingIndependentCodePoints?
            var hasProfile = false
            let all = properties(of: primary)
            if let extent = all.first(where: { $0.type == ISOBoxes.code("ispe") })?.content.lowerBound {
                size = PixelSize(
                    width: Int(try bytes.bigEndian32(extent + 4)), height: Int(try bytes.bigEndian32(extent + 8)))
            }
            for box in all {
                let content = box.content.lowerBound
                switch box.type {
                case ISOBoxes.code("irot"):
                    if try bytes.u8(content) & 1 != 0 { size = size?.transposed }
                case ISOBoxes.code("clap"):
                    let (width, height) = (try fraction(content), try fraction(content + 8))
                    if let width, let height { size = PixelSize(width: width, height: height) }
                case ISOBoxes.code("colr"):
                    if try bytes.bigEndian32(content) == ISOBoxes.code("nclx") {
                        codePoints = CodingIndependentCodePoints(
                            primaries: Int(try bytes.bigEndian16(content + 4)),
                            transfer: Int(try bytes.bigEndian16(content + 6)),
                            matrix: Int(try bytes.bigEndian16(content + 8)),
                            isFullRange: try bytes.u8(content + 10) & 0x80 != 0)
                    } else {
                        hasProfile = true
                    }
                default: break
                }
            }
            guard let size else { throw ImagingError.corrupt(.heic, "the primary image has no size") }
            return ImageInfo(
                format: .heic, storedSize: size, bitDepth: try bitDepth(of: primary),
                hasAlpha: alpha(of: primary) != nil,
                colorSpace: codePoints?.name ?? "sRGB", isHDR: !hasProfile && codePoints?.isHDR ?? false)
        }

        private func fraction(_ offset: Int) throws -> Int? {
            let (numerator, denominator) = (try bytes.bigEndian32(offset), try bytes.bigEndian32(offset + 4))
            return denominator == 0 ? nil : Int(numerator / denominator)
        }

        /// From `hvcC` (ISO/IEC 14496-15, §8.3.3), of the item itself or of the first tile of a grid; else from `pixi`.
        private func bitDepth(of item: Int) throws -> Int {
            for candidate in [item] + sources(of: item).prefix(1) {
                for box in properties(of: candidate) where box.type == ISOBoxes.code("hvcC") {
                    return Int(try bytes.u8(box.content.lowerBound + 17) & 7) + 8
                }
            }
            for box in properties(of: item) where box.type == ISOBoxes.code("pixi") {
                return Int(try bytes.u8(box.content.lowerBound + 5))
            }
            return 8
        }
    }
#endif
