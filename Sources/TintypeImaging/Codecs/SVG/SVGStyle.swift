#if SVG
    /// What a style sheet or an attribute says that matters here: references to elements, and layers.
    struct SVGStyle {
        /// Elements of the same document, by name.
        var references: [String] = []
        /// Drawn once for each corner of a path.
        var markers: [String] = []
        /// Nanoseconds for each pixel of the surface on which the element is drawn first; 0 if it has none of its own.
        var layerCost = 0.0
        /// The same for filters that are written as functions, such as `blur(2px)`.
        var functionCost = 0.0
        var traits = SVGTraits()

        /// Whether there is anything to remember.
        var matters: Bool {
            layerCost > 0 || functionCost > 0 || !references.isEmpty || !markers.isEmpty
        }

        /// - Parameter text: one attribute's value, or declarations.
        mutating func read(_ text: [UInt8], property: String) {
            let isMarker = property.hasPrefix("marker")
            for name in Self.references(in: text) {
                if isMarker { markers.append(name) } else { references.append(name) }
            }
            switch property {
            case "filter", "mask", "mix-blend-mode", "isolation":
                guard !["none", "normal", "auto"].contains(Self.trimmed(text)) else { break }
                let cost =
                    switch property {
                    case "filter": 5.0
                    case "mask": 12.0
                    case "mix-blend-mode": 20.0
                    default: 2.0
                    }
                layerCost = max(layerCost, cost)
                if property == "filter" {
                    functionCost += 120 * Double(text.count { $0 == UInt8(ascii: "(") })
                }
            case "opacity":
                if !["1", "1.0", "100%"].contains(Self.trimmed(text)) { layerCost = max(layerCost, 2) }
            case "stroke-dasharray": traits.addDashes(text)
            case "stroke-width": traits.addStroke(width: text)
            default: break
            }
        }

        /// - Parameter text: `property: value; …`.
        mutating func readDeclarations(_ text: some Collection<UInt8>) {
            for declaration in text.split(separator: UInt8(ascii: ";")) {
                guard let colon = declaration.firstIndex(of: UInt8(ascii: ":")) else { continue }
                let value = Array(declaration[declaration.index(after: colon)...])
                read(value, property: Self.trimmed(declaration[..<colon]).lowercased())
            }
        }

        private static func trimmed(_ text: some Collection<UInt8>) -> String {
            String(decoding: text.filter { $0 > 0x20 }, as: UTF8.self)
        }

        /// The names in `url(#…)`.
        private static func references(in text: [UInt8]) -> [String] {
            var names: [String] = []
            var index = 0
            while index + 4 < text.count {
                defer { index += 1 }
                guard text[index + 3] == UInt8(ascii: "("), text[index] | 32 == UInt8(ascii: "u"),
                    text[index + 1] | 32 == UInt8(ascii: "r"), text[index + 2] | 32 == UInt8(ascii: "l")
                else { continue }
                let rest = text[(index + 4)...].drop {
                    $0 <= 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'")
                }
                guard rest.first == UInt8(ascii: "#") else { continue }
                let name = rest.dropFirst().prefix {
                    $0 > 0x20 && $0 != UInt8(ascii: ")") && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "'")
                }
                names.append(String(decoding: name, as: UTF8.self))
            }
            return names
        }

        /// Takes `data:` out of CSS, so that no second document can be in it: style sheets in style sheets, or drawings
        /// in `url()`. (librsvg opens no other addresses.) Escapes and blanks that hide the word do not help it.
        static func withoutData(_ text: [UInt8]) -> [UInt8] {
            guard hides(text) else { return text }
            var result = text
            if !text.contains(UInt8(ascii: "\\")) {
                let word = Array("data:".utf8)
                for start in result.indices.dropLast(word.count - 1)
                where (0..<4).allSatisfy({ result[start + $0] | 32 == word[$0] }) && result[start + 4] == word[4] {
                    result[start] = UInt8(ascii: "x")
                }
            }
            return hides(result) ? [] : result
        }

        /// Whether `data:` is in it once escapes (CSS Syntax, §4.3.7) and the blanks that URLs lose are gone.
        private static func hides(_ text: [UInt8]) -> Bool {
            let word = Array("data:".utf8)
            var matched = 0
            var index = 0
            while index < text.count {
                var byte = text[index]
                index += 1
                if byte == UInt8(ascii: "\\"), index < text.count {
                    let digits = text[index...].prefix(6).prefix { isHexDigit($0) }
                    if digits.isEmpty {
                        byte = text[index]
                        index += 1
                    } else {
                        let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16) ?? 0
                        byte = value < 128 ? UInt8(value) : 255
                        index = digits.endIndex
                        if index < text.count, text[index] <= 0x20 { index += 1 }
                    }
                }
                if byte <= 0x1F { continue }
                // Only the first letter begins the word, so no look back is needed.
                if byte == word[matched] || (matched < 4 && byte | 32 == word[matched]) {
                    matched += 1
                    if matched == word.count { return true }
                } else {
                    matched = byte | 32 == word[0] ? 1 : 0
                }
            }
            return false
        }

        private static func isHexDigit(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 32)
        }
    }

    /// The rules of style sheets, as far as they matter here.
    struct SVGRules {
        /// Parts of selectors (`.class`, `#id`, `name`, `*`) and what their rules say.
        private(set) var styles: [String: SVGStyle] = [:]
        /// Selectors, by how long they are.
        private(set) var selectorWeight = 0.0
        /// Those that are answered by going through an element's siblings.
        private(set) var structuralCount = 0.0
        /// Of all rules, whether they fit an element or not.
        private(set) var sheetTraits = SVGTraits()

        mutating func read(_ sheet: [UInt8]) {
            let text = Self.withoutComments(sheet)
            var rest = text[...]
            while let open = rest.firstIndex(of: UInt8(ascii: "{")) {
                var selector = rest[..<open]
                // Behind an @import, or inside an @media block.
                if let end = selector.lastIndex(where: { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "}") }) {
                    selector = selector[(end + 1)...]
                }
                selectorWeight +=
                    Double(selector.split(separator: UInt8(ascii: ",")).count) + Double(selector.count) / 8
                structuralCount += Self.structuralCount(selector)
                rest = rest[(open + 1)...]
                let close = rest.firstIndex { $0 == UInt8(ascii: "}") || $0 == UInt8(ascii: "{") } ?? rest.endIndex
                guard close == rest.endIndex || rest[close] == UInt8(ascii: "}") else { continue }
                var style = SVGStyle()
                style.readDeclarations(rest[..<close])
                rest = rest[close...]
                sheetTraits.add(style.traits)
                guard style.matters else { continue }
                // Escaped names are compared with nothing, so that every element is meant.
                let parts = selector.contains(UInt8(ascii: "\\")) ? ["*"] : Self.lastParts(of: selector)
                for part in parts { styles[part, default: SVGStyle()].add(style) }
            }
        }

        /// One name from the end of each selector: every element that the rule fits has it.
        private static func lastParts(of selectors: ArraySlice<UInt8>) -> [String] {
            String(decoding: selectors, as: UTF8.self).split(separator: ",").map { selector in
                let last = selector.split(whereSeparator: { " >+~\t\n\r".contains($0) }).last ?? "*"
                var part = ""
                for character in last {
                    if "[:".contains(character) || (".#".contains(character) && !part.isEmpty) { break }
                    part.append(character)
                }
                return part.isEmpty ? "*" : part
            }
        }

        /// `:nth-child` and its kin, `:first-of-type` and its kin, and `~`.
        private static func structuralCount(_ selector: some Collection<UInt8>) -> Double {
            let text = String(decoding: selector, as: UTF8.self).lowercased()
            // Escapes may hide the word.
            return Double(
                text.split(separator: ":").dropFirst().count {
                    $0.hasPrefix("nth") || $0.contains("of-type") || $0.contains("\\")
                }
                    + text.count { $0 == "~" })
        }

        private static func withoutComments(_ sheet: [UInt8]) -> [UInt8] {
            var result: [UInt8] = []
            var index = 0
            while index < sheet.count {
                guard sheet[index] == UInt8(ascii: "/"), index + 1 < sheet.count, sheet[index + 1] == UInt8(ascii: "*")
                else {
                    result.append(sheet[index])
                    index += 1
                    continue
                }
                index += 2
                while index + 1 < sheet.count,
                    !(sheet[index] == UInt8(ascii: "*") && sheet[index + 1] == UInt8(ascii: "/"))
                {
                    index += 1
                }
                index += 2
            }
            return result
        }
    }

    extension SVGStyle {
        mutating func add(_ other: SVGStyle) {
            references += other.references
            markers += other.markers
            layerCost = max(layerCost, other.layerCost)
            functionCost += other.functionCost
            traits.add(other.traits)
        }
    }
#endif
