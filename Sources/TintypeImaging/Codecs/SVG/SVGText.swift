#if SVG
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// The characters of an XML document as bytes in which markup is ASCII, and the name of what encodes the rest.
    struct SVGText {
        var bytes: [UInt8]
        /// Nil for UTF-8.
        var encoding: String?

        /// - Parameter data: the document, not compressed.
        /// - Throws: `corrupt` for data that is not XML, `unsupportedFormat` for encodings in which bytes below 128 may be
        ///   parts of other characters: they are not in use, and markup could hide in them.
        init(_ data: Data) throws {
            var raw = [UInt8](data)
            if raw.starts(with: [0xEF, 0xBB, 0xBF]) { raw.removeFirst(3) }
            if raw.starts(with: [0xFF, 0xFE]) || raw.starts(with: [0x3C, 0]) {
                raw = Self.utf8(raw, low: 0)
            } else if raw.starts(with: [0xFE, 0xFF]) || raw.starts(with: [0, 0x3C]) {
                raw = Self.utf8(raw, low: 1)
            } else if let name = Self.declaredEncoding(raw) {
                guard Self.isASCIIBased(name) else {
                    throw ImagingError.unsupportedFormat("an SVG in the encoding \(name.prefix(40))")
                }
                if !["utf-8", "utf8", "us-ascii", "ascii"].contains(name.lowercased()) { encoding = name }
            }
            guard raw.first(where: { $0 > 0x20 }) == UInt8(ascii: "<") else {
                throw ImagingError.corrupt(.svg, "it does not begin with markup")
            }
            bytes = raw
        }

        /// - Parameter low: where the low byte of a unit stands, 0 or 1.
        private static func utf8(_ raw: [UInt8], low: Int) -> [UInt8] {
            var units = [UInt16](repeating: 0, count: raw.count / 2)
            for index in units.indices {
                units[index] = UInt16(raw[index * 2 + low]) | UInt16(raw[index * 2 + 1 - low]) << 8
            }
            if units.first == 0xFEFF { units.removeFirst() }
            return Array(String(decoding: units, as: UTF16.self).utf8)
        }

        /// The declaration must be the very first thing (XML 1.0, §2.8).
        private static func declaredEncoding(_ raw: [UInt8]) -> String? {
            guard raw.starts(with: Array("<?xml".utf8)) else { return nil }
            let declaration = String(decoding: raw.prefix(400).prefix { $0 != UInt8(ascii: ">") }, as: UTF8.self)
            guard let name = declaration.ranges(of: "encoding").first else { return nil }
            let quoted = declaration[name.upperBound...].drop { $0 != "\"" && $0 != "'" }
            guard let quote = quoted.first else { return nil }
            return String(quoted.dropFirst().prefix { $0 != quote })
        }

        private static func isASCIIBased(_ name: String) -> Bool {
            let name = name.lowercased()
            let families = [
                "utf-8", "utf8", "us-ascii", "ascii", "iso-8859-", "iso8859-", "iso_8859-", "latin", "windows-125",
                "cp125", "koi8-", "shift_jis", "shift-jis", "sjis", "euc-", "gbk", "gb2312", "gb18030", "big5",
                "windows-874", "tis-620", "macintosh",
            ]
            return name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") }
                && families.contains { name.hasPrefix($0) }
        }
    }
#endif
