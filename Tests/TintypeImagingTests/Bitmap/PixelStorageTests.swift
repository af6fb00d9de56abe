import CDeflate
import Foundation
import Testing

@testable import TintypeImaging

/// Blocks of the pool are up to a quarter larger than requested; no caller may see the rest.
@Suite("Pixel storage") struct PixelStorageTests {
    private let byteCount = 3 << 20

    /// Puts a block into the pool that is too large and holds pixels of another image.
    private func leaveLargerBlock() throws {
        let larger = try PixelStorage(byteCount: byteCount + byteCount / 5)
        larger.bytes.initializeMemory(as: UInt8.self, repeating: 0xAA)
    }

    @Test("A storage in a larger block has as many bytes as were asked for, and its cost is the block's")
    func exactSize() throws {
        for _ in 0..<20 {
            try leaveLargerBlock()
            let storage = try PixelStorage(byteCount: byteCount)
            #expect(storage.bytes.count == byteCount)
            #expect(storage.allocatedByteCount >= byteCount)
            #expect(storage.allocatedByteCount <= byteCount + byteCount / 4 + 4096)
        }
        #expect(try PixelStorage(byteCount: 0).bytes.isEmpty)
    }

    @Test("An encoded PNG holds its rows and nothing of the memory behind them")
    func encodedRows() throws {
        let size = (width: 1000, height: 1000)
        let bitmap = try Bitmap(width: size.width, height: size.height, isOpaque: true) { bytes, _ in
            bytes.initializeMemory(as: UInt8.self, repeating: 0xFF)
        }
        for _ in 0..<20 {
            let larger = try PixelStorage(byteCount: (size.width * 3 + 1) * size.height * 6 / 5)
            larger.bytes.initializeMemory(as: UInt8.self, repeating: 0xAA)
        }
        let stream = try PNGPixelEncoder.compress(bitmap, effort: 1)
        let decompressor = try #require(libdeflate_alloc_decompressor())
        defer { libdeflate_free_decompressor(decompressor) }
        var rows = [UInt8](repeating: 0, count: (size.width * 3 + 1) * size.height * 2)
        var count = 0
        let capacity = rows.count
        let result = stream.withUnsafeBytes { bytes in
            libdeflate_zlib_decompress(decompressor, bytes.baseAddress, bytes.count, &rows, capacity, &count)
        }
        #expect(result == LIBDEFLATE_SUCCESS)
        #expect(count == (size.width * 3 + 1) * size.height)
    }

    @Test("A frame over a frame in a larger block copies the canvas and no more")
    func canvas() throws {
        let size = PixelSize(width: 1024, height: 768)
        let canvas = try AnimationCanvas(size: size)
        for round in 0..<20 {
            let larger = try PixelStorage(byteCount: size.width * size.height * 4 * (round % 2 == 0 ? 6 : 5) / 5)
            larger.bytes.initializeMemory(as: UInt8.self, repeating: 0xAA)
        }
        var shown: [Bitmap] = []
        for index in 0..<6 {
            let layout = FrameLayout(
                rect: PixelRect(x: index * 8, y: 0, width: 8, height: 8), disposal: .keep, replacesBelow: true)
            shown.append(
                try canvas.draw(layout) { pixels in
                    for y in 0..<8 {
                        pixels.address(x: index * 8, y: y).initializeMemory(as: UInt8.self, repeating: 0xFF, count: 32)
                    }
                    return true
                })
        }
        let last = try #require(shown.last)
        #expect(last.storage.bytes[..<(48 * 4)].allSatisfy { $0 == 0xFF })
        #expect(last.storage.bytes[(48 * 4)...].filter { $0 == 0xAA }.isEmpty)
    }
}
