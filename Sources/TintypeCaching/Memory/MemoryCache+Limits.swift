import CSystemShim

extension MemoryCache {
    public var statistics: Statistics {
        ct_take_lock(lock)
        defer { ct_leave_lock(lock) }
        var statistics = Statistics()
        statistics.hits = storage.pointee.hits
        statistics.misses = storage.pointee.misses
        statistics.evictions = storage.pointee.evictions
        statistics.cost = storage.pointee.cost
        statistics.count = storage.pointee.count
        return statistics
    }

    /// The sum of the costs, in constant time.
    public var totalCost: Int { statistics.cost }
    /// The number of entries, in constant time.
    public var count: Int { statistics.count }

    /// Largest sum of costs; nil: no limit. Lowering it evicts before the setter returns.
    public var costLimit: Int? {
        get { limits.cost }
        set { setLimits(cost: newValue, count: limits.count) }
    }

    /// Largest number of entries; nil: no limit. Lowering it evicts before the setter returns.
    public var countLimit: Int? {
        get { limits.count }
        set { setLimits(cost: limits.cost, count: newValue) }
    }

    private var limits: (cost: Int?, count: Int?) {
        ct_take_lock(lock)
        defer { ct_leave_lock(lock) }
        let (cost, count) = (storage.pointee.costLimit, storage.pointee.countLimit)
        return (cost == .max ? nil : cost, count == .max ? nil : count)
    }

    func setLimits(cost: Int?, count: Int?) {
        ct_take_lock(lock)
        storage.pointee.costLimit = max(0, cost ?? .max)
        storage.pointee.countLimit = max(0, count ?? .max)
        storage.pointee.entryCostLimit =
            if let cost { Int((Double(max(0, cost)) * entryCostFraction).rounded(.down)) } else { .max }
        ct_leave_lock(lock)
        evictInBatches(reason: .limit) { $0.isOverLimit }
    }

    /// The keys in the order in which limits would take them if nothing were read any more. For tools and tests:
    /// takes time proportional to the count, under the lock.
    public var keys: [Key] {
        ct_take_lock(lock)
        defer { ct_leave_lock(lock) }
        return storage.pointee.orderedSlots().map { storage.pointee.key($0) }
    }

    // MARK: Trimming

    /// Evicts by the policy until the cost is at most `cost`. Reason: ``EvictionReason/pressure``.
    public func trim(toCost cost: Int) {
        evictInBatches(reason: .pressure) { $0.cost > max(0, cost) }
    }

    /// Evicts by the policy until at most `count` entries are left. Reason: ``EvictionReason/pressure``.
    public func trim(toCount count: Int) {
        evictInBatches(reason: .pressure) { $0.count > max(0, count) }
    }

    /// Removes what has expired. Reads do this for the entries they meet; this is for caches that are rarely read.
    public func removeExpired() {
        let moment = nowInNanoseconds()
        var departed = Departed<Key, Value>()
        ct_take_lock(lock)
        for slot in storage.pointee.orderedSlots() where storage.pointee.header(slot).pointee.deadline <= moment {
            storage.pointee.unlink(slot)
            let payload = storage.pointee.erase(slot, keepingKey: onEviction != nil)
            storage.pointee.evictions &+= 1
            departed.append(payload.key, payload.value, .expiry)
        }
        ct_leave_lock(lock)
        finish(departed)
    }

    /// The reaction to short memory: `some` lets unused discardable content go and trims to half of what is held,
    /// `full` empties the cache. Values that somebody still holds keep their second chance.
    public func handleMemoryPressure(_ level: MemoryPressureLevel) {
        switch level {
        case .some:
            discardUnusedContent()
            let statistics = self.statistics
            if statistics.cost > 0 {
                trim(toCost: statistics.cost / 2)
            } else {
                trim(toCount: statistics.count / 2)
            }
        case .full:
            discardUnusedContent()
            empty(reason: .pressure, forgetsSecondChances: false)
        }
    }

    private func discardUnusedContent() {
        guard let content else { return }
        ct_take_lock(lock)
        let entries = storage.pointee.orderedSlots().map {
            (key: storage.pointee.key($0), value: storage.pointee.payload($0).pointee.value)
        }
        ct_leave_lock(lock)
        for entry in entries {
            guard let content = content(entry.value) else { continue }
            content.discardContentIfPossible()
            if content.isContentDiscarded { removeDiscarded(entry.key) }
        }
    }

    /// Evicts while `isTooMuch`, a batch for each hold of the lock, so that readers never wait for a whole trim.
    func evictInBatches(reason: EvictionReason, while isTooMuch: (CacheStorage<Key, Value>) -> Bool) {
        var isDone = false
        while !isDone {
            var departed = Departed<Key, Value>()
            ct_take_lock(lock)
            for _ in 0..<256 {
                guard isTooMuch(storage.pointee), evictOne(into: &departed, protecting: -1, reason: reason) else {
                    isDone = true
                    break
                }
            }
            ct_leave_lock(lock)
            finish(departed)
        }
    }
}
