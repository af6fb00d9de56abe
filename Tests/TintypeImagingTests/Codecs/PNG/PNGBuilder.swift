import Foundation

/// Builds PNG files chunk by chunk, with right checksums and an uncompressed zlib stream.
struct PNGBuilder {
    var data = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])

    /// - Parameter damagesChecksum: writes a wrong CRC.
    mutating func chunk(_ type: String, _ contents: [UInt8] = [], damagesChecksum: Bool = false) {
        let body = Array(type.utf8) + contents
        data.append(contentsOf: Self.big32(contents.count) + body)
        data.append(contentsOf: Self.big32(Int(Self.crc(body)) ^ (damagesChecksum ? 1 : 0)))
    }

    mutating func header(_ width: Int, _ height: Int, colorType: Int, depth: Int = 8, isInterlaced: Bool = false) {
        chunk(
            "IHDR",
            Self.big32(width) + Self.big32(height) + [UInt8(depth), UInt8(colorType), 0, 0, isInterlaced ? 1 : 0])
    }

    mutating func end() { chunk("IEND") }

    static func big32(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - $0 * 8)) } }

    static func big16(_ value: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
    }

    /// A zlib stream of stored blocks.
    static func zlib(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = [0x78, 0x01]
        var offset = 0
        repeat {
            let count = min(65_535, bytes.count - offset)
            let isLast = offset + count == bytes.count
            result += [
                isLast ? 1 : 0, UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8 & 255),
            ]
            result += bytes[offset..<offset + count]
            offset += count
        } while offset < bytes.count
        var (a, b) = (1, 0)
        for byte in bytes {
            a = (a + Int(byte)) % 65_521
            b = (b + a) % 65_521
        }
        return result + big32(b << 16 | a)
    }

    static func crc(_ bytes: [UInt8]) -> UInt32 {
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }
}

/// An image of PNG samples, and how it is laid out in rows.
struct PNGSamples {
    var width: Int
    var height: Int
    var colorType: Int
    var depth: Int
    /// Value of a channel at a place, 0 ..< 2^depth.
    var sample: (_ x: Int, _ y: Int, _ channel: Int) -> Int

    var channels: Int { [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][colorType] ?? 1 }

    /// Rows with filter byte 0, in the order of the file.
    func rows(isInterlaced: Bool) -> [UInt8] {
        let passes =
            isInterlaced
            ? [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
            : [(0, 0, 1, 1)]
        var result: [UInt8] = []
        for (x0, y0, xStep, yStep) in passes {
            let columns = Array(stride(from: x0, to: width, by: xStep))
            guard !columns.isEmpty else { continue }
            for y in stride(from: y0, to: height, by: yStep) { result += [0] + row(y, columns) }
        }
        return result
    }

    private func row(_ y: Int, _ columns: [Int]) -> [UInt8] {
        var bits: [Int] = []
        for x in columns {
            for channel in 0..<channels {
                let value = sample(x, y, channel)
                for bit in stride(from: depth - 1, through: 0, by: -1) { bits.append(value >> bit & 1) }
            }
        }
        while bits.count % 8 != 0 { bits.append(0) }
        return stride(from: 0, to: bits.count, by: 8).map { start in
            UInt8(bits[start..<start + 8].reduce(0) { $0 << 1 | $1 })
        }
    }

    /// - Parameters:
    ///   - before: further chunks between the header and the pixels.
    ///   - pieces: how many IDAT chunks.
    func file(isInterlaced: Bool = false, pieces: Int = 1, before: (inout PNGBuilder) -> Void = { _ in }) -> Data {
        var builder = PNGBuilder()
        builder.header(width, height, colorType: colorType, depth: depth, isInterlaced: isInterlaced)
        before(&builder)
        let stream = PNGBuilder.zlib(rows(isInterlaced: isInterlaced))
        let length = (stream.count + pieces - 1) / pieces
        for start in stride(from: 0, to: stream.count, by: length) {
            builder.chunk("IDAT", Array(stream[start..<min(start + length, stream.count)]))
        }
        builder.end()
        return builder.data
    }
}
