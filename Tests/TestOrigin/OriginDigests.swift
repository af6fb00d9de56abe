import CCrypto
import Foundation

/// The hash functions that the authentication schemes need.
enum OriginDigests {
    static func md5(_ data: Data) -> Data { digest(data, EVP_md5()) }

    static func sha256(_ data: Data) -> Data { digest(data, EVP_sha256()) }

    private static func digest(_ data: Data, _ type: OpaquePointer?) -> Data {
        var output = [UInt8](repeating: 0, count: 64)
        var length: UInt32 = 0
        let isDone = data.withUnsafeBytes { EVP_Digest($0.baseAddress, $0.count, &output, &length, type, nil) }
        precondition(isDone == 1)
        return Data(output.prefix(Int(length)))
    }

    /// RFC 2104 over MD5.
    static func hmacMD5(key: Data, _ data: Data) -> Data {
        var block = key.count > 64 ? md5(key) : key
        block.append(Data(count: 64 - block.count))
        return md5(Data(block.map { $0 ^ 0x5C }) + md5(Data(block.map { $0 ^ 0x36 }) + data))
    }

    /// RFC 1320. libcrypto has it only in its legacy provider.
    static func md4(_ data: Data) -> Data {
        var message = data + [0x80]
        message.append(Data(count: (120 - message.count % 64) % 64))
        withUnsafeBytes(of: UInt64(data.count * 8).littleEndian) { message.append(contentsOf: $0) }
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]
        let shifts: [[UInt32]] = [[3, 7, 11, 19], [3, 5, 9, 13], [3, 9, 11, 15]]
        let order = [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15]
        for start in stride(from: 0, to: message.count, by: 64) {
            let words = (0..<16).map { index in
                (0..<4).reduce(UInt32(0)) { $0 | UInt32(message[start + index * 4 + $1]) << (8 * UInt32($1)) }
            }
            var (a, b, c, d) = (state[0], state[1], state[2], state[3])
            for step in 0..<48 {
                let mixed: UInt32
                let word: UInt32
                switch step / 16 {
                case 0: (mixed, word) = ((b & c) | (~b & d), words[step])
                case 1:
                    (mixed, word) = (((b & c) | (b & d) | (c & d)) &+ 0x5A82_7999, words[step % 4 * 4 + step % 16 / 4])
                default: (mixed, word) = ((b ^ c ^ d) &+ 0x6ED9_EBA1, words[order[step % 16]])
                }
                let sum = a &+ mixed &+ word
                let shift = shifts[step / 16][step % 4]
                (a, b, c, d) = (d, sum << shift | sum >> (32 - shift), b, c)
            }
            state = [state[0] &+ a, state[1] &+ b, state[2] &+ c, state[3] &+ d]
        }
        return Data(state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * UInt32($0))) } })
    }

    static func hex(_ data: Data) -> String { data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
