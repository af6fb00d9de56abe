import CZlib

/// Recognises SVG: XML whose root element is `svg`, as UTF-8 or UTF-16, plain or compressed with gzip.
enum SVGSignature {
    private static let limit = ImageFormat.sniffByteCount

    static func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if bytes.count > 2, bytes[0] == 0x1F, bytes[1] == 0x8B, bytes[2] == 8 {
            return startsWithRoot(inflatedStart(bytes))
        }
        return startsWithRoot([UInt8](bytes.prefix(limit)))
    }

    private static func startsWithRoot(_ bytes: [UInt8]) -> Bool {
        var scanner = Scanner(text: asciiText(bytes))
        return scanner.findsRoot()
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

    private static func inflatedStart(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return [] }
        var stream = z_stream()
        // 31: a window of 15 bits, in a gzip wrapper.
        guard inflateInit2_(&stream, 31, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return [] }
        defer { inflateEnd(&stream) }
        stream.next_in = UnsafeMutablePointer(mutating: base)
        stream.avail_in = UInt32(min(bytes.count, 1 << 16))
        return [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            stream.next_out = buffer.baseAddress
            stream.avail_out = UInt32(limit)
            _ = inflate(&stream, Z_SYNC_FLUSH)
            count = limit - Int(stream.avail_out)
        }
    }

    /// Steps over what may stand before the root element: white space, `<?…?>`, comments, a document type.
    private struct Scanner {
        let text: [UInt8]
        var position = 0

        init(text: [UInt8]) { self.text = text }

        mutating func findsRoot() -> Bool {
            while true {
                skipWhitespace()
                guard position < text.count, text[position] == UInt8(ascii: "<") else { return false }
                if starts(with: "<?") {
                    guard skip(past: "?>") else { return false }
                } else if starts(with: "<!--") {
                    guard skip(past: "-->") else { return false }
                } else if starts(with: "<!DOCTYPE svg") {
                    // Its internal subset may be longer than what is looked at.
                    return true
                } else if starts(with: "<!DOCTYPE html") || starts(with: "<!doctype html") {
                    // A page, even if it begins with a drawing.
                    return false
                } else if starts(with: "<!DOCTYPE") {
                    guard skipDocumentType() else { return false }
                } else {
                    return isRoot()
                }
            }
        }

        /// `<svg` or `<prefix:svg`, and then an end of the name.
        private mutating func isRoot() -> Bool {
            let name = text[(position + 1)...].prefix { byte in
                byte > 0x20 && byte != UInt8(ascii: ">") && byte != UInt8(ascii: "/")
            }
            guard position + 1 + name.count < text.count else { return false }
            return name.elementsEqual("svg".utf8)
                || (name.count > 4 && name.suffix(4).elementsEqual(":svg".utf8))
        }

        private mutating func skipWhitespace() {
            while position < text.count, text[position] <= 0x20 { position += 1 }
        }

        private func starts(with prefix: String) -> Bool { text[position...].starts(with: prefix.utf8) }

        private mutating func skip(past end: String) -> Bool {
            while position < text.count {
                if starts(with: end) {
                    position += end.utf8.count
                    return true
                }
                position += 1
            }
            return false
        }

        /// A document type ends at the first `>` outside its brackets.
        private mutating func skipDocumentType() -> Bool {
            var depth = 0
            while position < text.count {
                switch text[position] {
                case UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "]"): depth -= 1
                case UInt8(ascii: ">") where depth <= 0:
                    position += 1
                    return true
                default: break
                }
                position += 1
            }
            return false
        }
    }
}
