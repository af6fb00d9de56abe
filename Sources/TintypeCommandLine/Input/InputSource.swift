import Tintype
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
        let bare = word[...].trimmingBlanks
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

    private static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte & 0xDF) }

    /// Returns the path of `file:///a%20b`, `file://localhost/a` or `file:/a` (RFC 8089).
    private static func path(ofFileURL word: String) throws(Problem) -> String {
        do throws(NetworkingError) {
            guard word.dropFirst("file:".count).hasPrefix("/"), case .file(let path) = try ResourceURL(word) else {
                throw .invalidURL(url: word, reason: "a file URL needs an absolute path: file:///path/to/image")
            }
            return path
        } catch {
            throw Problem(error, source: word)
        }
    }
}
