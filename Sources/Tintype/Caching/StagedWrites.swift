import TintypeBase

/// What is on its way to the disk. Reads look here first, so an image that was just loaded is found although its file
/// is still being written; changes of one key reach the disk in their order.
final class StagedWrites: Sendable {
    enum Change: Sendable {
        case store(Data, CacheEntryMetadata)
        /// Bytes that are still to be made; nil stores nothing.
        case encoded(@Sendable () async throws -> Data?, CacheEntryMetadata)
        case metadata(CacheEntryMetadata)
        case remove
    }

    private struct Pending {
        var change: Change
        var version: UInt64
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private struct State {
        var pending: [String: Pending] = [:]
        var nextVersion: UInt64 = 0
        var idleWaiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())
    private let cache: DiskCache
    private let didFail: @Sendable (String, any Error) -> Void
    private let didStore: @Sendable (String, Int) -> Void

    init(
        cache: DiskCache, didStore: @escaping @Sendable (String, Int) -> Void,
        didFail: @escaping @Sendable (String, any Error) -> Void
    ) {
        self.cache = cache
        self.didStore = didStore
        self.didFail = didFail
    }

    /// The change that a key waits for, or nil if the disk has its last word.
    func change(for key: String) -> Change? { state.withLock { $0.pending[key]?.change } }

    var count: Int { state.withLock { $0.pending.count } }

    /// Writes in the background.
    func stage(_ change: Change, for key: String) {
        let isNew = state.withLock { state in
            state.nextVersion += 1
            if let pending = state.pending[key] {
                var change = change
                // New headers for bytes that have not been written yet go out with them.
                if case .metadata(let metadata) = change, case .store(let data, _) = pending.change {
                    change = .store(data, metadata)
                }
                state.pending[key]?.change = change
                state.pending[key]?.version = state.nextVersion
                return false
            }
            state.pending[key] = Pending(change: change, version: state.nextVersion)
            return true
        }
        if isNew { Task.detached { await self.write(key) } }
    }

    /// Returns when everything staged for this key so far is on disk, or has failed to get there.
    func wait(for key: String) async {
        await withCheckedContinuation { continuation in
            let isPending = state.withLock { state in
                guard state.pending[key] != nil else { return false }
                state.pending[key]?.waiters.append(continuation)
                return true
            }
            if !isPending { continuation.resume() }
        }
    }

    /// Returns when nothing is staged.
    func waitUntilIdle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if !state.pending.isEmpty { state.idleWaiters.append(continuation) }
                return state.pending.isEmpty
            }
            if isIdle { continuation.resume() }
        }
    }

    /// Turns everything that is on its way into removals, and waits for them.
    func dropAll() async {
        state.withLock { state in
            for key in state.pending.keys {
                state.nextVersion += 1
                state.pending[key]?.change = .remove
                state.pending[key]?.version = state.nextVersion
            }
        }
        await waitUntilIdle()
    }

    private func write(_ key: String) async {
        while let (change, version) = state.withLock({ state in
            state.pending[key].map { ($0.change, $0.version) }
        }) {
            do {
                switch change {
                case .store(let data, let metadata):
                    try await cache.store(data, for: key, metadata: metadata)
                    didStore(key, data.count)
                case .encoded(let encode, let metadata):
                    if let data = try await encode(), !data.isEmpty {
                        try await cache.store(data, for: key, metadata: metadata)
                        didStore(key, data.count)
                    }
                case .metadata(let metadata): try await cache.updateMetadata(metadata, for: key)
                case .remove: try await cache.remove(key)
                }
            } catch {
                didFail(key, error)
            }
            let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
                guard let pending = state.pending[key], pending.version == version else { return [] }
                state.pending[key] = nil
                guard state.pending.isEmpty else { return pending.waiters }
                defer { state.idleWaiters = [] }
                return pending.waiters + state.idleWaiters
            }
            for waiter in waiters { waiter.resume() }
        }
    }
}
