import CSystemShim

/// A synchronous, thread-safe cache of values with a cost: the first tier, for decoded images.
///
/// ```swift
/// let cache = MemoryCache<String, Bitmap>(.init(costLimit: 64 << 20))
/// cache.set(bitmap, for: url, cost: bitmap.byteCount)
/// let hit = cache.value(for: url)
/// ```
///
/// After every call the cost and the count are within their limits; the entry that was just set is never the one
/// that a limit takes. Values that leave are released, and callbacks run, after the lock, on the calling thread.
/// Foundation's `NSCache` does not do this job on Linux: it keeps the first entries for ever and evicts each new
/// one, inserts in linear time and never frees what it holds.
public final class MemoryCache<Key: Hashable & Sendable, Value: Sendable>: @unchecked Sendable {
    // `lock` guards `storage` and `secondChances`; everything else is immutable.
    @usableFromInline let lock: UnsafeMutablePointer<ct_short_lock>
    @usableFromInline let storage: UnsafeMutablePointer<CacheStorage<Key, Value>>
    /// Whether a hit or a departure needs more than moving numbers.
    @usableFromInline let hasSecondChances: Bool
    @usableFromInline let hasDiscardableContent: Bool
    @usableFromInline let seed = UInt64.random(in: .min ... .max)
    @usableFromInline let onEviction: (@Sendable (Key, Value, EvictionReason) -> Void)?
    let secondChances: SecondChanceTable<Key, Value>?
    let content: (@Sendable (Value) -> (any DiscardableContent)?)?
    let now: @Sendable () -> Duration
    @usableFromInline let defaultTimeToLive: Duration?
    let expiration: CacheExpiration
    let entryCostFraction: Double

    public init(_ configuration: Configuration = Configuration()) {
        lock = .allocate(capacity: 1)
        lock.initialize(to: ct_short_lock())
        storage = .allocate(capacity: 1)
        storage.initialize(to: CacheStorage(policy: configuration.policy))
        secondChances = configuration.secondChance.map(SecondChanceTable.init)
        hasSecondChances = secondChances != nil
        content = configuration.discardableContent ?? Self.contentOfDiscardableValues
        hasDiscardableContent = content != nil
        onEviction = configuration.onEviction
        now = configuration.now
        defaultTimeToLive = configuration.timeToLive
        expiration = configuration.expiration
        let fraction = configuration.entryCostFraction
        entryCostFraction = fraction.isNaN ? 0.25 : min(max(fraction, 0), 1)
        setLimits(cost: configuration.costLimit, count: configuration.countLimit)
    }

    deinit {
        storage.pointee.deallocate()
        storage.deallocate()
        lock.deallocate()
    }

    private static var contentOfDiscardableValues: (@Sendable (Value) -> (any DiscardableContent)?)? {
        guard Value.self is any DiscardableContent.Type else { return nil }
        return { $0 as? any DiscardableContent }
    }

    // MARK: Access

    /// The value, or nil on a miss. A hit counts as a use. Takes no time to speak of: no I/O, no waiting on anything
    /// but the lock, no allocation.
    @inlinable
    public func value(for key: Key) -> Value? {
        let hash = KeyHash.of(key, seed: seed)
        ct_take_lock(lock)
        let slot = storage.pointee.find(key, hash)
        if slot < 0 {
            if hasSecondChances { return missed(key, hash) }
            storage.pointee.misses &+= 1
            ct_leave_lock(lock)
            return nil
        }
        storage.pointee.touch(slot)
        storage.pointee.hits &+= 1
        let deadline = storage.pointee.header(slot).pointee.deadline
        let version = storage.pointee.header(slot).pointee.version
        let value = storage.pointee.payload(slot).pointee.value
        ct_leave_lock(lock)
        if deadline != .max || hasDiscardableContent { return checked(value, for: key, hash, deadline, version) }
        return value
    }

    /// Stores a value under a key in place of any older one.
    ///
    /// - Parameters:
    ///   - value: what is kept.
    ///   - key: what finds it again.
    ///   - cost: what it holds, in bytes for images; negative counts as 0. A value that costs more than
    ///     `entryCostFraction` of the cost limit is not stored, and the old value of the key still goes.
    ///   - timeToLive: overrides the configuration's; zero or less: not stored, and the old value goes.
    @inlinable
    public func set(_ value: Value, for key: Key, cost: Int = 1, timeToLive: Duration? = nil) {
        let hash = KeyHash.of(key, seed: seed)
        let cost = max(0, cost)
        var deadline = Int64.max
        var lifetime: UInt32 = 0
        if let time = timeToLive ?? defaultTimeToLive {
            guard time > .zero else { return discard(key, hash) }
            (deadline, lifetime) = deadlineAndLifetime(time)
        }
        if onEviction == nil, !hasSecondChances { return setQuietly(value, key, hash, cost, deadline, lifetime) }
        var departed = Departed<Key, Value>()
        ct_take_lock(lock)
        if hasSecondChances { forgetSecondChance(key) }
        if cost > storage.pointee.entryCostLimit {
            ct_leave_lock(lock)
            return discard(key, hash)
        }
        var slot = storage.pointee.find(key, hash)
        if slot >= 0 {
            let old = storage.pointee.replace(slot, with: value, cost: cost, deadline: deadline, lifetime: lifetime)
            departed.append(key, old, .replaced)
        } else {
            slot = storage.pointee.insert(
                key, value, hash: hash, cost: cost, deadline: deadline, lifetime: lifetime)
        }
        if storage.pointee.isOverLimit { evict(into: &departed, protecting: slot) }
        ct_leave_lock(lock)
        finish(departed)
    }

    /// Where nobody is told of departures, values alone are carried out of the lock.
    @inlinable
    func setQuietly(
        _ value: Value, _ key: Key, _ hash: Int, _ cost: Int, _ deadline: Int64, _ lifetime: UInt32
    ) {
        // Released after the lock, as the end of their life is somebody else's code.
        var departed: Value?
        var others: [Value]?
        ct_take_lock(lock)
        storage.pointee.prefetchForInsertion(hash)
        if cost > storage.pointee.entryCostLimit {
            ct_leave_lock(lock)
            return discard(key, hash)
        }
        var slot = storage.pointee.find(key, hash)
        if slot >= 0 {
            departed = storage.pointee.replace(slot, with: value, cost: cost, deadline: deadline, lifetime: lifetime)
        } else {
            slot = storage.pointee.insert(
                key, value, hash: hash, cost: cost, deadline: deadline, lifetime: lifetime)
        }
        while storage.pointee.isOverLimit {
            let victim = storage.pointee.evictNext(protecting: slot)
            guard victim >= 0 else { break }
            let value = storage.pointee.erase(victim, keepingKey: false).value
            storage.pointee.evictions &+= 1
            if departed == nil {
                departed = value
            } else if others == nil {
                others = [value]
            } else {
                others?.append(value)
            }
        }
        ct_leave_lock(lock)
        withExtendedLifetime(departed) {}
        withExtendedLifetime(others) {}
    }

    /// Whether a lookup would hit now. Does not count as a use and moves no statistics.
    public func contains(_ key: Key) -> Bool {
        let hash = KeyHash.of(key, seed: seed)
        ct_take_lock(lock)
        let slot = storage.pointee.find(key, hash)
        guard slot >= 0 else {
            let isAlive = secondChances?.contains(key) ?? false
            ct_leave_lock(lock)
            return isAlive
        }
        let deadline = storage.pointee.header(slot).pointee.deadline
        let value = content == nil ? nil : storage.pointee.payload(slot).pointee.value
        ct_leave_lock(lock)
        if deadline != .max, nowInNanoseconds() >= deadline { return false }
        if let value, let content = content?(value), content.isContentDiscarded { return false }
        return true
    }

    /// Takes the value of a key out, from the second chances too.
    @discardableResult
    public func remove(_ key: Key) -> Value? {
        remove(key, KeyHash.of(key, seed: seed), reason: .removed)
    }

    /// Empties the cache, the second chances too. Statistics stay.
    public func removeAll() {
        empty(reason: .removed, forgetsSecondChances: true)
    }
}
