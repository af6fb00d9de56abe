/// The memory of one bitmap. Freed, or handed back to the pool, when the last bitmap that shares it goes.
package final class PixelStorage: @unchecked Sendable {
    // Written only by the one who made it, before it becomes part of a `Bitmap`; read-only from then on.
    /// At least as many bytes as were asked for; **not** cleared, and aligned to 64.
    package let bytes: UnsafeMutableRawBufferPointer
    private let isPooled: Bool

    package init(byteCount: Int) {
        isPooled = byteCount >= PixelPool.smallestByteCount
        bytes =
            isPooled
            ? PixelPool.shared.take(byteCount) : .allocate(byteCount: max(1, byteCount), alignment: 64)
    }

    deinit {
        if isPooled { PixelPool.shared.give(bytes) } else { bytes.deallocate() }
    }
}
