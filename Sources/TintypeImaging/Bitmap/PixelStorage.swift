/// The memory of one bitmap. Freed, or handed back to the pool, when the last bitmap that shares it goes.
package final class PixelStorage: @unchecked Sendable {
    // Written only by the one who made it, before it becomes part of a `Bitmap`; read-only from then on.
    package let bytes: UnsafeMutableRawBufferPointer

    package init(byteCount: Int) {
        bytes = .allocate(byteCount: byteCount, alignment: 64)
    }

    deinit { bytes.deallocate() }
}
