#if HEIC
    /// The thumbnails in the file (ISO/IEC 23008-12, §6.4.4), which spare decoding the whole image where no viewer could
    /// see the difference.
    ///
    /// A thumbnail has been reduced and compressed once more, cheaply, so it must be much larger than what is wanted. It
    /// stands for the image only if all else is the same: proportions, turns, depth, colours, alpha. Nothing is said
    /// about a thumbnail that is damaged or of another kind; the image itself is decoded then.
    struct HEICThumbnails {
        private let image: HEICImage
        private let items: HEIFItems

        /// How many times as wide and high as the result a thumbnail must be. Measured on files of two telephones and two
        /// other encoders: at twice the size the result differs visibly from that of the image itself (28 to 32 dB), at
        /// eight times no longer.
        static let reserve = 8

        init(of image: HEICImage, items: HEIFItems) {
            self.image = image
            self.items = items
        }

        /// - Returns: the image at the target's size, or nil if it must be decoded itself.
        func decode(_ options: DecodeOptions) -> DecoderOutput? {
            let size = image.info.storedSize
            // What is wrong with the target is said when the image is decoded.
            guard !image.info.isHDR, let plan = try? options.plan(storedSize: size, orientation: .up),
                items.hasAllData(of: items.primary)
            else { return nil }
            // Two times as large, or as large as the image if every pixel counts: no thumbnail will do then.
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
                    bitmap: bitmap, info: image.info, warnings: image.warnings + thumbnail.warnings)
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

        /// Of the same proportions, but for one pixel in one direction.
        static func areProportional(_ size: PixelSize, _ other: PixelSize) -> Bool {
            let difference = abs(size.width * other.height - other.width * size.height)
            return difference <= max(size.width, size.height)
        }

        /// Without a word about its colours a thumbnail is sRGB, as any image is.
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
        /// Whether an image and what it is made of has data in this file, all of it HEVC: that the thumbnail is there
        /// does not make up for what is missing.
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

        /// Whether two items are turned and mirrored in the same way, and neither is cropped.
        fileprivate func isTurnedAlike(_ item: Int, _ other: Int) -> Bool {
            guard let mine = turns(item), let its = turns(other) else { return false }
            return mine == its
        }

        /// The `irot` and `imir` boxes of an item in their order; nil if it has a `clap` box too.
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
