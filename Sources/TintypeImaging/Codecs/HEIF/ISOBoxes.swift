#if AVIF || HEIC
    /// The boxes of an ISO base media file (ISO/IEC 14496-12, §4.2), such as AVIF and HEIC.
    struct ISOBoxes: Sequence, IteratorProtocol {
        struct Box {
            /// Four characters, big-endian.
            let type: UInt32
            /// Offset of the type.
            let typeOffset: Int
            /// Offsets of the content, up to the end of the bytes.
            let content: Range<Int>
        }

        private let bytes: ByteView
        private let end: Int
        private var position: Int

        /// - Parameter range: the content of the parent box; the whole file by default.
        init(_ bytes: ByteView, in range: Range<Int>? = nil) {
            self.bytes = bytes
            position = range?.lowerBound ?? 0
            end = Swift.min(range?.upperBound ?? bytes.count, bytes.count)
        }

        mutating func next() -> Box? {
            guard position < end, let size32 = try? bytes.bigEndian32(position),
                let type = try? bytes.bigEndian32(position + 4)
            else { return nil }
            var header = 8
            var size = Int(size32)
            if size32 == 1 {
                guard let high = try? bytes.bigEndian32(position + 8), let low = try? bytes.bigEndian32(position + 12),
                    high < 1 << 31
                else { return nil }
                size = Int(high) << 32 | Int(low)
                header = 16
            } else if size32 == 0 {
                size = end - position
            }
            guard size >= header else { return nil }
            let start = position
            let stop = size > end - start ? end : start + size
            position = stop
            return Box(type: type, typeOffset: start + 4, content: Swift.min(start + header, stop)..<stop)
        }

        /// Returns the first box of this type, or nil.
        func first(_ type: StaticString) -> Box? {
            let code = Self.code(type)
            return first { $0.type == code }
        }

        static func code(_ text: StaticString) -> UInt32 {
            text.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } }
        }
    }
#endif
