import TintypeBase

/// Escapes untrusted text for a terminal.
///
/// File names, URLs, headers and metadata may hold control characters, which a terminal obeys, and marks that reorder
/// the text around them. They are shown as `\u{1B}`, and bytes that are not UTF-8 as `\xFF`.
enum TerminalText {
    /// Returns one line without control characters, line feeds included.
    static func line(_ text: String) -> String { escaped(text, keepingLines: false) }

    /// Returns lines without control characters, for text of the tool with line feeds.
    static func lines(_ text: String) -> String { escaped(text, keepingLines: true) }

    private static func escaped(_ text: String, keepingLines: Bool) -> String {
        func isKept(_ scalar: Unicode.Scalar) -> Bool {
            (scalar == "\n" && keepingLines) || (!isHarmful(scalar) && PathText.byte(scalar) == nil)
        }
        guard !text.unicodeScalars.allSatisfy(isKept) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isKept(scalar) {
                result.unicodeScalars.append(scalar)
            } else if let byte = PathText.byte(scalar) {
                result += byteEscape(byte)
            } else {
                result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
            }
        }
        return result
    }

    /// Returns `\xFF`.
    static func byteEscape(_ byte: UInt8) -> String { "\\x" + String(byte, radix: 16, uppercase: true) }

    /// Returns whether a terminal or a log viewer may take the character for something other than text: C0, DEL and C1
    /// controls, marks and isolates of the bidirectional algorithm (UAX #9), line and paragraph separators.
    static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0x9F, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}
