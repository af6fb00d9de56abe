#if SVG
    /// One start tag as it is written anew.
    struct SVGTag {
        /// The name without its prefix.
        let localName: String
        /// `<name attribute="value"…`, not closed.
        private(set) var bytes: [UInt8]

        init(name: Slice<UnsafeBufferPointer<UInt8>>) {
            localName = String(decoding: Self.local(name), as: UTF8.self)
            bytes = [UInt8(ascii: "<")] + name
        }

        private static func local(_ name: Slice<UnsafeBufferPointer<UInt8>>) -> Slice<UnsafeBufferPointer<UInt8>> {
            name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
        }

        /// Returns whether nothing in a value can be a reference, an address or an escape.
        static func isHarmless(_ value: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
            value.allSatisfy { byte in
                byte != UInt8(ascii: "&") && byte != UInt8(ascii: ":") && byte != UInt8(ascii: "(")
                    && byte != UInt8(ascii: "\\")
            }
        }

        /// Returns whether an attribute names something that is loaded.
        static func isReference(_ name: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
            local(name).elementsEqual("href".utf8)
        }

        mutating func keep(_ name: Slice<UnsafeBufferPointer<UInt8>>, raw: Slice<UnsafeBufferPointer<UInt8>>) {
            // The quote that was around the value is not in it.
            let quote = raw.contains(UInt8(ascii: "\"")) ? UInt8(ascii: "'") : UInt8(ascii: "\"")
            bytes.append(UInt8(ascii: " "))
            bytes += name
            bytes += [UInt8(ascii: "="), quote]
            bytes += raw
            bytes.append(quote)
        }

        /// - Parameter value: references resolved.
        mutating func add(
            _ name: Slice<UnsafeBufferPointer<UInt8>>, value: [UInt8], images: SVGImages
        ) throws {
            // Declarations of namespaces are names, not addresses.
            if name.starts(with: "xmlns".utf8) { return write(name, value) }
            guard Self.isReference(name) else { return write(name, SVGStyleText.withoutData(value)) }
            if let kept = try link(value, images: images) { write(name, kept) }
        }

        /// Returns what to keep of a reference; `nil` for one that leads outside.
        private func link(_ value: [UInt8], images: SVGImages) throws -> [UInt8]? {
            let trimmed = Array(value.drop { $0 <= 0x20 })
            if trimmed.first == UInt8(ascii: "#") { return trimmed }
            guard localName == "image" || localName == "feImage" else { return nil }
            return try images.replacement(for: trimmed)
        }

        private mutating func write(_ name: Slice<UnsafeBufferPointer<UInt8>>, _ value: [UInt8]) {
            bytes.append(UInt8(ascii: " "))
            bytes += name
            bytes += Array("=\"".utf8)
            bytes += Self.escaped(value)
            bytes.append(UInt8(ascii: "\""))
        }

        /// Returns text that can stand in an element or in double quotes. Blanks other than spaces are escaped too, because
        /// a parser reads them as spaces.
        static func escaped(_ text: [UInt8]) -> [UInt8] {
            let special: (UInt8) -> StaticString? = { byte in
                switch byte {
                case UInt8(ascii: "&"): "&amp;"
                case UInt8(ascii: "<"): "&lt;"
                case UInt8(ascii: ">"): "&gt;"
                case UInt8(ascii: "\""): "&quot;"
                case 9: "&#9;"
                case 10: "&#10;"
                case 13: "&#13;"
                default: nil
                }
            }
            guard text.contains(where: { special($0) != nil }) else { return text }
            var result: [UInt8] = []
            result.reserveCapacity(text.count + text.count / 8)
            for byte in text {
                if let replacement = special(byte) {
                    result += UnsafeBufferPointer(start: replacement.utf8Start, count: replacement.utf8CodeUnitCount)
                } else {
                    result.append(byte)
                }
            }
            return result
        }
    }
#endif
