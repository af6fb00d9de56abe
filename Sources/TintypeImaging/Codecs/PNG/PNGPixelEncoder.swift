import CDeflate
import TintypeBase

/// Filters and compresses the pixels of a PNG or of a frame of an APNG.
enum PNGPixelEncoder {
    /// Returns a zlib stream of RGBA8, or of RGB8 if the bitmap is opaque and `keepsAlpha` is false.
    static func compress(_ bitmap: Bitmap, effort: Int?, keepsAlpha: Bool = false) throws -> Data {
        let hasAlpha = keepsAlpha || !bitmap.isOpaque
        let filtered = try filter(bitmap, hasAlpha: hasAlpha)
        return try RowCompression(effort: effort).zlibStream(of: filtered.bytes)
    }

    /// Filters each row with the filter whose result has the smallest sum of absolute values (PNG spec 12.7). The filter
    /// of the row above is preferred a little, because repetitions compress better than slightly smaller values.
    private static func filter(_ bitmap: Bitmap, hasAlpha: Bool) throws -> PixelStorage {
        let stride = hasAlpha ? 4 : 3
        let rowByteCount = bitmap.width * stride
        let result = try PixelStorage(byteCount: (rowByteCount + 1) * bitmap.height)
        let rows = try FilterRows(rowByteCount: rowByteCount)
        bitmap.withUnsafeBytes { source in
            guard let from = source.bindMemory(to: UInt8.self).baseAddress,
                let to = result.bytes.bindMemory(to: UInt8.self).baseAddress
            else { return }
            for row in 0..<bitmap.height {
                let pixels = from + row * bitmap.bytesPerRow
                if !hasAlpha {
                    pixelKernels.drop_alpha(rows.current, pixels, bitmap.width)
                } else if bitmap.isOpaque {
                    rows.current.update(from: pixels, count: rowByteCount)
                } else {
                    pixelKernels.unpremultiply(rows.current, pixels, bitmap.width)
                }
                rows.writeBest(to: to + row * (rowByteCount + 1), stride: UInt32(stride))
                rows.advance()
            }
        }
        return result
    }

    /// The current row, the one above, and the filtered candidates.
    private final class FilterRows {
        private let memory: KernelBuffer<UInt8>
        private let rowByteCount: Int
        private(set) var current: UnsafeMutablePointer<UInt8>
        private var previous: UnsafeMutablePointer<UInt8>
        private var best: UnsafeMutablePointer<UInt8>
        private var candidate: UnsafeMutablePointer<UInt8>
        private var lastFilter: UInt8?

        init(rowByteCount: Int) throws {
            self.rowByteCount = rowByteCount
            // Space in front for the pixel left of the first one, which counts as zero, and behind for whole vectors.
            let pitch = 32 + rowByteCount + 32
            memory = try KernelBuffer(count: pitch * 4)
            current = memory.base + 32
            previous = current + pitch
            best = previous + pitch
            candidate = best + pitch
        }

        func advance() { swap(&current, &previous) }

        func writeBest(to target: UnsafeMutablePointer<UInt8>, stride: UInt32) {
            var bestFilter: UInt8 = 0
            var bestSum = UInt64.max
            for filter in UInt8(0)...4 {
                var sum = pixelKernels.png_filter(candidate, current, previous, rowByteCount, stride, UInt32(filter))
                if filter == lastFilter { sum -= sum / 16 }
                if sum < bestSum {
                    bestSum = sum
                    bestFilter = filter
                    swap(&best, &candidate)
                }
            }
            lastFilter = bestFilter
            target[0] = bestFilter
            (target + 1).update(from: best, count: rowByteCount)
        }
    }
}

/// Compresses filtered rows to a zlib stream (RFC 1950) through libdeflate.
private struct RowCompression {
    /// The compression levels of libdeflate for the efforts 0…9.
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
