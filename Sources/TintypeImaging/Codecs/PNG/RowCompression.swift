import CDeflate
import TintypeBase

/// Compresses filtered rows to a zlib stream (RFC 1950) through libdeflate.
struct RowCompression {
    /// The compression levels of libdeflate, 12 being the smallest, for the efforts 0…9.
    private static let levels: [Int32] = [0, 1, 2, 3, 4, 5, 6, 8, 10, 12]

    private let level: Int32

    /// - Parameter effort: 0…9; other values are clamped, nil is 6.
    init(effort: Int?) { level = Self.levels[min(max(effort ?? 6, 0), 9)] }

    func zlibStream(of rows: UnsafeMutableRawBufferPointer) throws -> Data {
        guard let compressor = libdeflate_alloc_compressor(level) else {
            throw ImagingError.outOfMemory(byteCount: nil)
        }
        defer { libdeflate_free_compressor(compressor) }
        let bound = libdeflate_zlib_compress_bound(compressor, rows.count)
        let output = try ImageMemory.allocate(byteCount: bound)
        let count = libdeflate_zlib_compress(compressor, rows.baseAddress, rows.count, output.baseAddress, bound)
        guard count > 0, let stream = realloc(output.baseAddress, count) else {
            free(output.baseAddress)
            throw ImagingError.notEncodable("libdeflate could not compress")
        }
        return Data(bytesNoCopy: stream, count: count, deallocator: .free)
    }
}
