import TintypeBase

/// The parts of an ICC profile (ICC.1:2010, §7.2) that tell for which images it can be used, read without lcms.
struct ICCHeader {
    enum DataSpace { case gray, rgb, cmyk, other }

    let dataSpace: DataSpace
    /// False for device links, abstract and named-colour profiles, which are not for images.
    let describesSamples: Bool
    private let tags: [Int: (offset: Int, size: Int)]

    /// Returns nil if the bytes are no profile, or are truncated.
    init?(_ profile: Data) {
        let parsed = profile.withUnsafeBytes { bytes -> (Int, Int, [Int: (offset: Int, size: Int)])? in
            let reader = ByteReader(bytes)
            guard let size = reader.uint32(0), size >= 132, size <= reader.count, reader.matches("acsp", at: 36),
                let deviceClass = reader.uint32(12), let space = reader.uint32(16), let count = reader.uint32(128)
            else { return nil }
            var tags: [Int: (offset: Int, size: Int)] = [:]
            for index in 0..<min(count, 200) {
                let entry = 132 + index * 12
                guard let tag = reader.uint32(entry), let offset = reader.uint32(entry + 4),
                    let length = reader.uint32(entry + 8)
                else { break }
                tags[tag] = (offset, length)
            }
            return (deviceClass, space, tags)
        }
        guard let (deviceClass, space, tags) = parsed else { return nil }
        self.tags = tags
        switch space {
        case 0x5247_4220: dataSpace = .rgb
        case 0x4752_4159: dataSpace = .gray
        case 0x434D_594B: dataSpace = .cmyk
        default: dataSpace = .other
        }
        // scnr mntr prtr spac
        describesSamples = [0x7363_6E72, 0x6D6E_7472, 0x7072_7472, 0x7370_6163].contains(deviceClass)
    }

    /// Returns the name of a profile, or nil.
    static func describe(_ profile: Data) -> String? {
        guard let header = ICCHeader(profile), let tag = header.tags[0x6465_7363] else { return nil }
        return profile.withUnsafeBytes { bytes in
            let reader = ByteReader(bytes)
            guard let text = reader.slice(tag.offset, tag.size) else { return nil }
            let name = description(ByteReader(text))
            return name.isEmpty ? nil : name
        }
    }

    private static let maximumNameLength = 120

    /// Reads `desc` (version 2: counted ASCII) or `mluc` (version 4: UTF-16 in several languages, of which the first is
    /// used).
    private static func description(_ reader: ByteReader) -> String {
        if reader.matches("desc", at: 0), let count = reader.uint32(8),
            let ascii = reader.slice(12, min(count, maximumNameLength, max(0, reader.count - 12)))
        {
            return String(decoding: ascii.prefix { $0 != 0 }.filter { $0 >= 0x20 && $0 < 0x7F }, as: UTF8.self)
        }
        if reader.matches("mluc", at: 0), let length = reader.uint32(20), let offset = reader.uint32(24) {
            let units = (0..<min(length / 2, maximumNameLength)).compactMap { index in
                reader.uint16(offset + index * 2).map { UInt16($0) }
            }
            return String(decoding: units.filter { $0 >= 0x20 }, as: UTF16.self)
        }
        return ""
    }
}
