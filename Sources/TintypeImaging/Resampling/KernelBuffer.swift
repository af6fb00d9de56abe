import TintypeBase

/// Memory for kernels: 64-byte aligned, cleared, freed with its owner. Used by one thread at a time.
final class KernelBuffer<Element: BitwiseCopyable> {
    let base: UnsafeMutablePointer<Element>
    let count: Int

    /// - Throws: `ImagingError.outOfMemory`.
    init(count: Int) throws {
        let (byteCount, overflow) = max(1, count).multipliedReportingOverflow(by: MemoryLayout<Element>.stride)
        guard !overflow else { throw ImagingError.outOfMemory(byteCount: .max) }
        let memory = try ImageMemory.allocate(byteCount: byteCount)
        guard let start = memory.baseAddress else { throw ImagingError.outOfMemory(byteCount: byteCount) }
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        base = start.assumingMemoryBound(to: Element.self)
        self.count = count
    }

    deinit { free(base) }

    /// `index` is not checked.
    subscript(index: Int) -> Element {
        get { base[index] }
        set { base[index] = newValue }
    }
}
