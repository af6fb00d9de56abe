/// An encoder of GIF's variable-length-code LZW (GIF89a, appendix F).
final class LZWEncoder {
    /// The known strings: `prefix << 8 | byte` in an open hash table, which is never more than half full.
    private static let tableSize = 8192
    private var keys = [UInt32](repeating: .max, count: tableSize)
    private var codes = [UInt16](repeating: 0, count: tableSize)

    private var output: [UInt8] = []
    private var bits: UInt32 = 0
    private var bitCount: UInt32 = 0

    /// Returns the byte "minimum code size", the data blocks, and the block terminator.
    func encode(_ pixels: [UInt8], minimumCodeSize: Int) -> [UInt8] {
        output = []
        output.reserveCapacity(pixels.count / 2 + 64)
        (bits, bitCount) = (0, 0)
        let clear = 1 << UInt32(minimumCodeSize)
        var codeSize = UInt32(minimumCodeSize) + 1
        var next = clear + 2
        clearTable()
        emit(UInt32(clear), codeSize)
        if var prefix = pixels.first.map({ UInt32($0) }) {
            for byte in pixels.dropFirst() {
                let key = prefix &<< 8 | UInt32(byte)
                var slot = Int((key &* 2_654_435_761) &>> 19)
                while keys[slot] != key, keys[slot] != .max { slot = (slot &+ 1) & (Self.tableSize - 1) }
                if keys[slot] == key {
                    prefix = UInt32(codes[slot])
                    continue
                }
                emit(prefix, codeSize)
                prefix = UInt32(byte)
                guard next < 4096 else {
                    emit(UInt32(clear), codeSize)
                    clearTable()
                    codeSize = UInt32(minimumCodeSize) + 1
                    next = clear + 2
                    continue
                }
                keys[slot] = key
                codes[slot] = UInt16(next)
                // The decoder adds this string one code later.
                if next == 1 &<< codeSize, codeSize < 12 { codeSize += 1 }
                next += 1
            }
            emit(prefix, codeSize)
            if next == 1 &<< codeSize, codeSize < 12 { codeSize += 1 }
        }
        emit(UInt32(clear) + 1, codeSize)
        if bitCount > 0 { output.append(UInt8(truncatingIfNeeded: bits)) }
        return [UInt8(minimumCodeSize)] + Self.blocks(output)
    }

    private func clearTable() {
        keys.withUnsafeMutableBufferPointer { $0.update(repeating: .max) }
    }

    private func emit(_ code: UInt32, _ size: UInt32) {
        bits |= code &<< bitCount
        bitCount &+= size
        while bitCount >= 8 {
            output.append(UInt8(truncatingIfNeeded: bits))
            bits &>>= 8
            bitCount &-= 8
        }
    }

    private static func blocks(_ stream: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(stream.count + stream.count / 255 + 2)
        for start in stride(from: 0, to: stream.count, by: 255) {
            let end = min(start + 255, stream.count)
            result.append(UInt8(end - start))
            result += stream[start..<end]
        }
        result.append(0)
        return result
    }
}
