import CDeflate
import CRowDeflate
import TintypeBase

/// Compresses filtered rows to a zlib stream (RFC 1950): libdeflate where it must be quick, our own search for the
/// cheapest codes from effort 6 on.
struct RowCompression {
    private enum Method {
        case quick(level: Int32)
        case thorough(ways: UInt32)
    }

    private let method: Method

    /// - Parameter effort: 0…9; anything else is brought into that range, nil is 6.
    init(effort: Int?) {
        switch min(max(effort ?? 6, 0), 9) {
        case 6: method = .thorough(ways: 1)
        case 7: method = .thorough(ways: 2)
        case 8: method = .thorough(ways: 4)
        case 9: method = .thorough(ways: 8)
        case let effort: method = .quick(level: Int32(effort))
        }
    }

    func zlibStream(of rows: UnsafeMutableRawBufferPointer) throws -> Data {
        switch method {
        // libdeflate has no limit of size.
        case .thorough(let ways) where rows.count < 1 << 31: try thoroughStream(of: rows, ways: ways)
        case .thorough: try quickStream(of: rows, level: 6)
        case .quick(let level): try quickStream(of: rows, level: level)
        }
    }

    private func quickStream(of rows: UnsafeMutableRawBufferPointer, level: Int32) throws -> Data {
        guard let compressor = libdeflate_alloc_compressor(level) else {
            throw ImagingError.processorFailed("no memory for libdeflate")
        }
        defer { libdeflate_free_compressor(compressor) }
        let bound = libdeflate_zlib_compress_bound(compressor, rows.count)
        let output = PixelStorage(byteCount: bound)
        let count = libdeflate_zlib_compress(
            compressor, rows.baseAddress, rows.count, output.bytes.baseAddress, bound)
        guard count > 0 else { throw ImagingError.processorFailed("libdeflate could not compress") }
        return Data(output.bytes[..<count])
    }

    private func thoroughStream(of rows: UnsafeMutableRawBufferPointer, ways: UInt32) throws -> Data {
        let output = PixelStorage(byteCount: 2 + rd_deflate_bound(rows.count) + 4)
        guard let target = output.bytes.bindMemory(to: UInt8.self).baseAddress,
            let source = rows.bindMemory(to: UInt8.self).baseAddress
        else { throw ImagingError.processorFailed("there are no rows to compress") }
        let count = rd_deflate(source, rows.count, target + 2, ways)
        guard count > 0 else { throw ImagingError.processorFailed("no memory to compress rows") }
        // A window of 32 KiB, the slowest of four levels, no dictionary.
        (target[0], target[1]) = (0x78, 0xDA)
        let checksum = libdeflate_adler32(1, rows.baseAddress, rows.count).bigEndian
        UnsafeMutableRawPointer(target + 2 + count).storeBytes(of: checksum, as: UInt32.self)
        return Data(output.bytes[..<(2 + count + 4)])
    }
}
