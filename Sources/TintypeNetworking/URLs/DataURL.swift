import TintypeBase

/// A `data:` URL (RFC 2397), read as in the fetch standard, and more leniently.
///
/// Parameters and a missing type or subtype are accepted. Base64 may be percent-encoded, URL-safe, unpadded and have
/// blanks.
package struct DataURL: Hashable, Sendable {
    /// The type with its parameters; `text/plain;charset=US-ASCII` if it is missing.
    package let mediaType: String
    package let isBase64: Bool
    private let payload: String
    private let hasComma: Bool

    /// - Throws: ``NetworkingError/invalidURL(url:reason:)`` when the text is no `data:` URL or has no comma.
    package init(_ text: String) throws(NetworkingError) {
        let cleaned = WebURL.cleaned(text)
        guard let (scheme, rest) = WebURL.splitScheme(cleaned), asciiLowercased(scheme) == "data" else {
            throw .invalidURL(url: shortened(text), reason: "it is not a data: URL")
        }
        self.init(rest: String(rest))
        if !hasComma { throw .invalidURL(url: shortened(text), reason: "a data: URL needs a comma before its data") }
    }

    init(rest: String) {
        let comma = rest.utf8.firstIndex(of: 44)
        var header = String(rest[..<(comma ?? rest.endIndex)])
        hasComma = comma != nil
        let body = comma.map { rest[rest.utf8.index(after: $0)...] } ?? ""
        // A fragment is not part of the data; in base64 a "#" cannot stand for anything else either.
        payload = String(body[..<(body.utf8.firstIndex(of: 35) ?? body.endIndex)])
        header = String(decoding: PercentCoding.decodedBytes(header), as: UTF8.self)
        var parts = header.split(separator: ";", omittingEmptySubsequences: false).map { trimmedBlanks($0) }
        // "base64" may be any of the parameters, in any case.
        let marks = parts.indices.dropFirst().filter { asciiEqualIgnoringCase(parts[$0], "base64") }
        isBase64 = !marks.isEmpty
        for index in marks.reversed() { parts.remove(at: index) }
        if let type = parts.first, type.isEmpty {
            mediaType =
                parts.count > 1
                ? "text/plain;" + parts.dropFirst().joined(separator: ";") : "text/plain;charset=US-ASCII"
        } else {
            mediaType = parts.joined(separator: ";")
        }
    }

    /// Returns the bytes and their type.
    ///
    /// - Throws: ``NetworkingError/corrupt(_:)`` for base64 that is none, ``NetworkingError/emptyBody`` without data,
    ///   ``NetworkingError/invalidURL(url:reason:)`` for text that is no `data:` URL.
    package static func decode(_ text: String) throws(NetworkingError) -> (mediaType: String, data: Data) {
        let url = try DataURL(text)
        return (url.mediaType, try url.data())
    }

    /// Returns the bytes.
    ///
    /// - Throws: ``NetworkingError/corrupt(_:)`` for base64 that is none, ``NetworkingError/emptyBody`` without data.
    package func data() throws(NetworkingError) -> Data {
        guard hasComma else {
            throw .invalidURL(url: description, reason: "a data: URL needs a comma before its data")
        }
        let bytes =
            isBase64 ? try Base64.decode(PercentCoding.decodedBytes(payload)) : PercentCoding.decodedBytes(payload)
        guard !bytes.isEmpty else { throw .emptyBody }
        return Data(bytes)
    }

    /// The whole URL. It is as long as its content; use ``description`` for messages.
    package var absoluteString: String {
        "data:" + mediaType + (isBase64 ? ";base64" : "") + "," + payload
    }
}

extension DataURL: CustomStringConvertible {
    /// Type and size instead of the content.
    package var description: String { "data:\(mediaType.prefix(60)),… (\(payload.utf8.count) bytes)" }
}

/// A decoder for the base64 of `data:` URLs.
enum Base64 {
    /// Decodes both alphabets, with blanks anywhere and optional padding.
    static func decode(_ text: [UInt8]) throws(NetworkingError) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count / 4 * 3 + 3)
        var bits: UInt32 = 0
        var symbols = 0
        var padding = 0
        for (index, byte) in text.enumerated() {
            let value: UInt8
            switch byte {
            case 65...90: value = byte - 65
            case 97...122: value = byte - 71
            case 48...57: value = byte + 4
            case 43, 45: value = 62
            case 47, 95: value = 63
            case 9, 10, 12, 13, 32: continue
            case 61:
                padding += 1
                continue
            default: throw .corrupt("byte \(index) of the base64 text is no base64 character")
            }
            guard padding == 0 else { throw .corrupt("base64 goes on after its padding, at byte \(index)") }
            bits = bits << 6 | UInt32(value)
            symbols += 1
            if symbols & 3 == 0 {
                result.append(UInt8(truncatingIfNeeded: bits >> 16))
                result.append(UInt8(truncatingIfNeeded: bits >> 8))
                result.append(UInt8(truncatingIfNeeded: bits))
            }
        }
        switch symbols & 3 {
        case 0:
            guard padding == 0 else { throw .corrupt("base64 padding where none belongs") }
        case 1: throw .corrupt("the base64 text ends in the middle of a byte")
        case 2:
            guard padding == 0 || padding == 2 else { throw .corrupt("the base64 padding is incomplete") }
            result.append(UInt8(truncatingIfNeeded: bits >> 4))
        default:
            guard padding <= 1 else { throw .corrupt("too much base64 padding") }
            result.append(UInt8(truncatingIfNeeded: bits >> 10))
            result.append(UInt8(truncatingIfNeeded: bits >> 2))
        }
        return result
    }
}
