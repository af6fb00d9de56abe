import TintypeBase

/// A synchronous, thread-safe cache of values with a cost: the first tier, for decoded images.
///
/// ```swift
/// let cache = MemoryCache<String, Bitmap>(.init(costLimit: 64 << 20))
/// cache.set(bitmap, for: url, cost: bitmap.byteCount)
/// let hit = cache.value(for: url)
/// ```
///
/// After every call the cost and the count are within their limits; the entry that was just set is never the one that
/// a limit evicts. Values that leave are released, and callbacks run, after the lock, on the calling thread.
///
/// Foundation's `NSCache` is no alternative on Linux: it keeps the oldest entries and evicts each new one, inserts in
/// linear time and never releases what it holds.
public final class MemoryCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline let entries: Locked<EntryStore<Key, Value>>
    @usableFromInline let defaultTimeToLive: Duration?
    @usableFromInline let onEviction: (@Sendable (Key, Value, EvictionReason) -> Void)?
    private let now: @Sendable () -> Duration
    private let expiration: CacheExpiration
    private let sweepInterval: Duration
    private let entryCostFraction: Double

    /// Creates a cache.
    public init(_ configuration: Configuration = Configuration()) {
        entries = Locked(EntryStore(policy: configuration.policy))
        onEviction = configuration.onEviction
        now = configuration.now
        defaultTimeToLive = configuration.timeToLive
        expiration = configuration.expiration
        sweepInterval = configuration.sweepInterval
        let fraction = configuration.entryCostFraction
        entryCostFraction = fraction.isNaN ? 0.25 : min(max(fraction, 0), 1)
        setLimits(cost: configuration.costLimit, count: configuration.countLimit)
    }

    // MARK: Access

    /// Returns the value, or `nil` on a miss. A hit counts as a use. O(1), without I/O or allocation.
    @inlinable
    public func value(for key: Key) -> Value? {
        let hash = key.hashValue
        guard let hit = entries.withLock({ $0.hit(key, hash) }) else { return nil }
        if hit.deadline == .infinity { return hit.value }
        return validate(hit, for: key, hash)
    }

    /// Stores a value under a key in place of any older one.
    ///
    /// - Parameters:
    ///   - value: The value to store.
    ///   - key: The key that finds it again.
    ///   - cost: What it holds, in bytes for images; negative counts as 0. A value that costs more than
    ///     `entryCostFraction` of the cost limit is not stored, and the old value of the key is removed.
    ///   - timeToLive: Overrides the configuration's; zero or less: not stored, and the old value is removed.
    @inlinable
    public func set(_ value: Value, for key: Key, cost: Int = 1, timeToLive: Duration? = nil) {
        let hash = key.hashValue
        var (deadline, lifetime) = (Double.infinity, Float.zero)
        if let time = timeToLive ?? defaultTimeToLive {
            guard time > .zero else {
                remove(key, hash, reason: .replaced)
                return
            }
            (deadline, lifetime) = expiry(after: time)
        }
        let (departed, needsTimer) = entries.withLock { store in
            let departed = store.set(
                value, for: key, hash, cost: max(0, cost), deadline: deadline, lifetime: lifetime)
            return (departed, deadline != .infinity && store.claimSweep())
        }
        finish(departed.first, departed.others)
        if needsTimer { startSweeping() }
    }

    /// Returns whether a lookup would hit now. Does not count as a use and changes no statistics.
    public func contains(_ key: Key) -> Bool {
        let hash = key.hashValue
        let deadline = entries.withLock { store -> Double? in
            let slot = store.find(key, hash)
            return slot < 0 ? nil : store.nodes[slot].deadline
        }
        guard let deadline else { return false }
        return deadline == .infinity || now().inSeconds < deadline
    }

    /// Changes the cost of an entry, for values that grow and shrink. May evict. Does nothing on a miss.
    public func updateCost(_ cost: Int, for key: Key) {
        let hash = key.hashValue
        entries.withLock { store in
            let slot = store.find(key, hash)
            if slot >= 0 { store.changeCost(of: slot, to: max(0, cost)) }
        }
        evict(reason: .limit) { $0.isOverLimit }
    }

    /// Removes the value of a key and returns it.
    @discardableResult
    public func remove(_ key: Key) -> Value? { remove(key, key.hashValue, reason: .removed) }

    /// Removes all entries. Statistics stay.
    public func removeAll() { removeAll(reason: .removed) }

    // MARK: Limits

    /// The largest sum of costs; `nil`, and 0 when it is set, mean no limit. Lowering it evicts before the setter
    /// returns.
    public var costLimit: Int? {
        get { entries.withLock { $0.costLimit == .max ? nil : $0.costLimit } }
        set { setLimits(cost: newValue, count: countLimit) }
    }

    /// The largest number of entries; `nil`, and 0 when it is set, mean no limit. Lowering it evicts before the setter
    /// returns.
    public var countLimit: Int? {
        get { entries.withLock { $0.countLimit == .max ? nil : $0.countLimit } }
        set { setLimits(cost: costLimit, count: newValue) }
    }

    private func setLimits(cost: Int?, count: Int?) {
        let cost = cost.flatMap { $0 > 0 ? $0 : nil }
        let count = count.flatMap { $0 > 0 ? $0 : nil }
        entries.withLock { store in
            store.costLimit = cost ?? .max
            store.countLimit = count ?? .max
            store.entryCostLimit = cost.map { Int((Double($0) * entryCostFraction).rounded(.down)) } ?? .max
        }
        evict(reason: .limit) { $0.isOverLimit }
    }

    /// Evicts by the policy until the cost is at most `cost`. Reason: ``EvictionReason/pressure``.
    public func trim(toCost cost: Int) { evict(reason: .pressure) { $0.cost > max(0, cost) } }

    /// Evicts by the policy until at most `count` entries are left. Reason: ``EvictionReason/pressure``.
    public func trim(toCount count: Int) { evict(reason: .pressure) { $0.count > max(0, count) } }

    /// Removes expired entries. A timer does the same every `sweepInterval`.
    public func removeExpired() {
        let moment = now().inSeconds
        finish(nil, entries.withLock { Self.removeExpired(from: &$0, at: moment) })
    }

    /// Frees memory: `some` trims to half of the current cost, `full` removes everything.
    public func handleMemoryPressure(_ level: MemoryPressureLevel) {
        let statistics = self.statistics
        switch level {
        case .some where statistics.cost > 0: trim(toCost: statistics.cost / 2)
        case .some: trim(toCount: statistics.count / 2)
        case .full: removeAll(reason: .pressure)
        }
    }

    // MARK: State

    /// The statistics since the cache was created.
    public var statistics: Statistics {
        entries.withLock {
            Statistics(hits: $0.hits, misses: $0.misses, evictions: $0.evictions, cost: $0.cost, count: $0.count)
        }
    }

    /// The sum of the costs. O(1).
    public var totalCost: Int { entries.withLock { $0.cost } }

    /// The number of entries. O(1).
    public var count: Int { entries.withLock { $0.count } }

    /// The keys in the order in which limits would evict them if nothing were used any more. O(n) under the lock; for
    /// tools and tests.
    package var keys: [Key] {
        entries.withLock { store in store.slotsInOrder.compactMap { store.nodes[$0].key } }
    }

    // MARK: Implementation

    /// Evicts in batches, so that other threads do not wait for a whole trim.
    private func evict(reason: EvictionReason, while isTooMuch: (EntryStore<Key, Value>) -> Bool) {
        var departed: [EntryStore<Key, Value>.Departure] = []
        repeat {
            departed.removeAll()
            entries.withLock { store in
                while departed.count < 256, isTooMuch(store), let victim = store.evict(reason: reason) {
                    departed.append(victim)
                }
            }
            finish(nil, departed)
        } while !departed.isEmpty
    }

    @usableFromInline @discardableResult
    func remove(
        _ key: Key, _ hash: Int, ifGeneration generation: UInt16? = nil, reason: EvictionReason
    ) -> Value? {
        let departed = entries.withLock { $0.remove(key, hash, ifGeneration: generation, reason: reason) }
        guard let departed else { return nil }
        finish(departed)
        return departed.value
    }

    private func removeAll(reason: EvictionReason) {
        let old = entries.withLock { store in
            let old = store
            store.removeAll(asEvictions: reason == .pressure)
            return old
        }
        guard onEviction != nil else { return }
        finish(
            nil,
            old.slotsInOrder.compactMap { slot in
                guard let key = old.nodes[slot].key, let value = old.nodes[slot].value else { return nil }
                return (key, value, reason)
            })
    }

    /// Reports values that left; they are released when the caller returns. Called after the lock.
    @inlinable
    func finish(
        _ first: EntryStore<Key, Value>.Departure?, _ others: [EntryStore<Key, Value>.Departure] = []
    ) {
        guard let onEviction else { return }
        if let first { onEviction(first.key, first.value, first.reason) }
        for other in others { onEviction(other.key, other.value, other.reason) }
    }

    /// Returns the value of a hit on an entry with a deadline; an expired one becomes a miss.
    @usableFromInline
    func validate(_ hit: EntryStore<Key, Value>.Hit, for key: Key, _ hash: Int) -> Value? {
        let moment = now().inSeconds
        guard moment >= hit.deadline else {
            if expiration == .sinceLastAccess {
                entries.withLock { $0.restartLifetime(of: key, hash, at: moment) }
            }
            return hit.value
        }
        entries.withLock { store in
            store.hits -= 1
            store.misses += 1
            store.evictions += 1
        }
        remove(key, hash, ifGeneration: hit.generation, reason: .expiry)
        return nil
    }

    // MARK: Time

    @usableFromInline
    func expiry(after time: Duration) -> (deadline: Double, lifetime: Float) {
        let seconds = time.inSeconds
        return (now().inSeconds + seconds, expiration == .sinceLastAccess ? Float(seconds) : 0)
    }

    /// Starts the timer. It ends when no entry can expire any more.
    @usableFromInline
    func startSweeping() {
        guard sweepInterval > .zero else { return }
        Task.detached(priority: .background) { [weak self, sweepInterval] in
            repeat {
                do { try await Task.sleep(for: sweepInterval) } catch { return }
            } while self?.sweep() == true
        }
    }

    /// Returns whether entries that can expire are left.
    private func sweep() -> Bool {
        let moment = now().inSeconds
        let (departed, isSwept) = entries.withLock { store in
            let departed = Self.removeExpired(from: &store, at: moment)
            store.isSwept = store.slotsInOrder.contains { store.nodes[$0].deadline != .infinity }
            return (departed, store.isSwept)
        }
        finish(nil, departed)
        return isSwept
    }

    private static func removeExpired(
        from store: inout EntryStore<Key, Value>, at moment: Double
    ) -> [EntryStore<Key, Value>.Departure] {
        let departed = store.slotsInOrder.compactMap { slot in
            store.nodes[slot].deadline <= moment ? store.erase(slot, .expiry) : nil
        }
        store.evictions += departed.count
        return departed
    }
}
