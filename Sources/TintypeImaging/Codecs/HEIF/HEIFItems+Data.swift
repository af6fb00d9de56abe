#if AVIF || HEIC
    extension HEIFItems {
        /// Returns the offsets of the data of an item (`iloc`, ISO/IEC 14496-12, §8.11.3); nil if it has none in this file.
        func dataRanges(of wanted: Int) throws -> [Range<Int>]? {
            try dataRanges { $0 == wanted }[wanted]
        }

        /// Returns the offsets of the data of the wanted items that have data in this file.
        func dataRanges(where isWanted: (Int) -> Bool) throws -> [Int: [Range<Int>]] {
            guard let locations else { return [:] }
            var found: [Int: [Range<Int>]] = [:]
            var reader = Reader(bytes: bytes, position: locations.lowerBound)
            let version = try reader.next(1)
            _ = try reader.next(3)
            let (first, second) = (try reader.next(1), try reader.next(1))
            let sizes = (
                offset: first >> 4, length: first & 15, base: second >> 4, index: version == 0 ? 0 : second & 15
            )
            let count = try reader.next(version < 2 ? 2 : 4)
            for _ in 0..<count {
                guard reader.position < locations.upperBound else { break }
                let item = try reader.next(version < 2 ? 2 : 4)
                let method = version == 0 ? 0 : try reader.next(2) & 15
                let reference = try reader.next(2)
                let base = try reader.next(sizes.base)
                let isFirst = isWanted(item) && found[item] == nil
                var ranges: [Range<Int>] = []
                for _ in 0..<(try reader.next(2)) {
                    _ = try reader.next(sizes.index)
                    let (offset, length) = (try reader.next(sizes.offset), try reader.next(sizes.length))
                    guard isFirst else { continue }
                    guard let range = place(base, offset, length, isInline: method == 1) else {
                        throw ByteView.PastEnd(byteCount: bytes.count + 1)
                    }
                    ranges.append(range)
                }
                // 0 is this file, 1 the `idat` box; images have no data from other items.
                if isFirst, reference == 0, method <= 1 { found[item] = ranges }
            }
            return found
        }

        private func place(_ base: Int, _ offset: Int, _ length: Int, isInline: Bool) -> Range<Int>? {
            let bounds = isInline ? inlineData ?? 0..<0 : 0..<bytes.count
            let (sum, overflow) = base.addingReportingOverflow(offset)
            guard !overflow, sum >= 0, sum <= bounds.count, length >= 0, length <= bounds.count - sum else {
                return nil
            }
            let start = bounds.lowerBound + sum
            // A length of 0 is the rest.
            return start..<(length == 0 ? bounds.upperBound : start + length)
        }

        /// Reads the size of a `grid` (ISO/IEC 23008-12, §6.6.2.3) or an overlay (§6.6.2.2); nil for other items.
        func canvas(of item: Int, data: [Range<Int>]) throws -> PixelSize? {
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

        private struct Reader {
            let bytes: ByteView
            var position: Int

            /// Reads `count` bytes as one number; 0 for none.
            mutating func next(_ count: Int) throws -> Int {
                var value = 0
                for index in 0..<count { value = value << 8 | Int(try bytes.u8(position + index)) }
                position += count
                return value & .max
            }
        }
    }
#endif
