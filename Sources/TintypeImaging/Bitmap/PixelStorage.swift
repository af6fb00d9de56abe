import TintypeBase

/// The memory of one bitmap. Freed, or handed back to the pool, when the last bitmap that shares it goes.
package final class PixelStorage: @unchecked Sendable {
    // Written only by the code that made it, before it becomes part of a `Bitmap`; read-only from then on.
    /// As many bytes as were asked for, whatever the size of the block they lie in; **not** cleared, and aligned to 64.
    package let bytes: UnsafeMutableRawBufferPointer
    /// What the pool gave and gets back: up to a quarter larger than `bytes`.
    private let block: UnsafeMutableRawBufferPointer
    private let isPooled: Bool

    /// What the memory costs, with the part of the block that is not used.
    package var allocatedByteCount: Int { block.count }

    /// - Throws: `ImagingError.outOfMemory`.
    package init(byteCount: Int) throws {
        #if TINTYPE_PLAIN_MEMORY
            // AddressSanitizer watches what comes from the allocator, and knows nothing of the pool's blocks.
            isPooled = false
        #else
            isPooled = byteCount >= PixelPool.smallestByteCount
        #endif
        block =
            try isPooled
            ? PixelPool.shared.take(byteCount) : ImageMemory.allocate(byteCount: byteCount)
        bytes = UnsafeMutableRawBufferPointer(rebasing: block[..<byteCount])
    }

    deinit {
        if isPooled { PixelPool.shared.give(block) } else { free(block.baseAddress) }
    }
}
