import Foundation

/// Bytes that prove what they are: key, version and length make up every byte.
enum CheckedPayload {
    static func make(_ key: String, version: UInt32, count: Int) -> Data {
        var data = Data(capacity: max(16, count))
        withUnsafeBytes(of: version.littleEndian) { data.append(contentsOf: $0) }
        withUnsafeBytes(of: UInt32(max(16, count)).littleEndian) { data.append(contentsOf: $0) }
        var state = seed(key, version)
        while data.count + 8 <= max(16, count) {
            withUnsafeBytes(of: next(&state).littleEndian) { data.append(contentsOf: $0) }
        }
        while data.count < max(16, count) { data.append(UInt8(truncatingIfNeeded: next(&state))) }
        return data
    }

    static func isRight(_ data: Data, for key: String) -> Bool {
        guard data.count >= 16 else { return false }
        let bytes = [UInt8](data.prefix(8))
        let version = bytes[0..<4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let count = bytes[4..<8].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return Int(count) == data.count && make(key, version: version, count: data.count) == data
    }

    private static func seed(_ key: String, _ version: UInt32) -> UInt64 {
        key.utf8.reduce(UInt64(version) &+ 0x9E37_79B9) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    private static func next(_ state: inout UInt64) -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state &* 0x2545_F491_4F6C_DD1D
    }
}
