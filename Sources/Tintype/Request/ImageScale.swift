/// Pixels per point, as Apple's file names say it: `cat@2x.png`.
enum ImageScale {
    /// From `@2x` or `@3x` (also `%402x`) before the extension in the last part of a URL or path; 1 without.
    static func inName(of source: ImageSource) -> Double {
        switch source {
        case .url(let text), .file(let text): inName(text)
        case .data, .image: 1
        }
    }

    static func inName(_ text: String) -> Double {
        // A `data:` URL can be megabytes long, and names nothing.
        if text.utf8.count > 5, text.utf8.prefix(5).elementsEqual("data:".utf8) { return 1 }
        var path = text.utf8[...]
        if let end = path.firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) {
            path = path[..<end]
        }
        if let slash = path.lastIndex(of: UInt8(ascii: "/")) { path = path[path.index(after: slash)...] }
        guard let dot = path.lastIndex(of: UInt8(ascii: ".")), dot != path.startIndex else { return 1 }
        let stem = path[..<dot]
        for (suffix, scale) in [("@2x", 2.0), ("@3x", 3), ("%402x", 2), ("%403x", 3)]
        where stem.count > suffix.utf8.count && stem.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) {
            return scale
        }
        return 1
    }
}
