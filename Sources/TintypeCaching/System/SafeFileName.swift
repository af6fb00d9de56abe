/// One path component for any text, and no two texts with the same one.
enum SafeFileName {
    /// NAME_MAX is 255 bytes; some file systems (ecryptfs) allow 143.
    static let longest = 140

    static func encode(_ text: String) -> String {
        // "%" alone is not an escape, so nothing else is encoded like this.
        if text.isEmpty { return "%" }
        var name: [UInt8] = []
        for (index, byte) in text.utf8.enumerated() {
            let isPlain =
                (byte >= 48 && byte <= 57) || (byte >= 65 && byte <= 90) || (byte >= 97 && byte <= 122) || byte == 45
                || byte == 95 || (byte == 46 && index > 0)
            if isPlain { name.append(byte) } else { name += escape(byte) }
        }
        if name.count <= longest { return String(decoding: name, as: UTF8.self) }
        // "~" is always escaped above, so a shortened name is no other text's full one.
        // Without a digest the name stays too long: an error of the file system is better than a collision.
        guard let digest = KeyDigest("SHA256")?.name(for: text)?.hexadecimal else {
            return String(decoding: name, as: UTF8.self)
        }
        var extensionBytes: [UInt8] = []
        if let dot = name.lastIndex(of: UInt8(ascii: ".")), name.count - dot <= 11 {
            extensionBytes = Array(name[dot...])
        }
        return String(decoding: name.prefix(longest - 41 - extensionBytes.count), as: UTF8.self) + "~" + digest
            + String(decoding: extensionBytes, as: UTF8.self)
    }

    private static func escape(_ byte: UInt8) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
}
