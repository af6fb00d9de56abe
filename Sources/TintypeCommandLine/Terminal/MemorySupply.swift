import TintypeBase

/// Whether the process may use enough address space for its threads, where that is limited (`ulimit -v`).
///
/// libdispatch, which runs Swift's tasks, waits for ever when it cannot start a thread. The tool finds that out first,
/// and fails with an error.
enum MemorySupply {
    /// What is left for images and libraries after the stacks.
    private static let reserve = 32 << 20

    /// The limit of a resource in bytes, or nil.
    private static func limit(_ resource: __rlimit_resource) -> Int? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0, limit.rlim_cur != rlim_t.max else {
            return nil
        }
        return Int(clamping: limit.rlim_cur)
    }

    /// Keeps the allocator from reserving 64 MB for each thread, which would leave no room for stacks. Call before the
    /// first thread starts.
    static func prepare() {
        guard limit(RLIMIT_AS) != nil else { return }
        // mallopt(M_ARENA_MAX, 1). The Glibc module has no malloc.h.
        typealias Function = @convention(c) (Int32, Int32) -> Int32
        guard let symbol = dlsym(nil, "mallopt") else { return }
        _ = unsafeBitCast(symbol, to: Function.self)(-8, 1)
    }

    static func isSufficient() -> Bool {
        guard limit(RLIMIT_AS) != nil else { return true }
        let threadCount = 4 + max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        let byteCount = reserve + threadCount * (limit(RLIMIT_STACK) ?? 8 << 20)
        let space = mmap(nil, byteCount, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard let space, space != MAP_FAILED else { return false }
        munmap(space, byteCount)
        return true
    }
}
