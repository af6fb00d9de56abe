import CSystemShim

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The bytes of a whole file: read into memory of our own, or mapped. Becomes a `Data` of a part without a copy.
final class FileBytes {
    private let base: UnsafeMutableRawPointer
    private var count: Int
    private let isMapped: Bool

    init?(allocating count: Int) {
        guard let base = malloc(max(1, count)) else { return nil }
        self.base = base
        self.count = count
        isMapped = false
    }

    init?(mapping descriptor: Int32, count: Int) {
        guard let base = ct_map_file(descriptor, count) else { return nil }
        self.base = UnsafeMutableRawPointer(mutating: base)
        self.count = count
        isMapped = true
    }

    deinit {
        if isMapped { munmap(base, count) } else { free(base) }
    }

    var raw: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }
    /// Only for allocated bytes; a mapping is read-only.
    var mutable: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: base, count: isMapped ? 0 : count)
    }

    /// For bytes of which fewer came than there was room for.
    func shorten(to count: Int) {
        if !isMapped { self.count = min(self.count, count) }
    }

    /// The bytes from `offset` to the end; they keep `self` alive.
    func data(from offset: Int) -> Data {
        let offset = min(offset, count)
        let keepAlive = self
        return Data(
            bytesNoCopy: base + offset, count: count - offset,
            deallocator: .custom { _, _ in withExtendedLifetime(keepAlive) {} })
    }
}
