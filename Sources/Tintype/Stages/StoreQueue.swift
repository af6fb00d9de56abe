import TintypeBase

/// The changes that wait to be written to the disk cache.
///
/// Reads look here first, so an image that was just loaded is found although its file is still being written. Changes
/// of one key reach the disk in their order. The bytes that wait are bounded by `gate`.
final class StoreQueue: Sendable {
    enum Change: Sendable {
        case store(Data, CacheEntryMetadata)
        /// A result whose bytes are still to be made.
        case encode(PendingResult)
        case metadata(CacheEntryMetadata)
        case remove

        fileprivate var byteCount: Int {
            switch self {
            case .store(let data, _): data.count
            case .encode(let result): result.image.bitmap.byteCount
            case .metadata, .remove: 0
            }
        }
    }

    private struct Pending {
        var change: Change
        var origin: EventOrigin
        var version: UInt64
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private struct State {
        var pending: [String: Pending] = [:]
        var nextVersion: UInt64 = 0
        var idleWaiters: [CheckedContinuation<Void, Never>] = []
    }

    /// Work whose result is to be stored starts through this.
    let gate: StoreGate
    private let state = Locked(State())
    private let cache: DiskCache
    /// Threads that encode. Apart from those that decode, so that encoding makes progress while decodes queue.
    private let encodePool: WorkerPool
    private let events: EventReporter

    init(cache: DiskCache, gate: StoreGate, encodeThreads: Int, events: EventReporter) {
        self.cache = cache
        self.gate = gate
        encodePool = WorkerPool(name: "tintype-encode", width: encodeThreads)
        self.events = events
    }

    /// The change that a key waits for, or nil if none is pending.
    func change(for key: String) -> Change? { state.withLock { $0.pending[key]?.change } }

    var count: Int { state.withLock { $0.pending.count } }

    /// Writes in the background.
    func stage(_ change: Change, for key: String, origin: EventOrigin) {
        let (isNew, growth) = state.withLock { state in
            state.nextVersion += 1
            guard var pending = state.pending[key] else {
                state.pending[key] = Pending(change: change, origin: origin, version: state.nextVersion)
                return (true, change.byteCount)
            }
            let old = pending.change.byteCount
            pending.change = StoreQueue.merged(pending.change, change)
            pending.origin = origin
            pending.version = state.nextVersion
            state.pending[key] = pending
            return (false, pending.change.byteCount - old)
        }
        gate.addPendingBytes(growth)
        if isNew { Task.detached { await self.write(key) } }
    }

    /// New metadata for bytes that have not been written yet is written with them.
    private static func merged(_ old: Change, _ new: Change) -> Change {
        guard case .metadata(let metadata) = new else { return new }
        switch old {
        case .store(let data, _): return .store(data, metadata)
        case .encode(var result):
            result.metadata = metadata
            return .encode(result)
        case .metadata, .remove: return new
        }
    }

    /// Encodes on a thread of the queue.
    func encode(_ body: @escaping @Sendable () throws -> Data?) async throws -> Data? {
        try await encodePool.run(body)
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

    /// Returns when everything staged so far is on disk, or has failed to get there.
    func flush() async {
        for key in state.withLock({ Array($0.pending.keys) }) { await wait(for: key) }
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

    /// Turns every pending change into a removal, and waits for them.
    func dropAll() async {
        let freed = state.withLock { state in
            var freed = 0
            for key in state.pending.keys {
                state.nextVersion += 1
                freed += state.pending[key]?.change.byteCount ?? 0
                state.pending[key]?.change = .remove
                state.pending[key]?.version = state.nextVersion
            }
            return freed
        }
        gate.addPendingBytes(-freed)
        await waitUntilIdle()
    }

    private func write(_ key: String) async {
        while let pending = state.withLock({ $0.pending[key] }) {
            do {
                try await perform(pending.change, key, pending.origin)
            } catch {
                events.report(.storeFailed(key: key, error), pending.origin)
            }
            let (waiters, freed) = state.withLock { state -> ([CheckedContinuation<Void, Never>], Int) in
                guard let current = state.pending[key], current.version == pending.version else { return ([], 0) }
                state.pending[key] = nil
                guard state.pending.isEmpty else { return (current.waiters, current.change.byteCount) }
                defer { state.idleWaiters = [] }
                return (current.waiters + state.idleWaiters, current.change.byteCount)
            }
            gate.addPendingBytes(-freed)
            for waiter in waiters { waiter.resume() }
        }
    }

    private func perform(_ change: Change, _ key: String, _ origin: EventOrigin) async throws {
        switch change {
        case .store(let data, let metadata):
            try await cache.store(data, for: key, metadata: metadata)
            events.report(.stored(key: key, byteCount: data.count), origin)
        case .encode(let result):
            guard let data = try await encode(result.encode), !data.isEmpty else { return }
            try await cache.store(data, for: key, metadata: result.metadata)
            events.report(.stored(key: key, byteCount: data.count), origin)
        case .metadata(let metadata): try await cache.updateMetadata(metadata, for: key)
        case .remove: try await cache.remove(key)
        }
    }
}
