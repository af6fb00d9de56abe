#if HEIC
    /// Checks of the parts of an image before libheif decodes it: the boxes may state a small image while its data, the
    /// canvas of a grid or a chain of derived images is large.
    extension HEIFItems {
        /// The depth of derived images in real files is far less.
        private static let maximumDepth = 8
        private static let maximumItemCount = 1 << 17
        /// Image data is padded to blocks of at most this size (ITU-T H.265, §7.4.3.2.1).
        private static let padding = 64

        /// - Parameter root: the image that will be decoded; nil is the primary one.
        /// - Throws: `truncated` if data is missing; `imageTooLarge`; `corrupt` for images that are derived from themselves.
        func checkSizes(of root: Int? = nil, limits: DecodeLimits) throws {
            do {
                let items = try decodedItems(of: root ?? primary)
                let data = try dataRanges { items.contains($0) }
                var excess = 0
                for item in items {
                    if types[item] == ISOBoxes.code("hvc1") {
                        let stated = try statedSize(of: item) ?? PixelSize(width: 0, height: 0)
                        for coded in try codedSizes(of: item, data: data[item] ?? []) {
                            let isPadding =
                                coded.width <= stated.width + Self.padding
                                && coded.height <= stated.height + Self.padding
                            guard !isPadding else { continue }
                            excess = excess.addingReportingOverflow(coded.area).partialValue
                            guard excess <= limits.maximumPixelCount else {
                                throw ImagingError.imageTooLarge(
                                    width: coded.width, height: coded.height, limit: limits.maximumPixelCount)
                            }
                        }
                    } else if let canvas = try canvas(of: item, data: data[item] ?? []) {
                        try limits.check(canvas, format: .heic)
                    }
                }
            } catch is ByteView.PastEnd {
                throw ImagingError.truncated(.heic)
            }
        }

        /// Returns an item, the items it is derived from, and their alphas.
        func decodedItems(of root: Int) throws -> Set<Int> {
            var parts: [Int: [Int]] = [:]
            for reference in references {
                if reference.type == ISOBoxes.code("dimg") {
                    parts[reference.from, default: []] += reference.to
                } else if reference.type == ISOBoxes.code("auxl"), isAlpha(reference.from) {
                    for item in reference.to { parts[item, default: []].append(reference.from) }
                }
            }
            var found: Set<Int> = []
            var waiting = [(item: root, depth: 0)]
            var count = 0
            while let (item, depth) = waiting.popLast() {
                count += 1
                guard depth <= Self.maximumDepth, count <= Self.maximumItemCount else {
                    throw ImagingError.corrupt(.heic, "derived images are nested too deeply")
                }
                found.insert(item)
                waiting += (parts[item] ?? []).map { (item: $0, depth: depth + 1) }
            }
            return found
        }

        /// Reads the size from `ispe`.
        func statedSize(of item: Int) throws -> PixelSize? {
            guard let extent = properties(of: item).first(where: { $0.type == ISOBoxes.code("ispe") }) else {
                return nil
            }
            let content = extent.content.lowerBound
            return PixelSize(
                width: Int(try bytes.bigEndian32(content + 4)), height: Int(try bytes.bigEndian32(content + 8)))
        }

        // MARK: HEVC

        /// Returns the sizes in the sequence parameter sets, in `hvcC` (ISO/IEC 14496-15, §8.3.3.1.2) and in the data.
        private func codedSizes(of item: Int, data: [Range<Int>]) throws -> [PixelSize] {
            var sizes: [PixelSize] = []
            var lengthSize = 4
            for box in properties(of: item) where box.type == ISOBoxes.code("hvcC") {
                var position = box.content.lowerBound + 21
                lengthSize = Int(try bytes.u8(position) & 3) + 1
                let arrayCount = try bytes.u8(position + 1)
                position += 2
                for _ in 0..<arrayCount {
                    let count = Int(try bytes.bigEndian16(position + 1))
                    position += 3
                    for _ in 0..<count {
                        let length = Int(try bytes.bigEndian16(position))
                        if let size = try size(inUnit: bytes.slice(position + 2, length)) { sizes.append(size) }
                        position += 2 + length
                    }
                }
            }
            for range in data {
                var position = range.lowerBound
                while position + lengthSize < range.upperBound {
                    var length = 0
                    for index in 0..<lengthSize { length = length << 8 | Int(try bytes.u8(position + index)) }
                    position += lengthSize
                    // libde265 reports damaged data.
                    guard length > 0, length <= range.upperBound - position else { break }
                    if let size = try size(inUnit: bytes.slice(position, length)) { sizes.append(size) }
                    position += length
                }
            }
            return sizes
        }

        /// Returns the size in a sequence parameter set; nil for other units.
        private func size(inUnit unit: UnsafeRawBufferPointer) throws -> PixelSize? {
            guard unit.count > 15, unit[0] >> 1 & 63 == 33 else { return nil }
            // The size is near the start.
            var reader = HEVCBits(unit.dropFirst(2).prefix(200))
            reader.skip(4)
            let layers = reader.bits(3)
            reader.skip(1 + 96)
            var skipped = 0
            for _ in 0..<layers { skipped += reader.bits(1) * 88 + reader.bits(1) * 8 }
            if layers > 0 { reader.skip((8 - layers) * 2) }
            reader.skip(skipped)
            _ = reader.exponential()
            if reader.exponential() == 3 { reader.skip(1) }
            let (width, height) = (reader.exponential(), reader.exponential())
            return reader.isPastEnd ? nil : PixelSize(width: width, height: height)
        }
    }

    /// Bits of a unit without its emulation prevention bytes (ITU-T H.265, §7.3.1.1).
    private struct HEVCBits {
        private var bytes: [UInt8] = []
        private var position = 0

        init(_ unit: some Sequence<UInt8>) {
            var zeros = 0
            for byte in unit {
                if zeros >= 2, byte == 3 {
                    zeros = 0
                    continue
                }
                zeros = byte == 0 ? zeros + 1 : 0
                bytes.append(byte)
            }
        }

        var isPastEnd: Bool { position > bytes.count * 8 }

        mutating func skip(_ count: Int) { position += count }

        mutating func bits(_ count: Int) -> Int {
            var value = 0
            for index in position..<position + count {
                let byte = index / 8 < bytes.count ? Int(bytes[index / 8]) : 0
                value = value << 1 | byte >> (7 - index % 8) & 1
            }
            position += count
            return value
        }

        /// Reads ue(v) (§9.2).
        mutating func exponential() -> Int {
            var zeros = 0
            while zeros < 32, !isPastEnd, bits(1) == 0 { zeros += 1 }
            return 1 << zeros - 1 + bits(zeros)
        }
    }
#endif
