#if SVG
    /// Numbers as SVG writes them, with or without something between them.
    struct SVGNumberReader {
        private let bytes: [UInt8]
        private var position = 0

        init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

        private var byte: UInt8 { position < bytes.count ? bytes[position] : 0 }

        private mutating func skipSeparators() {
            while position < bytes.count, bytes[position] <= 0x20 || bytes[position] == UInt8(ascii: ",") {
                position += 1
            }
        }

        /// A command, if one comes next.
        mutating func letter() -> UInt8? {
            skipSeparators()
            guard (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 32) else { return nil }
            defer { position += 1 }
            return byte
        }

        /// 0 or 1, which need nothing behind them.
        mutating func flag() -> Bool? {
            skipSeparators()
            guard byte == UInt8(ascii: "0") || byte == UInt8(ascii: "1") else { return nil }
            defer { position += 1 }
            return byte == UInt8(ascii: "1")
        }

        mutating func number() -> Double? {
            skipSeparators()
            let isNegative = byte == UInt8(ascii: "-")
            if isNegative || byte == UInt8(ascii: "+") { position += 1 }
            var (value, scale, digitCount) = (0.0, 1.0, 0)
            var isFraction = false
            while true {
                if byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
                    value = value * 10 + Double(byte - UInt8(ascii: "0"))
                    if isFraction { scale *= 10 }
                    digitCount += 1
                } else if byte == UInt8(ascii: "."), !isFraction {
                    isFraction = true
                } else {
                    break
                }
                position += 1
            }
            guard digitCount > 0 else { return nil }
            value /= scale
            if byte | 32 == UInt8(ascii: "e"), let power = exponent() { value *= Self.powerOfTen(power) }
            return isNegative ? -value : value
        }

        /// `e` may begin a unit instead, `em` or `ex`.
        private mutating func exponent() -> Int? {
            let start = position
            position += 1
            let isNegative = byte == UInt8(ascii: "-")
            if isNegative || byte == UInt8(ascii: "+") { position += 1 }
            var (value, digitCount) = (0, 0)
            while byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
                value = min(value * 10 + Int(byte - UInt8(ascii: "0")), 999)
                digitCount += 1
                position += 1
            }
            guard digitCount > 0 else {
                position = start
                return nil
            }
            return isNegative ? -value : value
        }

        private static func powerOfTen(_ power: Int) -> Double {
            var result = 1.0
            for _ in 0..<min(abs(power), 320) { result *= 10 }
            return power < 0 ? 1 / result : result
        }

        var isAtEnd: Bool {
            mutating get {
                skipSeparators()
                return position >= bytes.count
            }
        }

        /// Steps over what is no number, such as a unit; false at the end.
        mutating func skipWord() -> Bool {
            skipSeparators()
            guard position < bytes.count else { return false }
            while position < bytes.count, bytes[position] > 0x20, bytes[position] != UInt8(ascii: ",") { position += 1 }
            return true
        }
    }
#endif
