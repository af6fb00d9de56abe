/// Memory for kernels: 64-byte aligned, cleared, freed with its owner. Used by one thread at a time.
final class KernelBuffer<Element: BitwiseCopyable> {
    let base: UnsafeMutablePointer<Element>
    let count: Int
    private let raw: UnsafeMutableRawPointer

    init(count: Int) {
        let byteCount = max(1, count) * MemoryLayout<Element>.stride
        raw = .allocate(byteCount: byteCount, alignment: 64)
        raw.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
        base = raw.assumingMemoryBound(to: Element.self)
        self.count = count
    }

    convenience init(_ elements: [Element]) {
        self.init(count: elements.count)
        elements.withUnsafeBufferPointer { source in
            if let first = source.baseAddress { base.update(from: first, count: source.count) }
        }
    }

    deinit { raw.deallocate() }
}
