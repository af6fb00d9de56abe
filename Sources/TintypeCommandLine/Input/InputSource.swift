import TintypeBase

/// The source of an image, determined by its spelling.
enum InputSource: Equatable, Sendable {
    case standardInput
    case path(String)
    case data(String)
    case remote(String)

    /// A word with `://` behind letters is a URL; `data:` and `file:` are, too; anything else is a path.
    init(_ word: String) throws(Problem) {
        let word = InputSource.trimmed(word)
        guard !word.isEmpty else {
            throw Problem("invalidURL", "the source is empty; name a file, a URL, or - for standard input")
        }
        if word == "-" {
            self = .standardInput
            return
        }
        let scheme = InputSource.scheme(of: word)
        switch scheme {
        case "http", "https": self = .remote(word)
        case "data": self = .data(word)
        case "file": self = .path(try InputSource.path(ofFileURL: word))
        case let scheme? where word.dropFirst(scheme.count).hasPrefix("://"):
            throw Problem(
                "unsupportedScheme", "the scheme '\(scheme)' is not supported; use http, https, file or data",
                source: word)
        default: self = .path(word)
        }
    }

    /// Whether a word names a local file.
    static func isLocal(_ word: String) -> Bool {
        let scheme = scheme(of: word)
        return word != "-" && (scheme == nil || scheme == "file")
    }

    /// Lower case; nil if the word does not start like a URL (RFC 3986, section 3.1).
    static func scheme(of word: String) -> String? {
        guard let colon = word.firstIndex(of: ":") else { return nil }
        let scheme = word[..<colon]
        guard let first = scheme.utf8.first, isLetter(first) else { return nil }
        let rest = scheme.utf8.dropFirst()
        guard rest.allSatisfy({ isLetter($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0) }) else {
            return nil
        }
        return scheme.lowercased()
    }

    /// A URL without the blanks and control characters around it, as the URL standard (WHATWG,
    /// section 4.4) removes them. A path keeps them, because they may be part of a file name.
    static func trimmed(_ word: String) -> String {
        let bare = bare(word)
        guard scheme(of: bare) != nil else { return bare.isEmpty ? "" : word }
        return percentEncodingBytes(bare)
    }

    /// Percent-encodes bytes that are not UTF-8.
    private static func percentEncodingBytes(_ url: String) -> String {
        guard url.unicodeScalars.contains(where: { PathText.byte($0) != nil }) else { return url }
        return url.unicodeScalars.reduce(into: "") { text, scalar in
            if let byte = PathText.byte(scalar) {
                text += "%" + String(byte, radix: 16, uppercase: true)
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }

    private static func bare(_ word: String) -> String {
        guard let first = word.unicodeScalars.first, let last = word.unicodeScalars.last,
            first.value <= 0x20 || last.value <= 0x20
        else { return word }
        var scalars = word.unicodeScalars[...]
        while let first = scalars.first, first.value <= 0x20 { scalars.removeFirst() }
        while let last = scalars.last, last.value <= 0x20 { scalars.removeLast() }
        return String(scalars)
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte & 0xDF) }

    /// `file:///a%20b`, `file://localhost/a` and `file:/a` (RFC 8089).
    static func path(ofFileURL word: String) throws(Problem) -> String {
        var rest = word.dropFirst("file:".count)
        if rest.hasPrefix("//") {
            rest = rest.dropFirst(2)
            let host = rest.prefix { $0 != "/" }
            guard host.isEmpty || host.lowercased() == "localhost" else {
                throw Problem("invalidURL", "a file URL names a file of this machine, not of '\(host)'", source: word)
            }
            rest = rest.dropFirst(host.count)
        }
        rest = rest.prefix { $0 != "?" && $0 != "#" }
        guard rest.hasPrefix("/") else {
            throw Problem("invalidURL", "a file URL needs an absolute path: file:///path/to/image", source: word)
        }
        let bytes = unescaped(rest.utf8)
        guard !bytes.contains(0) else { throw Problem("invalidURL", "its path holds a zero byte", source: word) }
        return PathText.text(bytes)
    }

    /// `%20` and the like as bytes; a percent sign without two digits behind it stands for itself.
    static func unescaped(_ text: some Collection<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == 0x25, digits.count == 2, digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }
}
