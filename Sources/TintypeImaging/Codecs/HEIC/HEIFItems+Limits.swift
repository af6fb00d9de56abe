#if HEIC
    /// Checks of what is behind the primary image before libheif decodes it: the boxes may say that an image is small
    /// while its data, the canvas of a grid or a chain of derived images is not.
    extension HEIFItems {
        /// Derived images made of derived images: no file needs more.
        private static let maximumDepth = 8
        private static let maximumItemCount = 1 << 17
        /// An image's data is padded to blocks of at most this size (ITU-T H.265, §7.4.3.2.1), and more is odd.
        private static let padding = 64

        /// - Parameter root: the image that will be decoded; nil for the primary one.
        /// - Throws: `truncated` if data of it lies behind the end; `imageTooLarge`; `corrupt` for images that are made
        ///   of themselves.
        func checkSizes(of root: Int? = nil, limits: DecodeLimits) throws {
            do {
                let items = try decodedItems(of: root ?? primary)
                let data = try dataRanges { items.contains($0) }
                var excess = 0
                for item in items {
                    if types[item] == ISOBoxes.code("hvc1") {
                        let stated = try statedSize(of: item)
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

        /// An image's item, those it is made of, and their alphas.
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
                    throw ImagingError.corrupt(.heic, "an image made of images made of images without end")
                }
                found.insert(item)
                waiting += (parts[item] ?? []).map { (item: $0, depth: depth + 1) }
            }
            return found
        }

        /// From `ispe`.
        private func statedSize(of item: Int) throws -> PixelSize {
            guard let extent = properties(of: item).first(where: { $0.type == ISOBoxes.code("ispe") }) else {
                return PixelSize(width: 0, height: 0)
            }
            let content = extent.content.lowerBound
            return PixelSize(
                width: Int(try bytes.bigEndian32(content + 4)), height: Int(try bytes.bigEndian32(content + 8)))
        }

        /// Of a `grid` (ISO/IEC 23008-12, §6.6.2.3) or an overlay (§6.6.2.2); nil for others.
        private func canvas(of item: Int, data: [Range<Int>]) throws -> PixelSize? {
            let start: Int
            switch types[item] {
            case ISOBoxes.code("grid"): start = 4
            case ISOBoxes.code("iovl"): start = 10
            default: return nil
            }
            guard let range = data.first else { return nil }
            func number(_ index: Int, isLong: Bool) throws -> Int {
                let position = range.lowerBound + start + index * (isLong ? 4 : 2)
                return isLong ? Int(try bytes.bigEndian32(position)) : Int(try bytes.bigEndian16(position))
            }
            let isLong = try bytes.u8(range.lowerBound + 1) & 1 != 0
            return PixelSize(width: try number(0, isLong: isLong), height: try number(1, isLong: isLong))
        }

        // MARK: HEVC

        /// What the sequence parameter sets say, in `hvcC` (ISO/IEC 14496-15, §8.3.3.1.2) and among the data.
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
                    // Of damaged data libde265 says what is wrong with it.
                    guard length > 0, length <= range.upperBound - position else { break }
                    if let size = try size(inUnit: bytes.slice(position, length)) { sizes.append(size) }
                    position += length
                }
            }
            return sizes
        }

        /// Nil if the unit is no sequence parameter set.
        private func size(inUnit unit: UnsafeRawBufferPointer) throws -> PixelSize? {
            guard unit.count > 15, unit[0] >> 1 & 63 == 33 else { return nil }
            // The size is near the beginning.
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

        /// ue(v) of §9.2.
        mutating func exponential() -> Int {
            var zeros = 0
            while zeros < 32, !isPastEnd, bits(1) == 0 { zeros += 1 }
            return 1 << zeros - 1 + bits(zeros)
        }
    }
#endif
