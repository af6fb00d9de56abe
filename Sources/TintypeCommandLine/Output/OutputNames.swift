import Tintype
import TintypeBase

/// Chooses the names of files that are made from URLs: a URL cannot lead out of the folder, hide a file, or take the
/// name of another.
struct OutputNames {
    /// The styles of `--names`.
    enum Style: String, CaseIterable, Sendable {
        /// The last part of the URL's path.
        case url
        /// 40 hexadecimal digits of the URL's SHA-256.
        case hash
        /// The position in the list, from 1, with as many digits as the last one.
        case index
    }

    /// Names in use, in lower case: `A.png` and `a.png` are one file to some file systems.
    private var taken: Set<String> = []
    private var stems: [String: String] = [:]
    private let style: Style
    private let digitCount: Int
    private var count = 0

    /// - Parameter total: how many names will be needed.
    init(style: Style = .url, total: Int = 1) {
        self.style = style
        digitCount = String(total).count
    }

    /// Returns the name without extension for the next URL of the list. The same URL gets the same name; another one
    /// that would get it too gets a number.
    mutating func stem(for url: String) -> String {
        count += 1
        if let stem = stems[url] { return stem }
        let wanted: String
        switch style {
        case .url: wanted = OutputNames.stem(of: url)
        case .hash: wanted = FileOrigin.digest(url)
        case .index:
            let digits = String(count)
            wanted = String(repeating: "0", count: max(0, digitCount - digits.count)) + digits
        }
        let stem = free(wanted)
        stems[url] = stem
        return stem
    }

    /// Returns another name that is not in use, where the first one turned out to be taken.
    mutating func another(for stem: String) -> String { free(stem) }

    private mutating func free(_ wanted: String) -> String {
        var stem = wanted
        var number = 2
        while !taken.insert(stem.lowercased()).inserted {
            stem = "\(wanted)-\(number)"
            number += 1
        }
        return stem
    }

    /// Returns a safe name from the last part of the path.
    static func stem(of url: String) -> String {
        switch InputSource.scheme(of: url) {
        case "data": return "data"
        case "http", "https", "file": break
        default: return safe(url.split(separator: "/").last.map(String.init) ?? "", or: "image")
        }
        let rest = url[url.index(after: url.firstIndex(of: ":") ?? url.startIndex)...].drop { $0 == "/" }
            .prefix { $0 != "?" && $0 != "#" }
        let parts = rest.split(separator: "/")
        let host = parts.first.map { $0.split(separator: "@").last ?? $0 } ?? ""
        let last = parts.count > 1 ? parts[parts.count - 1] : ""
        return safe(percentDecoded(last), or: safe(String(host), or: "image", keepsExtension: true))
    }

    /// Decodes percent escapes. Invalid escapes stay as they are, and invalid UTF-8 becomes U+FFFD.
    private static func percentDecoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == 0x25, digits.count == 2, digits.allSatisfy(\.isHexDigit), let value = UInt8(digits, radix: 16) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Only extensions that name an image format go, however often they stand there: `v1.2` and `logo.min` keep theirs.
    private static func withoutExtension(_ name: String) -> String {
        guard let format = Conversion.format(forPath: name), let dot = name.lastIndex(of: ".") else { return name }
        let stem = String(name[..<dot])
        return Conversion.format(forPath: stem) == format ? withoutExtension(stem) : stem
    }

    /// One path component that is visible, printable, and leaves room for a number and an extension in 255 bytes.
    private static func safe(_ name: String, or fallback: String, keepsExtension: Bool = false) -> String {
        var text = ""
        for scalar in name.unicodeScalars {
            let category = scalar.properties.generalCategory
            let isControl =
                category == .control || category == .format || category == .lineSeparator
                || category == .paragraphSeparator || scalar == "\u{FFFD}"
            let isRisky = isControl || "/\\:*?\"<>|".unicodeScalars.contains(scalar)
            let piece = isRisky ? "_" : String(scalar)
            guard text.utf8.count + piece.utf8.count <= 160 else { break }
            text += piece
        }
        // Blanks and dots at the end would hide the extension, and "a.png " became "a.png.png".
        text = withoutEnd(text)
        if !keepsExtension { text = withoutEnd(withoutExtension(text)) }
        text = String(text.drop { $0 == "." || $0 == " " || $0 == "-" || $0 == "~" })
        if text.isEmpty || text.allSatisfy({ $0 == "_" }) { return fallback }
        return isDevice(text) ? text + "_" : text
    }

    private static func withoutEnd(_ name: String) -> String {
        var text = name[...]
        while let last = text.last, last == " " || last == "." { text.removeLast() }
        return String(text)
    }

    /// Windows takes these for devices, with any extension and in any case; the folder may be shared with it.
    private static func isDevice(_ name: String) -> Bool {
        let base = name.prefix { $0 != "." }.lowercased()
        if ["con", "prn", "aux", "nul"].contains(base) { return true }
        return base.utf8.count == 4 && (base.hasPrefix("com") || base.hasPrefix("lpt"))
            && ("1"..."9").contains(base.suffix(1))
    }
}
