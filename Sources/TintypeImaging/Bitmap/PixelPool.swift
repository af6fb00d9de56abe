import TintypeBase

/// Memory of large images that is reused for the next ones.
///
/// New pages from the kernel cost as much as decoding: it clears and maps them one by one at the first access. Blocks of
/// the pool are reused without clearing, and new ones use huge pages, which are mapped 512 at a time.
package final class PixelPool: Sendable {
    package static let shared = PixelPool()

    static let smallestByteCount = 1 << 20
    /// The most bytes that wait for reuse; more is returned to the kernel, the oldest block first.
    static let maximumIdleByteCount = 32 << 20
    private static let hugePage = 2 << 20
    private static let page = 4096

    private struct State: @unchecked Sendable {
        // Guarded by the lock around it. The blocks belong to the pool; no other code has their addresses.
        var blocks: [UnsafeMutableRawBufferPointer] = []
        var byteCount = 0
    }

    private let state = Locked(State())

    /// Bytes that wait for reuse.
    package var idleByteCount: Int { state.withLock { $0.byteCount } }

    /// Returns all idle blocks to the kernel. For memory pressure.
    package func trim() {
        let blocks = state.withLock { state in
            defer { state = State() }
            return state.blocks
        }
        blocks.forEach(Self.unmap)
    }

    /// - Throws: `ImagingError.outOfMemory`.
    func take(_ byteCount: Int) throws -> UnsafeMutableRawBufferPointer {
        // The whole block counts as the cost of the bitmap, so it may be at most a quarter larger.
        let largest = byteCount + byteCount / 4
        let found = state.withLock { state -> UnsafeMutableRawBufferPointer? in
            var best: Int?
            for (index, block) in state.blocks.enumerated() where (byteCount...largest).contains(block.count) {
                if let current = best, state.blocks[current].count <= block.count { continue }
                best = index
            }
            guard let best else { return nil }
            let block = state.blocks.remove(at: best)
            state.byteCount -= block.count
            return block
        }
        if let found { return found }
        if let new = Self.map(byteCount) { return new }
        // The idle blocks may be the memory that is missing.
        trim()
        guard let new = Self.map(byteCount) else { throw ImagingError.outOfMemory(byteCount: byteCount) }
        return new
    }

    func give(_ block: UnsafeMutableRawBufferPointer) {
        guard block.count <= Self.maximumIdleByteCount else { return Self.unmap(block) }
        let surplus = state.withLock { state in
            state.blocks.append(block)
            state.byteCount += block.count
            var surplus: [UnsafeMutableRawBufferPointer] = []
            while state.byteCount > Self.maximumIdleByteCount {
                let oldest = state.blocks.removeFirst()
                state.byteCount -= oldest.count
                surplus.append(oldest)
            }
            return surplus
        }
        surplus.forEach(Self.unmap)
    }

    private static func map(_ byteCount: Int) -> UnsafeMutableRawBufferPointer? {
        let length = (byteCount + page - 1) & ~(page - 1)
        // Huge pages are aligned to their size: the rest in front and behind is unmapped.
        let reserve = length >= hugePage ? hugePage : 0
        let reserved = mmap(nil, length + reserve, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let reserved, reserved != MAP_FAILED else { return nil }
        let address = UInt(bitPattern: reserved)
        let start = reserve == 0 ? address : (address + UInt(hugePage) - 1) & ~UInt(hugePage - 1)
        let before = Int(start - address)
        if before > 0 { munmap(reserved, before) }
        if reserve > before { munmap(reserved + before + length, reserve - before) }
        #if os(Linux)
            if reserve > 0 { madvise(reserved + before, length, MADV_HUGEPAGE) }
        #endif
        return UnsafeMutableRawBufferPointer(start: reserved + before, count: length)
    }

    private static func unmap(_ block: UnsafeMutableRawBufferPointer) { munmap(block.baseAddress, block.count) }
}
