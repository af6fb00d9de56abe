#if AVIF || HEIC
    extension HEIFItems {
        /// Where the bytes of an item lie (`iloc`, ISO/IEC 14496-12, §8.11.3); nil if it has none in this file.
        func dataRanges(of wanted: Int) throws -> [Range<Int>]? {
            try dataRanges { $0 == wanted }[wanted]
        }

        /// Of all items that are wanted and have data in this file.
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
                // 0 is this file, 1 the `idat` box; data made from other items is not for images.
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
            // A length of 0 stands for all there is.
            return start..<(length == 0 ? bounds.upperBound : start + length)
        }

        private struct Reader {
            let bytes: ByteView
            var position: Int

            /// The next `count` bytes as one number; 0 for none.
            mutating func next(_ count: Int) throws -> Int {
                var value = 0
                for index in 0..<count { value = value << 8 | Int(try bytes.u8(position + index)) }
                position += count
                return value & .max
            }
        }
    }
#endif
