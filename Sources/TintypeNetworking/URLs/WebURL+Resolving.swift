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
