import TintypeBase

extension WebURL {
    /// Reads a URL that is written just as it goes to the server, which most are; nil for every other text, valid or not.
    ///
    /// Each component is then a slice of the text: no byte needs encoding, lower case or a look at dot segments. A memory
    /// hit costs less than the general way of reading a URL, so this one goes over the bytes once.
    init?(plain text: String) {
        let parts = text.utf8.withContiguousStorageIfAvailable { bytes in PlainParts(bytes) }
        guard let parts = parts ?? nil else { return nil }
        self.init(
            scheme: parts.scheme, host: parts.host, port: parts.port, path: parts.path, query: parts.query)
    }
}

private struct PlainParts {
    let scheme: WebURL.Scheme
    let host: String
    let port: UInt16?
    let path: String
    let query: String?

    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        var position = 0
        func take(_ text: StaticString) -> Bool {
            let count = text.utf8CodeUnitCount
            guard bytes.count - position >= count else { return false }
            for index in 0..<count where bytes[position + index] != text.utf8Start[index] { return false }
            position += count
            return true
        }
        if take("https://") { scheme = .https } else if take("http://") { scheme = .http } else { return nil }
        guard let hostEnd = Self.endOfHost(bytes, from: position) else { return nil }
        host = String(decoding: bytes[position..<hostEnd], as: UTF8.self)
        position = hostEnd
        var port: UInt32?
        if position < bytes.count, bytes[position] == 58 {
            position += 1
            var value: UInt32 = 0
            let start = position
            while position < bytes.count, isDigit(bytes[position]), position - start < 5 {
                value = value * 10 + UInt32(bytes[position] - 48)
                position += 1
            }
            guard position > start, bytes[start] != 48, value <= 65535 else { return nil }
            port = value
        }
        self.port = port.map(UInt16.init(truncatingIfNeeded:))
        guard position < bytes.count, bytes[position] == 47 else { return nil }
        let pathStart = position
        var before: UInt8 = 0
        while position < bytes.count, bytes[position] != 63 {
            let byte = bytes[position]
            // A dot behind a slash may be a dot segment.
            guard PercentCoding.isPathByte(byte), !(byte == 46 && before == 47) else { return nil }
            before = byte
            position += 1
        }
        path = String(decoding: bytes[pathStart..<position], as: UTF8.self)
        guard position < bytes.count else {
            query = nil
            return
        }
        let queryStart = position + 1
        for index in queryStart..<bytes.count where !PercentCoding.isQueryByte(bytes[index]) { return nil }
        query = String(decoding: bytes[queryStart...], as: UTF8.self)
    }

    /// Where a host ends that is a name in lower case, or an IPv4 address in its usual form.
    private static func endOfHost(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        var position = start
        var labelStart = start
        var numbers = 0
        var labels = 0
        while true {
            let byte = position < bytes.count ? bytes[position] : 0
            if byte &- 97 < 26 || isDigit(byte) || byte == 45 || byte == 95 {
                position += 1
                continue
            }
            let count = position - labelStart
            guard count > 0, count <= 63 else { return nil }
            labels += 1
            if isDecimalByte(bytes[labelStart..<position]) { numbers += 1 }
            guard byte == 46 else { break }
            position += 1
            labelStart = position
        }
        guard position - start <= 253 else { return nil }
        // A name whose last label begins like a number may be an address in another notation.
        if isDigit(bytes[labelStart]) { return labels == 4 && numbers == 4 ? position : nil }
        return position
    }

    /// 0 to 255 without a leading zero.
    private static func isDecimalByte(_ label: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        guard label.count <= 3, label.allSatisfy(isDigit), let first = label.first, label.count == 1 || first != 48
        else { return false }
        return label.reduce(0) { $0 * 10 + Int($1 - 48) } <= 255
    }
}
