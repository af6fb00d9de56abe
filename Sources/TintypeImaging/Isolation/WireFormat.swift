import TintypeBase

/// A message that is being written: numbers in little-endian order, texts and lists with their length in front.
struct WireWriter {
    private(set) var bytes: [UInt8] = []

    mutating func write(_ value: Int) {
        withUnsafeBytes(of: Int64(value).littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func write(_ value: Int?) {
        write(value != nil)
        if let value { write(value) }
    }

    mutating func write(_ value: Bool) { bytes.append(value ? 1 : 0) }

    mutating func write(_ value: Double) { write(Int(bitPattern: UInt(value.bitPattern))) }

    mutating func write(_ text: String) {
        write(text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }
}

/// A message from another process that is being read. Every length is checked against the bytes that are there.
struct WireReader {
    /// The bytes do not follow the protocol.
    struct Violation: Error {
        let reason: String
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    private mutating func take(_ count: Int) throws -> ArraySlice<UInt8> {
        guard count >= 0, count <= rest.count else { throw Violation(reason: "a message ends early") }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func int() throws -> Int {
        var value: UInt64 = 0
        for byte in try take(8).reversed() { value = value << 8 | UInt64(byte) }
        return Int(Int64(bitPattern: value))
    }

    mutating func int(in range: ClosedRange<Int>) throws -> Int {
        let value = try int()
        guard range.contains(value) else { throw Violation(reason: "\(value) is out of range") }
        return value
    }

    mutating func optionalInt() throws -> Int? { try bool() ? int() : nil }

    mutating func bool() throws -> Bool {
        switch try take(1).first {
        case 0: return false
        case 1: return true
        default: throw Violation(reason: "a flag is neither 0 nor 1")
        }
    }

    mutating func double() throws -> Double { Double(bitPattern: UInt64(bitPattern: Int64(try int()))) }

    mutating func string() throws -> String {
        let bytes = try take(try int())
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Violation(reason: "a text is not UTF-8")
        }
        return text
    }

    /// The length of a list whose elements take at least `size` bytes each.
    mutating func count(elementSize size: Int) throws -> Int {
        let count = try int()
        guard count >= 0, count <= rest.count / size else {
            throw Violation(reason: "a list is longer than its message")
        }
        return count
    }

    mutating func value<Value: RawRepresentable>(_ type: Value.Type) throws -> Value where Value.RawValue == String {
        guard let value = Value(rawValue: try string()) else { throw Violation(reason: "an unknown name") }
        return value
    }
}
