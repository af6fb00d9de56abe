/// Paths as text.
///
/// A path of Linux is a string of bytes. Bytes that are not UTF-8 are kept in the text as the private-use characters
/// U+10FF80 to U+10FFFF, one for each byte, and so are the bytes of those characters themselves: every path has exactly
/// one text, and comes back byte for byte.
package enum PathText {
    private static let escapes: ClosedRange<Unicode.Scalar> = "\u{10FF80}"..."\u{10FFFF}"

    /// Returns the text of a path.
    package static func text(_ bytes: some Collection<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self), !text.unicodeScalars.contains(where: escapes.contains) {
            return text
        }
        let bytes = Array(bytes)
        var scalars = String.UnicodeScalarView()
        var parser = Unicode.UTF8.ForwardParser()
        var input = bytes.makeIterator()
        var offset = 0
        func escape(_ count: Int) {
            scalars.append(
                contentsOf: bytes[offset..<offset + count].compactMap { Unicode.Scalar(0x10FF00 | UInt32($0)) })
            offset += count
        }
        while true {
            switch parser.parseScalar(from: &input) {
            case .valid(let encoded):
                let scalar = Unicode.UTF8.decode(encoded)
                if escapes.contains(scalar) {
                    escape(encoded.count)
                } else {
                    scalars.append(scalar)
                    offset += encoded.count
                }
            case .error(let count): escape(count)
            case .emptyInput: return String(scalars)
            }
        }
    }

    /// Returns the bytes of a path.
    package static func bytes(_ text: String) -> [UInt8] {
        guard text.unicodeScalars.contains(where: escapes.contains) else { return Array(text.utf8) }
        return text.unicodeScalars.flatMap { scalar in
            byte(scalar).map { [$0] } ?? Array(UTF8.encode(scalar).map(Array.init) ?? [])
        }
    }

    /// Returns the byte that a character stands for, or nil if it stands for itself.
    package static func byte(_ scalar: Unicode.Scalar) -> UInt8? {
        escapes.contains(scalar) ? UInt8(truncatingIfNeeded: scalar.value) : nil
    }

    /// Hands the path to a system call.
    package static func withPath<Result>(
        _ text: String, _ body: (UnsafePointer<CChar>) throws -> Result
    ) rethrows -> Result {
        guard text.unicodeScalars.contains(where: escapes.contains) else { return try text.withCString(body) }
        return try (bytes(text).map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return try "".withCString(body) }
            return try body(base)
        }
    }
}
