import CSystemShim
import TintypeBase

/// The bytes of a whole file: read into memory of our own, or mapped. Becomes a `Data` of a part without a copy.
struct FileBytes: ~Copyable {
    /// What is given back; the bytes begin at `base`.
    private let memory: UnsafeMutableRawPointer
    private let base: UnsafeMutableRawPointer
    private let count: Int
    private let isMapped: Bool

    /// Room for `count` bytes, of which those from `payloadOffset` on lie as checksums like them: on a multiple of 64.
    ///
    /// Never just behind the beginning of a page, where malloc puts everything big: the kernel copies from the beginnings
    /// of pages, and processors copy five times more slowly to a place a few bytes behind the same offset.
    init?(allocating count: Int, payloadOffset: Int = 0) {
        let (room, isTooMuch) = count.addingReportingOverflow(192)
        guard !isTooMuch, let memory = malloc(room) else { return nil }
        let start = UInt(bitPattern: memory)
        var address = (start + 63) & ~63 + UInt(bitPattern: -payloadOffset) & 63
        if (1..<32).contains(address & 4095) { address += 64 }
        self.memory = memory
        base = memory + Int(bitPattern: address - start)
        self.count = count
        isMapped = false
    }

    init?(mapping descriptor: Int32, count: Int) {
        guard let base = ct_map_file(descriptor, count) else { return nil }
        memory = UnsafeMutableRawPointer(mutating: base)
        self.base = memory
        self.count = count
        isMapped = true
    }

    deinit {
        if isMapped { munmap(memory, count) } else { free(memory) }
    }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(UnsafeRawBufferPointer(start: base, count: count))
    }

    /// Only for allocated bytes; a mapping is read-only.
    func withMutableBytes<Result, Failure: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeMutableRawBufferPointer(start: base, count: isMapped ? 0 : count))
    }

    /// The bytes from `offset` to the end, which own the memory from now on.
    consuming func data(from offset: Int) -> Data {
        let (memory, base, count, isMapped) = (self.memory, self.base, self.count, self.isMapped)
        discard self
        let offset = min(offset, count)
        return Data(
            bytesNoCopy: base + offset, count: count - offset,
            deallocator: isMapped ? .custom { _, _ in munmap(memory, count) } : .custom { _, _ in free(memory) })
    }
}
