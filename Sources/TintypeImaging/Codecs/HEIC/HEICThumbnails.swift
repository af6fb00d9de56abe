#if HEIC
    /// The thumbnails in the file (ISO/IEC 23008-12, §6.4.4), which are decoded instead of the image where the difference is
    /// not visible.
    ///
    /// A thumbnail was scaled down and compressed once more, so it must be much larger than the target. It replaces the
    /// image only if everything else is the same: proportions, transforms, depth, colours, alpha. A damaged thumbnail is
    /// skipped without a warning.
    struct HEICThumbnails {
        private let image: HEICImage
        private let items: HEIFItems

        /// The factor by which a thumbnail must be wider and higher than the result. Measured on files of two telephones and
        /// two other encoders: at twice the size the result differs visibly from that of the image (28 to 32 dB), at eight
        /// times not.
        static let reserve = 8

        init(of image: HEICImage, items: HEIFItems) {
            self.image = image
            self.items = items
        }

        /// - Returns: the image at the target's size, or nil if the image itself must be decoded.
        func decode(_ options: DecodeOptions) -> DecoderOutput? {
            let size = image.info.storedSize
            // An invalid target is reported when the image is decoded.
            guard !image.info.isHDR, let plan = try? options.plan(storedSize: size, orientation: .up),
                items.hasAllData(of: items.primary)
            else { return nil }
            // Twice as large, or as large as the image if all its pixels are needed: then no thumbnail qualifies.
            let needed = plan.smallestUsefulSource
            let factor = Self.reserve / 2
            let useful = image.thumbnails(limits: options.limits).filter { item, thumbnail in
                let size = thumbnail.info.storedSize
                return size.width >= needed.width * factor && size.height >= needed.height * factor
                    && isSame(thumbnail, item: item)
            }
            for (item, thumbnail) in useful.sorted(by: { $0.image.area < $1.image.area }) {
                guard let bitmap = try? bitmap(thumbnail, item: item, plan: plan, limits: options.limits) else {
                    continue
                }
                return DecoderOutput(
                    bitmap: bitmap, info: image.info, isAtTargetSize: true,
                    warnings: image.warnings + thumbnail.warnings)
            }
            return nil
        }

        private func bitmap(
            _ thumbnail: HEICImage, item: Int, plan: ResizePlan, limits: DecodeLimits
        ) throws -> Bitmap {
            try items.checkSizes(of: item, limits: limits)
            return try thumbnail.decode(limits: limits) { size in
                guard size == thumbnail.info.storedSize else {
                    throw ImagingError.corrupt(.heic, "a thumbnail of another size than its header says")
                }
                return plan
            }.bitmap
        }

        private func isSame(_ thumbnail: HEICImage, item: Int) -> Bool {
            let (mine, its) = (image.info, thumbnail.info)
            return its.storedSize.area < mine.storedSize.area
                && Self.areProportional(mine.storedSize, its.storedSize)
                && mine.bitDepth == its.bitDepth && mine.hasAlpha == its.hasAlpha && !its.isHDR
                && hasSameColors(thumbnail) && items.isTurnedAlike(items.primary, item)
        }

        /// Returns whether two sizes have the same proportions, within one pixel in one direction.
        static func areProportional(_ size: PixelSize, _ other: PixelSize) -> Bool {
            let difference = abs(size.width * other.height - other.width * size.height)
            return difference <= max(size.width, size.height)
        }

        /// Returns whether a thumbnail has the colours of the image. Without a definition both are sRGB.
        private func hasSameColors(_ thumbnail: HEICImage) -> Bool {
            guard image.profile == nil, thumbnail.profile == nil else {
                return image.profile == thumbnail.profile
            }
            let points = [image.codePoints, thumbnail.codePoints]
            if points.allSatisfy({ $0.flatMap(CodePointTransform.init) == nil }) { return true }
            return points[0]?.primaries == points[1]?.primaries && points[0]?.transfer == points[1]?.transfer
        }
    }

    extension HEICImage {
        fileprivate var area: Int { info.storedSize.area }
    }

    extension HEIFItems {
        /// Returns whether all parts of an image have data in this file, all of it HEVC: an intact thumbnail must not hide
        /// missing data.
        fileprivate func hasAllData(of item: Int) -> Bool {
            guard let parts = try? decodedItems(of: item), let data = try? dataRanges(where: { parts.contains($0) })
            else { return false }
            return parts.allSatisfy { part in
                switch types[part] {
                case ISOBoxes.code("hvc1"), ISOBoxes.code("grid"), ISOBoxes.code("iovl"):
                    data[part]?.contains { !$0.isEmpty } ?? false
                case ISOBoxes.code("iden"): true
                default: false
                }
            }
        }

        /// Returns whether two items have the same rotation and mirroring, and neither is cropped.
        fileprivate func isTurnedAlike(_ item: Int, _ other: Int) -> Bool {
            guard let mine = turns(item), let its = turns(other) else { return false }
            return mine == its
        }

        /// Returns the `irot` and `imir` boxes of an item in order; nil if it also has a `clap` box.
        private func turns(_ item: Int) -> [[UInt8]]? {
            var turns: [[UInt8]] = []
            for box in properties(of: item) {
                switch box.type {
                case ISOBoxes.code("clap"): return nil
                case ISOBoxes.code("irot"), ISOBoxes.code("imir"):
                    turns.append([box.type == ISOBoxes.code("irot") ? 0 : 1] + bytes.bytes[box.content])
                default: break
                }
            }
            return turns
        }
    }
#endif
