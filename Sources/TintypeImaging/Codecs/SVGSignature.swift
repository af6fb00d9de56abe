import CZlib

/// Recognises SVG: XML whose root element is `svg`, as UTF-8 or UTF-16, plain or compressed with gzip.
enum SVGSignature {
    enum Verdict {
        case matches
        case differs
        /// The bytes end within what may come before the root element.
        case needsMoreData
    }

    /// Bytes of text that may come before the root element: 8 MiB.
    static let maximumByteCount = 8 << 20
    /// The first look, which is enough for nearly every file, and how much longer each further one is.
    private static let firstByteCount = 4096
    private static let growth = 16

    static func verdict(_ bytes: UnsafeRawBufferPointer) -> Verdict {
        let isCompressed = bytes.count > 2 && bytes[0] == 0x1F && bytes[1] == 0x8B && bytes[2] == 8
        var limit = firstByteCount
        while true {
            let text = isCompressed ? inflatedStart(bytes, limit: limit) : [UInt8](bytes.prefix(limit))
            var scanner = Scanner(text: asciiText(text))
            let verdict = scanner.findRoot()
            guard verdict == .needsMoreData else { return verdict }
            // All there is has been seen.
            guard text.count == limit else { return .needsMoreData }
            guard limit < maximumByteCount else { return .differs }
            limit = min(limit * growth, maximumByteCount)
        }
    }

    /// UTF-16 becomes one byte a character (others than ASCII as `?`); a byte order mark goes.
    private static func asciiText(_ bytes: [UInt8]) -> [UInt8] {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return Array(bytes.dropFirst(3)) }
        let isLittle = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0x3C, 0x00])
        let isBig = bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0x00, 0x3C])
        guard isLittle || isBig else { return bytes }
        let hasMark = bytes[0] == 0xFF || bytes[0] == 0xFE
        return stride(from: hasMark ? 2 : 0, to: bytes.count - 1, by: 2).map { index in
            let low = bytes[isLittle ? index : index + 1]
            let high = bytes[isLittle ? index + 1 : index]
            return high == 0 ? low : UInt8(ascii: "?")
        }
    }

    /// The first bytes of what gzip data holds; fewer than `limit` if that is all, or all that is whole.
    static func inflatedStart(_ bytes: UnsafeRawBufferPointer, limit: Int) -> [UInt8] {
        guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return [] }
        var stream = z_stream()
        // 31: a window of 15 bits, in a gzip wrapper.
        guard inflateInit2_(&stream, 31, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return [] }
        defer { inflateEnd(&stream) }
        stream.next_in = UnsafeMutablePointer(mutating: base)
        stream.avail_in = UInt32(min(bytes.count, 2 * maximumByteCount))
        return [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            stream.next_out = buffer.baseAddress
            stream.avail_out = UInt32(limit)
            _ = inflate(&stream, Z_SYNC_FLUSH)
            count = limit - Int(stream.avail_out)
        }
    }

    /// Steps over what may stand before the root element: white space, `<?…?>`, comments, a document type.
    private struct Scanner {
        private let text: [UInt8]
        private var position = 0

        init(text: [UInt8]) { self.text = text }

        mutating func findRoot() -> Verdict {
            while true {
                skipWhitespace()
                guard position < text.count else { return .needsMoreData }
                guard text[position] == UInt8(ascii: "<") else { return .differs }
                if starts(with: "<?") {
                    guard skip(past: "?>") else { return .needsMoreData }
                } else if starts(with: "<!--") {
                    position += 4
                    guard skip(past: "-->") else { return .needsMoreData }
                } else if starts(with: "<!DOCTYPE html") || starts(with: "<!doctype html") {
                    // A page, even if it begins with a drawing.
                    return .differs
                } else if starts(with: "<!DOCTYPE") {
                    guard skipDocumentType() else {
                        // A drawing that says so need not be seen.
                        return starts(with: "<!DOCTYPE svg") ? .matches : .needsMoreData
                    }
                } else if text.count - position < 9, starts(with: "<!") || text.count - position == 1 {
                    return .needsMoreData
                } else {
                    return root()
                }
            }
        }

        /// `<svg` or `<prefix:svg`, and then an end of the name.
        private func root() -> Verdict {
            let name = text[(position + 1)...].prefix { byte in
                byte > 0x20 && byte != UInt8(ascii: ">") && byte != UInt8(ascii: "/")
            }
            // No prefix of a name is longer.
            guard position + 1 + name.count < text.count else { return name.count < 256 ? .needsMoreData : .differs }
            let isRoot =
                name.elementsEqual("svg".utf8) || (name.count > 4 && name.suffix(4).elementsEqual(":svg".utf8))
            return isRoot ? .matches : .differs
        }

        private mutating func skipWhitespace() {
            while position < text.count, [0x20, 0x0A, 0x0D, 0x09].contains(text[position]) { position += 1 }
        }

        private func starts(with prefix: String) -> Bool { text[position...].starts(with: prefix.utf8) }

        private mutating func skip(past end: String) -> Bool {
            let last = end.utf8.count - 1
            let bytes = Array(end.utf8)
            while position + last < text.count {
                if text[position] == bytes[0], starts(with: end) {
                    position += bytes.count
                    return true
                }
                position += 1
            }
            return false
        }

        /// A document type ends at the first `>` outside its brackets, quotes, comments and instructions.
        private mutating func skipDocumentType() -> Bool {
            let start = position
            var depth = 0
            position += 9
            while position < text.count {
                switch text[position] {
                case UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "]"): depth -= 1
                case UInt8(ascii: "\""), UInt8(ascii: "'"):
                    let quote = text[position]
                    repeat { position += 1 } while position < text.count && text[position] != quote
                case UInt8(ascii: "<") where starts(with: "<!--"):
                    position += 4
                    guard skip(past: "-->") else {
                        position = start
                        return false
                    }
                    continue
                case UInt8(ascii: "<") where starts(with: "<?"):
                    guard skip(past: "?>") else {
                        position = start
                        return false
                    }
                    continue
                case UInt8(ascii: ">") where depth <= 0:
                    position += 1
                    return true
                default: break
                }
                position += 1
            }
            position = start
            return false
        }
    }
}
