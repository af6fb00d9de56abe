import TintypeBase

/// A growing buffer that becomes `Data` without a copy. Confined to one thread at a time.
final class ByteBuffer {
    private var base: UnsafeMutableRawPointer?
    private var capacity = 0
    private(set) var count = 0

    init() {}

    init(reserving byteCount: Int) {
        reserve(byteCount)
    }

    deinit {
        free(base)
    }

    /// Makes room for `byteCount` bytes in all. Callers bound sizes that a header declares.
    func reserve(_ byteCount: Int) {
        guard byteCount > capacity else { return }
        guard let grown = realloc(base, byteCount) else {
            preconditionFailure("out of memory for a body of \(byteCount) bytes")
        }
        base = grown
        capacity = byteCount
    }

    func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
        makeRoom(for: bytes.count)
        base?.advanced(by: count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
    }

    /// Calls `fill` to write after the last byte; it returns the number of bytes, or a negative number.
    func appendUninitialized(atMost space: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
        makeRoom(for: space)
        let written = fill(UnsafeMutableRawBufferPointer(start: base?.advanced(by: count), count: space))
        precondition(written <= space, "more bytes were written than there was room for")
        if written > 0 { count += written }
        return written
    }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        body(UnsafeRawBufferPointer(start: base, count: count))
    }

    /// Returns a copy of a part.
    func copy(_ range: Range<Int>) -> Data {
        precondition(range.upperBound <= count)
        guard let base, !range.isEmpty else { return Data() }
        return Data(bytes: base + range.lowerBound, count: range.count)
    }

    /// Returns the bytes and empties the buffer.
    func takeData() -> Data {
        guard let start = base, count > 0 else { return Data() }
        defer {
            base = nil
            capacity = 0
            count = 0
        }
        // A third of the room may be unused, and the data may live long in a cache.
        let fitted = capacity > count + count / 8 ? realloc(start, count) ?? start : start
        return Data(bytesNoCopy: fitted, count: count, deallocator: .free)
    }

    func removeAll() {
        free(base)
        base = nil
        capacity = 0
        count = 0
    }

    private func makeRoom(for extra: Int) {
        let needed = count + extra
        if needed > capacity { reserve(max(needed, capacity + capacity / 2, 16 << 10)) }
    }
}
