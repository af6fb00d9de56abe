import CPixelKernels
import TintypeBase

/// Filters rows and compresses them: the zlib stream of a PNG's or an APNG frame's pixels.
package enum PNGPixelEncoder {
    /// RGBA8, or RGB8 if the bitmap is opaque and `keepsAlpha` is false.
    package static func compress(_ bitmap: Bitmap, effort: Int?, keepsAlpha: Bool = false) throws -> Data {
        let hasAlpha = keepsAlpha || !bitmap.isOpaque
        let filtered = try filter(bitmap, hasAlpha: hasAlpha)
        return try RowCompression(effort: effort).zlibStream(of: filtered.bytes)
    }

    /// For each row the filter whose result has the smallest sum of absolute values (PNG spec 12.7), with some favour for
    /// that of the row above: what repeats in the results is worth more than a little smaller values.
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

    /// The row, the one above, and the candidates.
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
            // Room in front for the pixel left of the first one, which counts as zero, and behind for whole vectors.
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
