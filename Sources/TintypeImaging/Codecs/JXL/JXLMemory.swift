#if JXL
    import CJXL
    import TintypeBase

    /// Memory that one libjxl decoder may take at most. libjxl 0.7 allocates its images without asking; `JXLDecoder`
    /// refuses those by their size.
    final class JXLMemory {
        /// 1 GB, pixels that come out not counted.
        static let defaultLimit = 1_000_000_000
        /// Before each block: its length, in as many bytes as keep the alignment of malloc.
        private static let headerByteCount = 16

        private struct State {
            var byteCount = 0
            var isExceeded = false
        }

        private let limit: Int
        private let state = Locked(State())

        init(limit: Int = JXLMemory.defaultLimit) { self.limit = limit }

        /// True if an allocation was refused.
        var isExceeded: Bool { state.withLock { $0.isExceeded } }

        /// Finds this object again; it must be kept alive while libjxl uses the manager.
        var manager: JxlMemoryManager {
            JxlMemoryManager(
                opaque: Unmanaged.passUnretained(self).toOpaque(),
                alloc: { context, count in JXLMemory.from(context)?.allocate(count) },
                free: { context, block in JXLMemory.from(context)?.release(block) })
        }

        private static func from(_ context: UnsafeMutableRawPointer?) -> JXLMemory? {
            context.map { Unmanaged<JXLMemory>.fromOpaque($0).takeUnretainedValue() }
        }

        private func allocate(_ count: Int) -> UnsafeMutableRawPointer? {
            let isAllowed = state.withLock { state in
                guard count >= 0, count <= limit - state.byteCount else {
                    state.isExceeded = true
                    return false
                }
                state.byteCount += count
                return true
            }
            guard isAllowed else { return nil }
            guard let block = malloc(count + Self.headerByteCount) else {
                state.withLock { state in
                    state.byteCount -= count
                    state.isExceeded = true
                }
                return nil
            }
            block.storeBytes(of: count, as: Int.self)
            return block + Self.headerByteCount
        }

        private func release(_ block: UnsafeMutableRawPointer?) {
            guard let block else { return }
            let start = block - Self.headerByteCount
            let count = start.load(as: Int.self)
            state.withLock { $0.byteCount -= count }
            free(start)
        }
    }
#endif
