/// The orientation in an EXIF block: a TIFF header and its first directory (Exif 2.32, §4.6.2).
enum ExifOrientation {
    private static let tag = 0x0112
    private static let short = 3
    private static let long = 4
    /// Real first directories have about twenty entries, in any order.
    private static let maximumEntryCount = 1024

    /// Reads the orientation; `.up` if there is none, it is out of range, or the block is damaged.
    ///
    /// - Parameter bytes: from the TIFF header on; a leading `Exif\0\0` is skipped.
    static func read(_ bytes: UnsafeRawBufferPointer) -> ImageOrientation {
        var reader = ByteReader(bytes)
        if reader.matches("Exif\0", at: 0), let rest = reader.slice(6, max(0, bytes.count - 6)) {
            reader = ByteReader(rest)
        }
        if reader.matches("II", at: 0) {
            reader.isBigEndian = false
        } else if !reader.matches("MM", at: 0) {
            return .up
        }
        guard reader.uint16(2) == 42, let directory = reader.uint32(4), let count = reader.uint16(directory) else {
            return .up
        }
        for index in 0..<min(count, maximumEntryCount) {
            let entry = directory + 2 + index * 12
            guard let entryTag = reader.uint16(entry) else { return .up }
            guard entryTag == tag else { continue }
            let value =
                switch reader.uint16(entry + 2) {
                case short: reader.uint16(entry + 8)
                case long: reader.uint32(entry + 8)
                default: nil as Int?
                }
            return value.flatMap(ImageOrientation.init(rawValue:)) ?? .up
        }
        return .up
    }
}
