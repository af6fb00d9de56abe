import TintypeBase

/// A server's request for a credential (RFC 9110 §11.3).
public struct AuthenticationChallenge: Sendable, Hashable {
    /// The requested URL, after redirects.
    public let url: String
    /// The header fields of the 401, with `WWW-Authenticate` as the server sent it.
    public let headers: HeaderFields
    /// The credential that was refused; nil if none was sent.
    public let refused: HTTPCredential?
    /// The number of earlier challenges of this transfer.
    public let previousCount: Int

    /// The part of the site that needs the credential, to be shown to the user; nil if the server does not name it.
    public var realm: String? { parameters.first { $0.name == "realm" }?.value }

    /// The schemes that the server offers in lower case, such as "basic", "digest", "ntlm" and "bearer".
    public var schemes: [String] {
        var result: [String] = []
        for field in headers.fields where asciiLowercased(field.name) == "www-authenticate" {
            // A word without an equals sign, alone or before its first parameter.
            for element in Self.withoutQuotedText(field.value).split(separator: ",") {
                let words = element.split(whereSeparator: { $0 == " " || $0 == "\t" })
                guard let first = words.first, first.utf8.allSatisfy(isTokenByte) else { continue }
                if words.count > 1, words[1].hasPrefix("=") { continue }
                let name = asciiLowercased(first)
                if !result.contains(name) { result.append(name) }
            }
        }
        return result
    }

    private static func withoutQuotedText(_ text: String) -> String {
        var (result, isQuoted, isEscaped) = ("", false, false)
        for character in text {
            if isEscaped {
                isEscaped = false
            } else if character == "\\", isQuoted {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            } else if !isQuoted {
                result.append(character)
            }
        }
        return result
    }

    private var parameters: [(name: String, value: String?)] {
        var result: [(name: String, value: String?)] = []
        for field in headers.fields where asciiLowercased(field.name) == "www-authenticate" {
            // Only a blank separates the name of the scheme from its first parameter.
            let text = trimmedBlanks(field.value[...])
            let scheme = text.prefix { $0 != " " && $0 != "\t" }
            for element in HeaderParameters(String(text.dropFirst(scheme.count))) { result.append(element) }
            for element in HeaderParameters(text) { result.append(element) }
        }
        return result
    }
}
