#if SVG
    /// The entities that a document type defines (XML 1.0, §4). Those that name files are empty.
    struct SVGEntities {
        private var values: [String: [UInt8]] = [:]
        private var expansionCount = 0

        /// Real documents name their namespaces so, some dozen times.
        private static let maximumExpansionCount = 100_000
        /// Entities in entities in entities: no author writes more than two or three.
        static let maximumDepth = 16

        /// What stands for `&name;`; nil if nothing does.
        mutating func expand(_ name: some Sequence<UInt8>) throws -> [UInt8]? {
            expansionCount += 1
            guard expansionCount <= Self.maximumExpansionCount else {
                throw ImagingError.corrupt(.svg, "it uses entities more than \(Self.maximumExpansionCount) times")
            }
            return values[String(decoding: Array(name), as: UTF8.self)]
        }

        /// Reads a document type from behind `<!DOCTYPE`.
        /// - Returns: the position after its `>`.
        mutating func readDocumentType(_ text: UnsafeBufferPointer<UInt8>, from start: Int) throws -> Int {
            var scanner = SVGScanner(text: text, position: start)
            var isInside = false
            while let byte = scanner.peek {
                switch byte {
                case UInt8(ascii: "["):
                    isInside = true
                    scanner.position += 1
                case UInt8(ascii: "]"):
                    isInside = false
                    scanner.position += 1
                case UInt8(ascii: "\""), UInt8(ascii: "'"):
                    _ = try scanner.quoted()
                case UInt8(ascii: ">") where !isInside:
                    return scanner.position + 1
                case UInt8(ascii: "<") where isInside:
                    try readDeclaration(&scanner)
                default:
                    scanner.position += 1
                }
            }
            throw ImagingError.truncated(.svg)
        }

        private mutating func readDeclaration(_ scanner: inout SVGScanner) throws {
            if scanner.starts(with: "<!--") { return try scanner.skip(past: "-->") }
            if scanner.starts(with: "<?") { return try scanner.skip(past: "?>") }
            let isEntity = scanner.starts(with: "<!ENTITY")
            if isEntity {
                scanner.position += 8
                scanner.skipBlanks()
                // `%` defines what only document types may use.
                let isParameter = scanner.peek == UInt8(ascii: "%")
                let name = scanner.take { $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "'") }
                scanner.skipBlanks()
                if !isParameter, scanner.peek == UInt8(ascii: "\"") || scanner.peek == UInt8(ascii: "'") {
                    let value = try scanner.quoted()
                    let key = String(decoding: name, as: UTF8.self)
                    // The first definition counts.
                    if values[key] == nil { values[key] = Self.resolvingCharacters(in: value) }
                }
            }
            // To the end of the declaration, over what is quoted in it.
            while let byte = scanner.peek, byte != UInt8(ascii: ">") {
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                    _ = try scanner.quoted()
                } else {
                    scanner.position += 1
                }
            }
            scanner.position += 1
        }

        /// References to characters are resolved in definitions (§4.4), so that `&#60;` begins markup later.
        private static func resolvingCharacters(in value: Slice<UnsafeBufferPointer<UInt8>>) -> [UInt8] {
            var result: [UInt8] = []
            var rest = value
            while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
                result += rest[..<start]
                rest = rest[start...]
                guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else { break }
                if let character = character(rest[(start + 1)..<end]) {
                    result += character
                } else {
                    result += rest[start...end]
                }
                rest = rest[(end + 1)...]
            }
            return result + rest
        }

        /// The UTF-8 of `#38` or `#x26`; nil if that is no character. (In documents of other encodings the parser
        /// refuses what this gives for characters beyond ASCII, which is rare enough.)
        static func character(_ reference: some Collection<UInt8>) -> [UInt8]? {
            guard reference.first == UInt8(ascii: "#") else { return nil }
            let digits = String(decoding: Array(reference.dropFirst()), as: UTF8.self)
            let value = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            guard let value, value > 0, let scalar = Unicode.Scalar(value) else { return nil }
            return Array(String(Character(scalar)).utf8)
        }

        /// Those that need no definition (§4.6).
        static func predefined(_ name: some Collection<UInt8>) -> UInt8? {
            switch name.count {
            case 2 where name.elementsEqual("lt".utf8): UInt8(ascii: "<")
            case 2 where name.elementsEqual("gt".utf8): UInt8(ascii: ">")
            case 3 where name.elementsEqual("amp".utf8): UInt8(ascii: "&")
            case 4 where name.elementsEqual("quot".utf8): UInt8(ascii: "\"")
            case 4 where name.elementsEqual("apos".utf8): UInt8(ascii: "'")
            default: nil
            }
        }
    }

    /// A place in XML text.
    struct SVGScanner {
        let text: UnsafeBufferPointer<UInt8>
        var position: Int

        var peek: UInt8? { position < text.count ? text[position] : nil }

        func starts(with prefix: StaticString) -> Bool {
            let count = prefix.utf8CodeUnitCount
            guard position >= 0, text.count - position >= count else { return false }
            for index in 0..<count where text[position + index] != prefix.utf8Start[index] { return false }
            return true
        }

        mutating func skipBlanks() {
            while position < text.count, text[position] <= 0x20 { position += 1 }
        }

        mutating func take(while condition: (UInt8) -> Bool) -> Slice<UnsafeBufferPointer<UInt8>> {
            let start = position
            while position < text.count, condition(text[position]) { position += 1 }
            return text[start..<position]
        }

        /// What stands between two quotes; the position is behind the second one.
        mutating func quoted() throws -> Slice<UnsafeBufferPointer<UInt8>> {
            let quote = text[position]
            position += 1
            let value = take { $0 != quote }
            guard position < text.count else { throw ImagingError.truncated(.svg) }
            position += 1
            return value
        }

        mutating func skip(past end: StaticString) throws {
            while position < text.count {
                if starts(with: end) {
                    position += end.utf8CodeUnitCount
                    return
                }
                position += 1
            }
            throw ImagingError.truncated(.svg)
        }
    }
#endif
