import TintypeBase

extension WebURL {
    /// Reads an absolute URL.
    ///
    /// - Throws: ``NetworkingError/invalidURL(url:reason:)``, or ``NetworkingError/unsupportedScheme(scheme:url:)``
    ///   when the scheme is neither http nor https.
    public init(_ text: String) throws(NetworkingError) {
        if let plain = WebURL(plain: text) {
            self = plain
            return
        }
        try self.init(general: text)
    }

    /// Reads every spelling.
    init(general text: String) throws(NetworkingError) {
        let cleaned = Self.cleaned(text)
        guard let (schemeText, rest) = Self.splitScheme(cleaned) else {
            throw .invalidURL(url: shortened(text), reason: cleaned.isEmpty ? "it is empty" : "the scheme is missing")
        }
        guard let scheme = Scheme(rawValue: asciiLowercased(schemeText)) else {
            throw .unsupportedScheme(scheme: asciiLowercased(schemeText), url: shortened(text))
        }
        // Browsers accept any number of slashes, and backslashes, after the colon; so the text cannot mean one host
        // to us and another to the next reader.
        let slashes = rest.utf8.prefix { $0 == 47 || $0 == 92 }
        let authorityAndRest = rest[slashes.endIndex...]
        try self.init(scheme: scheme, authorityAndRest: authorityAndRest, original: text)
    }

    init(scheme: Scheme, authorityAndRest: Substring, original: String) throws(NetworkingError) {
        // Bytes, not characters: a slash with a combining mark behind it is a slash to every server.
        let end =
            authorityAndRest.utf8.firstIndex { $0 == 47 || $0 == 92 || $0 == 63 || $0 == 35 }
            ?? authorityAndRest.endIndex
        let authority = authorityAndRest[..<end]
        var hostAndPort = authority
        var user: String?
        var password: String?
        if let at = authority.utf8.lastIndex(of: 64) {
            let userInformation = authority[..<at]
            let colon = userInformation.utf8.firstIndex(of: 58)
            user = String(
                decoding: PercentCoding.decodedBytes(userInformation[..<(colon ?? at)]), as: UTF8.self)
            if let colon {
                let text = userInformation[userInformation.utf8.index(after: colon)...]
                password = String(decoding: PercentCoding.decodedBytes(text), as: UTF8.self)
            }
            hostAndPort = authority[authority.utf8.index(after: at)...]
        }
        let (hostText, portText) = Self.splitPort(hostAndPort)
        let host: String
        let port: UInt16?
        do {
            host = try Self.normalizedHost(hostText)
            port = try Self.port(portText)
        } catch let problem {
            throw .invalidURL(url: shortened(original), reason: problem.reason)
        }
        let (path, query) = Self.splitTarget(authorityAndRest[end...])
        self.init(
            scheme: scheme, host: host, port: port, path: Self.normalizedPath(path),
            query: query.map { PercentCoding.encodingOnce($0, where: PercentCoding.isQueryByte) },
            user: user == "" && password == nil ? nil : user, password: password)
    }

    struct Problem: Error {
        let reason: String
    }

    /// The text without blanks and control characters at both ends, and without tabs and line breaks anywhere.
    static func cleaned(_ text: String) -> Substring {
        var result = Substring(text)
        if result.unicodeScalars.contains(where: { $0 == "\t" || $0 == "\n" || $0 == "\r" }) {
            var scalars = String.UnicodeScalarView()
            scalars.append(contentsOf: result.unicodeScalars.filter { $0 != "\t" && $0 != "\n" && $0 != "\r" })
            result = Substring(String(scalars))
        }
        while let first = result.unicodeScalars.first, first.value <= 32 { result.unicodeScalars.removeFirst() }
        while let last = result.unicodeScalars.last, last.value <= 32 { result.unicodeScalars.removeLast() }
        return result
    }

    /// Scheme (RFC 3986 §3.1) and what follows its colon; nil when the text starts with none.
    static func splitScheme(_ text: Substring) -> (scheme: Substring, rest: Substring)? {
        guard let colon = text.utf8.firstIndex(of: 58), colon > text.startIndex else { return nil }
        let scheme = text[..<colon]
        guard let first = scheme.utf8.first, asciiLowered(first) &- 97 < 26 else { return nil }
        let isScheme = scheme.utf8.allSatisfy {
            asciiLowered($0) &- 97 < 26 || isDigit($0) || $0 == 43 || $0 == 45 || $0 == 46
        }
        return isScheme ? (scheme, text[text.utf8.index(after: colon)...]) : nil
    }

    /// Path and query of what follows an authority; the fragment is dropped.
    static func splitTarget(_ text: Substring) -> (path: Substring, query: Substring?) {
        let withoutFragment = text[..<(text.utf8.firstIndex(of: 35) ?? text.endIndex)]
        guard let mark = withoutFragment.utf8.firstIndex(of: 63) else { return (withoutFragment, nil) }
        return (withoutFragment[..<mark], withoutFragment[withoutFragment.utf8.index(after: mark)...])
    }

    private static func splitPort(_ text: Substring) -> (host: Substring, port: Substring?) {
        if let bracket = text.utf8.lastIndex(of: 93) {
            let after = text[text.utf8.index(after: bracket)...]
            let isPort = after.utf8.first == 58
            return (
                text[..<text.utf8.index(after: bracket)],
                after.isEmpty ? nil : isPort ? after[after.utf8.index(after: after.startIndex)...] : after
            )
        }
        guard let colon = text.utf8.lastIndex(of: 58) else { return (text, nil) }
        return (text[..<colon], text[text.utf8.index(after: colon)...])
    }

    private static func port(_ text: Substring?) throws(Problem) -> UInt16? {
        guard let text, !text.isEmpty else { return nil }
        guard let value = digitsValue(text), 1...65535 ~= value else {
            throw Problem(reason: "\"\(text)\" is not a port")
        }
        return UInt16(value)
    }

    /// Encoded, with a slash at the start and without dot segments (RFC 3986 §5.2.4; `%2e` counts as a dot).
    static func normalizedPath(_ text: some StringProtocol) -> String {
        let encoded = PercentCoding.encodingOnce(text.replacingBackslashes, where: PercentCoding.isPathByte)
        guard encoded.utf8.contains(46) || encoded.contains("%2e") || encoded.contains("%2E") else {
            return encoded.utf8.first == 47 ? encoded : "/" + encoded
        }
        var segments = encoded.split(separator: "/", omittingEmptySubsequences: false)
        if encoded.hasPrefix("/") { segments.removeFirst() }
        var kept: [Substring] = []
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch dots(in: segment) {
            case 1: if isLast { kept.append("") }
            case 2:
                if !kept.isEmpty { kept.removeLast() }
                if isLast { kept.append("") }
            default: kept.append(segment)
            }
        }
        return "/" + kept.joined(separator: "/")
    }

    /// 1 for ".", 2 for "..", also when written with escapes; 0 for everything else.
    private static func dots(in segment: Substring) -> Int {
        guard segment.utf8.count <= 6 else { return 0 }
        switch asciiLowercased(segment) {
        case ".", "%2e": return 1
        case "..", ".%2e", "%2e.", "%2e%2e": return 2
        default: return 0
        }
    }
}

extension WebURL {
    /// The URL that a `Location` or a relative reference means here (RFC 3986 §5.2).
    ///
    /// - Throws: ``NetworkingError/invalidURL(url:reason:)`` or ``NetworkingError/unsupportedScheme(scheme:url:)``.
    public func resolving(_ reference: String) throws(NetworkingError) -> WebURL {
        let cleaned = Self.cleaned(reference)
        if let (scheme, rest) = Self.splitScheme(cleaned) {
            // "http:path" and "http:/path" are relative to a base of the same scheme (URL standard).
            guard asciiLowercased(scheme) == self.scheme.rawValue else { return try WebURL(reference) }
            return try resolving(relative: rest, original: reference)
        }
        return try resolving(relative: cleaned, original: reference)
    }

    private func resolving(relative: Substring, original: String) throws(NetworkingError) -> WebURL {
        let start = relative.utf8.prefix(2).map { $0 == 92 ? 47 : $0 }
        if start == [47, 47] {
            let slashes = relative.utf8.prefix { $0 == 47 || $0 == 92 }
            return try WebURL(
                scheme: scheme, authorityAndRest: relative[slashes.endIndex...], original: original)
        }
        let (pathText, queryText) = Self.splitTarget(relative)
        let newQuery = queryText.map { PercentCoding.encodingOnce($0, where: PercentCoding.isQueryByte) }
        let newPath: String
        if pathText.isEmpty {
            newPath = path
        } else if start.first == 47 {
            newPath = Self.normalizedPath(pathText)
        } else {
            let folder = path[...(path.utf8.lastIndex(of: 47) ?? path.startIndex)]
            newPath = Self.normalizedPath(folder + pathText)
        }
        return WebURL(
            scheme: scheme, host: host, port: port, path: newPath,
            query: pathText.isEmpty ? newQuery ?? query : newQuery, user: user, password: password)
    }
}

extension StringProtocol {
    /// Browsers read a backslash in the path of an http URL as a slash.
    fileprivate var replacingBackslashes: String {
        guard utf8.contains(92) else { return String(self) }
        return String(decoding: utf8.map { $0 == 92 ? 47 : $0 }, as: UTF8.self)
    }
}

/// A URL as it may stand in messages: long ones (`data:`) keep their first 80 characters.
func shortened(_ text: String) -> String {
    text.utf8.count <= 120 ? text : String(text.prefix(80)) + "… (\(text.utf8.count) bytes)"
}
