import TintypeBase

/// A server's wish to know who asks (RFC 9110 §11.3).
public struct AuthenticationChallenge: Sendable, Hashable {
    /// What was asked for; after redirects, where they led.
    public let url: String
    /// The header fields of the 401, with `WWW-Authenticate` as the server has it.
    public let headers: HeaderFields
    /// The credential that was refused; nil if none was sent.
    public let refused: HTTPCredential?
    /// How many challenges of this transfer came before this one.
    public let previousCount: Int

    /// The part of the site that the server wants a credential for, to be shown to a person; nil if it says none.
    public var realm: String? { parameters.first { $0.name == "realm" }?.value }

    /// The schemes that the server offers, lower case: "basic", "digest", "ntlm", "bearer", …
    public var schemes: [String] {
        var result: [String] = []
        for field in headers.fields where asciiLowercased(field.name) == "www-authenticate" {
            // A word that no equals sign follows, alone or in front of its first parameter.
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
            // The first parameter stands behind the name of the scheme, separated by nothing but a blank.
            let text = trimmedBlanks(field.value[...])
            let scheme = text.prefix { $0 != " " && $0 != "\t" }
            for element in HeaderParameters(String(text.dropFirst(scheme.count))) { result.append(element) }
            for element in HeaderParameters(text) { result.append(element) }
        }
        return result
    }
}
