import TintypeBase

/// Where an entry lies: its name and, for `.sdWebImage`, the extension behind it.
struct EntryFile: Hashable, Sendable {
    var name: EntryName
    /// 40 for SHA-256, 32 for MD5.
    var digits: Int
    /// With its dot, or empty.
    var suffix: String

    func withFileName<Result>(_ body: (UnsafePointer<CChar>) throws -> Result) rethrows -> Result {
        if suffix.isEmpty { return try name.withHexadecimal(digits: digits, body) }
        return try (name.withHexadecimal(digits: digits) { String(cString: $0) } + suffix).withCString(body)
    }

    var fileName: String { withFileName { String(cString: $0) } }
}

/// From keys to files and back.
struct EntryNaming: Sendable {
    let scheme: DiskCache.Naming
    private let sha256: KeyDigest?
    private let md5: KeyDigest?

    init(_ scheme: DiskCache.Naming) {
        self.scheme = scheme
        sha256 = KeyDigest("SHA256")
        md5 = KeyDigest("MD5")
    }

    /// Where a key is stored. Nil when libcrypto lacks the digest.
    func file(for key: String) -> EntryFile? {
        switch scheme {
        case .sha256: sha256?.name(for: key).map { EntryFile(name: $0, digits: 40, suffix: "") }
        case .sdWebImage: sdWebImageFiles(for: key).first
        }
    }

    /// Every file that a read of the key accepts, in the order of trying; removing a key removes them all.
    func candidates(for key: String) -> [EntryFile] {
        switch scheme {
        case .sha256: file(for: key).map { [$0] } ?? []
        case .sdWebImage: sdWebImageFiles(for: key)
        }
    }

    /// What a read-only directory may hold for a key: our own files, then SDWebImage's.
    func readOnlyCandidates(for key: String) -> (own: EntryFile?, raw: [EntryFile]) {
        (
            sha256?.name(for: key).map { EntryFile(name: $0, digits: 40, suffix: "") },
            sdWebImageFiles(for: key)
        )
    }

    /// The file behind a name found in the folder; nil for names that this scheme does not write.
    func file(named name: some Collection<UInt8>) -> EntryFile? {
        switch scheme {
        case .sha256:
            return EntryName(hexadecimal: name, digits: 40).map { EntryFile(name: $0, digits: 40, suffix: "") }
        case .sdWebImage:
            guard var entry = EntryName(hexadecimal: name.prefix(32), digits: 32) else { return nil }
            let rest = name.dropFirst(32)
            guard rest.isEmpty || (rest.count > 1 && rest.first == UInt8(ascii: ".")) else { return nil }
            guard let suffix = String(validating: rest, as: UTF8.self) else { return nil }
            entry.low = Self.mark(suffix)
            return EntryFile(name: entry, digits: 32, suffix: suffix)
        }
    }

    private func sdWebImageFiles(for key: String) -> [EntryFile] {
        guard let name = md5?.name(for: key) else { return [] }
        var files: [EntryFile] = []
        // SDWebImage 3 took all that follows the last dot of the key, query included.
        for suffix in [Self.urlExtension(of: key), Self.suffix(key), ""] {
            var name = name
            name.low = Self.mark(suffix)
            let file = EntryFile(name: name, digits: 32, suffix: suffix)
            if !files.contains(file) { files.append(file) }
        }
        return files
    }

    /// Tells names with different extensions apart in the index.
    private static func mark(_ suffix: String) -> UInt32 {
        suffix.utf8.reduce(suffix.isEmpty ? 0 : 2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
    }

    /// SDWebImage 4 and 5: the extension of the path of the URL, percent-decoded.
    private static func urlExtension(of key: String) -> String {
        let withoutFragment = key.prefix { $0 != "#" }
        let path = withoutFragment.prefix { $0 != "?" }
        // A host name is no file name: "http://example.com" has no extension.
        if let authority = path.firstRange(of: "://"), !path[authority.upperBound...].contains("/") { return "" }
        return suffix(String(validating: PercentCoding.decodedBytes(path), as: UTF8.self) ?? String(path))
    }

    private static func suffix(_ path: String) -> String {
        let last = path.split(separator: "/", omittingEmptySubsequences: true).last ?? ""
        guard let dot = last.lastIndex(of: "."), dot != last.startIndex else { return "" }
        let text = last[last.index(after: dot)...]
        // NAME_MAX is 255; SDWebImage drops an extension that does not fit behind the digest.
        guard !text.isEmpty, text.utf8.count <= 222, !text.utf8.contains(0) else { return "" }
        return "." + text
    }
}
