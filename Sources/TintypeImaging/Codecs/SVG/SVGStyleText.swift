#if SVG
    /// The text of style sheets and of attributes that hold CSS.
    enum SVGStyleText {
        /// Removes `data:` from CSS, so that no second document can be in it: style sheets in style sheets, or drawings in
        /// `url()`. (librsvg opens no other addresses.) Finds the word behind escapes and blanks too.
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

        /// Returns whether the text holds `data:` without its escapes (CSS Syntax, §4.3.7) and the blanks that URLs lose.
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
#endif
