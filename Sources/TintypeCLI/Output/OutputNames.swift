import Tintype

/// Chooses the names of files that are made from URLs: nothing in a URL can leave the folder, hide a file, or take the
/// name of another.
struct OutputNames {
    /// Names in use, in lower case: `A.png` and `a.png` are one file to some file systems.
    private var taken: Set<String> = []
    private var stems: [String: String] = [:]

    /// The name without extension for a URL. The same URL gets the same name; another one that would get it too gets a
    /// number, in the order of the calls, so that a second run over the same list chooses the same names.
    mutating func stem(for url: String) -> String {
        if let stem = stems[url] { return stem }
        let wanted = OutputNames.stem(of: url)
        var stem = wanted
        var number = 2
        while !taken.insert(stem.lowercased()).inserted {
            stem = "\(wanted)-\(number)"
            number += 1
        }
        stems[url] = stem
        return stem
    }

    /// What the last part of the path suggests, made harmless.
    static func stem(of url: String) -> String {
        switch InputSource.scheme(of: url) {
        case "data": return "data"
        case "http", "https", "file": break
        default: return safe(withoutExtension(url.split(separator: "/").last.map(String.init) ?? ""), or: "image")
        }
        let rest = url[url.index(after: url.firstIndex(of: ":") ?? url.startIndex)...].drop { $0 == "/" }
            .prefix { $0 != "?" && $0 != "#" }
        let parts = rest.split(separator: "/")
        let host = parts.first.map { $0.split(separator: "@").last ?? $0 } ?? ""
        let last = parts.count > 1 ? parts[parts.count - 1] : ""
        let decoded = String(decoding: InputSource.unescaped(last.utf8), as: UTF8.self)
        return safe(withoutExtension(decoded), or: safe(String(host), or: "image"))
    }

    /// Only extensions that name an image format go: `v1.2` and `logo.min` keep theirs.
    private static func withoutExtension(_ name: String) -> String {
        guard Conversion.format(forPath: name) != nil, let dot = name.lastIndex(of: ".") else { return name }
        return String(name[..<dot])
    }

    /// One path component that is visible, printable, and leaves room for a number and an extension in 255 bytes.
    private static func safe(_ name: String, or fallback: String) -> String {
        var result = ""
        for scalar in name.unicodeScalars {
            let category = scalar.properties.generalCategory
            let isControl =
                category == .control || category == .format || category == .lineSeparator
                || category == .paragraphSeparator || scalar == "\u{FFFD}"
            let isRisky = isControl || "/\\:*?\"<>|".unicodeScalars.contains(scalar)
            let piece = isRisky ? "_" : String(scalar)
            guard result.utf8.count + piece.utf8.count <= 160 else { break }
            result += piece
        }
        let trimmed = result.drop { $0 == "." || $0 == " " || $0 == "-" || $0 == "~" }
        var text = String(trimmed)
        while let last = text.last, last == " " || last == "." { text.removeLast() }
        if text.isEmpty || text.allSatisfy({ $0 == "_" }) { return fallback }
        return isDevice(text) ? text + "_" : text
    }

    /// Windows takes these for devices, with any extension and in any case; the folder may be shared with it.
    private static func isDevice(_ name: String) -> Bool {
        let base = name.prefix { $0 != "." }.lowercased()
        if ["con", "prn", "aux", "nul"].contains(base) { return true }
        return base.utf8.count == 4 && (base.hasPrefix("com") || base.hasPrefix("lpt"))
            && ("1"..."9").contains(base.suffix(1))
    }
}
