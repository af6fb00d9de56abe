import CSystemShim

/// Values on their way out: taken under the lock, released and reported after it.
@usableFromInline
struct Departed<Key, Value> {
    @usableFromInline var first: (key: Key, value: Value, reason: EvictionReason)?
    /// Most calls let at most one value go; only more of them cost an array.
    @usableFromInline var others: [(key: Key, value: Value, reason: EvictionReason)]?

    @inlinable init() {}

    @inlinable
    mutating func append(_ key: Key, _ value: Value, _ reason: EvictionReason) {
        if first == nil {
            first = (key, value, reason)
        } else if others == nil {
            others = [(key, value, reason)]
        } else {
            others?.append((key, value, reason))
        }
    }
}

extension MemoryCache {
    /// Under the lock: evicts until the limits hold.
    @inlinable
    func evict(into departed: inout Departed<Key, Value>, protecting slot: Int32) {
        while storage.pointee.isOverLimit, evictOne(into: &departed, protecting: slot, reason: .limit) {}
    }

    /// Under the lock.
    @inlinable
    func evictOne(
        into departed: inout Departed<Key, Value>, protecting slot: Int32, reason: EvictionReason
    ) -> Bool {
        let victim = storage.pointee.evictNext(protecting: slot)
        guard victim >= 0 else { return false }
        if hasSecondChances { offerSecondChance(victim) }
        let payload = storage.pointee.erase(victim, keepingKey: onEviction != nil)
        storage.pointee.evictions &+= 1
        departed.append(payload.key, payload.value, reason)
        return true
    }

    /// After the lock.
    @inlinable
    func finish(_ departed: Departed<Key, Value>) {
        guard let onEviction else { return }
        if let first = departed.first { onEviction(first.key, first.value, first.reason) }
        for other in departed.others ?? [] { onEviction(other.key, other.value, other.reason) }
    }

    /// Called with the lock held, which it releases.
    @usableFromInline
    func missed(_ key: Key, _ hash: Int) -> Value? {
        guard let secondChances, let found = secondChances.take(key) else {
            storage.pointee.misses &+= 1
            ct_leave_lock(lock)
            return nil
        }
        var departed = Departed<Key, Value>()
        var version: UInt16 = 0
        if found.cost <= storage.pointee.entryCostLimit {
            let slot = storage.pointee.insert(
                key, found.value, hash: hash, cost: found.cost, deadline: found.deadline, lifetime: found.lifetime)
            storage.pointee.touch(slot)
            version = storage.pointee.header(slot).pointee.version
            evict(into: &departed, protecting: slot)
        }
        storage.pointee.hits &+= 1
        ct_leave_lock(lock)
        finish(departed)
        return checked(found.value, for: key, hash, found.deadline, version)
    }

    /// After the lock: a value that was found is only a hit while it lives and has its content.
    @usableFromInline
    func checked(_ value: Value, for key: Key, _ hash: Int, _ deadline: Int64, _ version: UInt16) -> Value? {
        if deadline != .max {
            let moment = nowInNanoseconds()
            if moment >= deadline {
                takeBackHit(key, hash, reason: .expiry) { $0.deadline <= moment }
                return nil
            }
            if expiration == .sinceLastAccess { startTimeToLiveAgain(key, hash, moment) }
        }
        if let content = content?(value), content.isContentDiscarded {
            takeBackHit(key, hash, reason: .discarded) { $0.version == version }
            return nil
        }
        return value
    }

    private func takeBackHit(
        _ key: Key, _ hash: Int, reason: EvictionReason, if isSame: (CacheStorage<Key, Value>.Header) -> Bool
    ) {
        var departed = Departed<Key, Value>()
        ct_take_lock(lock)
        storage.pointee.hits &-= 1
        storage.pointee.misses &+= 1
        let slot = storage.pointee.find(key, hash)
        if slot >= 0, isSame(storage.pointee.header(slot).pointee) {
            storage.pointee.unlink(slot)
            let payload = storage.pointee.erase(slot, keepingKey: onEviction != nil)
            if reason == .expiry { storage.pointee.evictions &+= 1 }
            departed.append(payload.key, payload.value, reason)
        }
        ct_leave_lock(lock)
        finish(departed)
    }

    private func startTimeToLiveAgain(_ key: Key, _ hash: Int, _ moment: Int64) {
        ct_take_lock(lock)
        let slot = storage.pointee.find(key, hash)
        if slot >= 0 {
            let header = storage.pointee.header(slot)
            let lifetime = Int64(header.pointee.lifetime)
            if lifetime > 0 { header.pointee.deadline = max(header.pointee.deadline, moment + lifetime * 1_000_000) }
        }
        ct_leave_lock(lock)
    }

    func removeDiscarded(_ key: Key) {
        guard let content else { return }
        let hash = KeyHash.of(key, seed: seed)
        var departed = Departed<Key, Value>()
        ct_take_lock(lock)
        let slot = storage.pointee.find(key, hash)
        let value = slot >= 0 ? storage.pointee.payload(slot).pointee.value : nil
        let version = slot >= 0 ? storage.pointee.header(slot).pointee.version : 0
        ct_leave_lock(lock)
        // Asked outside the lock; a value that was set meanwhile has another version and is left alone.
        guard let value, let asked = content(value), asked.isContentDiscarded else { return }
        ct_take_lock(lock)
        let again = storage.pointee.find(key, hash)
        if again >= 0, storage.pointee.header(again).pointee.version == version {
            storage.pointee.unlink(again)
            let payload = storage.pointee.erase(again, keepingKey: onEviction != nil)
            departed.append(payload.key, payload.value, .discarded)
        }
        ct_leave_lock(lock)
        finish(departed)
    }

    @usableFromInline
    func discard(_ key: Key, _ hash: Int) {
        remove(key, hash, reason: .replaced)
    }

    @discardableResult
    func remove(_ key: Key, _ hash: Int, reason: EvictionReason) -> Value? {
        var departed = Departed<Key, Value>()
        ct_take_lock(lock)
        secondChances?.remove(key)
        let slot = storage.pointee.find(key, hash)
        if slot >= 0 {
            storage.pointee.unlink(slot)
            let payload = storage.pointee.erase(slot, keepingKey: onEviction != nil)
            departed.append(payload.key, payload.value, reason)
        }
        ct_leave_lock(lock)
        finish(departed)
        return departed.first?.value
    }

    func empty(reason: EvictionReason, forgetsSecondChances: Bool) {
        if !forgetsSecondChances { return evictInBatches(reason: reason) { $0.count > 0 } }
        var departed = Departed<Key, Value>()
        ct_take_lock(lock)
        secondChances?.removeAll()
        let old = storage.pointee.takeEverything()
        ct_leave_lock(lock)
        for slot in old.orderedSlots() {
            let payload = old.take(slot, keepingKey: onEviction != nil)
            departed.append(payload.key, payload.value, reason)
        }
        old.deallocateMemory()
        finish(departed)
    }

    // MARK: Second chances, under the lock

    @usableFromInline
    func offerSecondChance(_ slot: Int32) {
        let header = storage.pointee.header(slot).pointee
        secondChances?.insert(
            storage.pointee.payload(slot).pointee.value, for: storage.pointee.key(slot), cost: header.cost,
            deadline: header.deadline, lifetime: header.lifetime)
    }

    @usableFromInline
    func forgetSecondChance(_ key: Key) {
        secondChances?.remove(key)
    }

    // MARK: Time

    func nowInNanoseconds() -> Int64 {
        Self.nanoseconds(now())
    }

    @usableFromInline
    func deadlineAndLifetime(_ time: Duration) -> (Int64, UInt32) {
        let nanoseconds = Self.nanoseconds(time)
        let (deadline, overflow) = nowInNanoseconds().addingReportingOverflow(nanoseconds)
        let lifetime = expiration == .sinceLastAccess ? UInt32(clamping: max(1, nanoseconds / 1_000_000)) : 0
        return (overflow ? .max : deadline, lifetime)
    }

    /// Saturating: a time to live of a thousand years means for ever.
    static func nanoseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return seconds < 0 ? .min : .max }
        let (sum, carried) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return carried ? .max : sum
    }
}
