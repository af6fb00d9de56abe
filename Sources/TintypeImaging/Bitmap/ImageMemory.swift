import TintypeBase

/// Allocation of memory whose size comes from an image.
///
/// Swift's containers and `allocate` end the process when there is no memory. An image may need more than the process can
/// get; then one load must fail, not all of them.
package enum ImageMemory {
    /// Allocates memory that is not cleared, aligned to 64 bytes; `free` releases it.
    /// - Throws: `ImagingError.outOfMemory`.
    package static func allocate(byteCount: Int) throws -> UnsafeMutableRawBufferPointer {
        var memory: UnsafeMutableRawPointer?
        guard byteCount >= 0, posix_memalign(&memory, 64, max(1, byteCount)) == 0, let memory else {
            throw ImagingError.outOfMemory(byteCount: byteCount)
        }
        return UnsafeMutableRawBufferPointer(start: memory, count: byteCount)
    }

    /// Checks that the process could get this much memory now, before Swift's containers take it, which cannot fail.
    /// Another thread may take the memory in between, but a limit that is too low for one image is found.
    /// - Throws: `ImagingError.outOfMemory`.
    package static func check(byteCount: Int) throws {
        guard byteCount >= PixelPool.smallestByteCount else { return }
        let memory = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { throw ImagingError.outOfMemory(byteCount: byteCount) }
        munmap(memory, byteCount)
    }
}
