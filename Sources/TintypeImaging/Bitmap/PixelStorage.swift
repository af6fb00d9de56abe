import TintypeBase

/// The memory of one bitmap. Freed, or handed back to the pool, when the last bitmap that shares it goes.
package final class PixelStorage: @unchecked Sendable {
    // Written only by the code that made it, before it becomes part of a `Bitmap`; read-only from then on.
    /// As many bytes as were asked for, whatever the size of the block they lie in; **not** cleared, and aligned to 64.
    package let bytes: UnsafeMutableRawBufferPointer
    /// What the pool gave and gets back: up to a quarter larger than `bytes`.
    private let block: UnsafeMutableRawBufferPointer

    private enum Owner {
        case allocator, pool
        case mapping(SharedMemory)
    }
    private let owner: Owner

    /// What the memory costs, with the part of the block that is not used.
    package var allocatedByteCount: Int { block.count }

    /// - Throws: `ImagingError.outOfMemory`.
    package init(byteCount: Int) throws {
        #if TINTYPE_PLAIN_MEMORY
            // AddressSanitizer watches what comes from the allocator, and knows nothing of the pool's blocks.
            owner = .allocator
        #else
            owner = byteCount >= PixelPool.smallestByteCount ? .pool : .allocator
        #endif
        switch owner {
        case .pool: block = try PixelPool.shared.take(byteCount)
        default: block = try ImageMemory.allocate(byteCount: byteCount)
        }
        bytes = UnsafeMutableRawBufferPointer(rebasing: block[..<byteCount])
    }

    /// Uses the start of a mapping, which may be read-only and of which the rest is not looked at.
    init(mapping: SharedMemory, byteCount: Int) {
        owner = .mapping(mapping)
        block = mapping.bytes
        bytes = UnsafeMutableRawBufferPointer(rebasing: block[..<byteCount])
    }

    deinit {
        switch owner {
        case .mapping: break
        case .pool: PixelPool.shared.give(block)
        case .allocator: free(block.baseAddress)
        }
    }
}
