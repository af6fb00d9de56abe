/// The entries of a ``MemoryCache``. The lock of the cache guards it.
///
/// A dictionary maps hashes to slots of an array; the rare keys with equal hashes are linked. Two lists, linked by slot
/// numbers, hold the order of eviction; `.lru` uses the main list alone. Values that leave are returned, so that the cache
/// releases them after the lock.
@usableFromInline
struct EntryStore<Key: Hashable, Value> {
    /// A value that left, and why.
    @usableFromInline typealias Departure = (key: Key, value: Value, reason: EvictionReason)
    /// What left in one call; only more than one value cost an array.
    @usableFromInline typealias Departures = (first: Departure?, others: [Departure])
    /// What a lookup found. The generation tells later whether the entry still holds this value.
    @usableFromInline typealias Hit = (value: Value, deadline: Double, generation: UInt16)

    @usableFromInline var slots: [Int: Int32] = [:]
    @usableFromInline var nodes = EntryNodes<Key, Value>()
    @usableFromInline var probation = EntryList()
    @usableFromInline var main = EntryList()
    @usableFromInline var ghosts = GhostTable()
    @usableFromInline var lastGeneration: UInt16 = 0
    @usableFromInline let probationShare: Double
    @usableFromInline let isLRU: Bool
    @usableFromInline var costLimit = Int.max
    @usableFromInline var countLimit = Int.max
    @usableFromInline var entryCostLimit = Int.max
    @usableFromInline var hits = 0
    @usableFromInline var misses = 0
    @usableFromInline var evictions = 0
    /// Whether the timer that removes expired entries runs.
    @usableFromInline var isSwept = false

    init(policy: MemoryCachePolicy) {
        switch policy {
        case .lru: (isLRU, probationShare) = (true, 0)
        case .s3fifo(let share): (isLRU, probationShare) = (false, share.isNaN ? 0.25 : min(max(share, 0), 1))
        }
    }

    @inlinable var count: Int { probation.count + main.count }
    @inlinable var cost: Int { probation.cost + main.cost }
    @inlinable var isOverLimit: Bool { cost > costLimit || count > countLimit }

    // MARK: Access

    /// Returns the slot of a key, or -1. The caller computes the hash outside the lock.
    @inlinable
    func find(_ key: Key, _ hash: Int) -> Int32 {
        var slot = slots[hash] ?? -1
        while slot >= 0, let other = nodes[slot].key, other != key { slot = nodes[slot].nextWithHash }
        return slot
    }

    /// Looks up a value and counts the use.
    @inlinable
    mutating func hit(_ key: Key, _ hash: Int) -> Hit? {
        let slot = find(key, hash)
        guard slot >= 0, let value = nodes[slot].value else {
            misses += 1
            return nil
        }
        hits += 1
        touch(slot)
        return (value, nodes[slot].deadline, nodes[slot].generation)
    }

    /// Stores a value. Returns what left: an old value of the key and what the limits evicted.
    @inlinable
    mutating func set(
        _ value: Value, for key: Key, _ hash: Int, cost: Int, deadline: Double, lifetime: Float
    ) -> Departures {
        guard cost <= entryCostLimit else { return (remove(key, hash, reason: .replaced), []) }
        var departed: Departures = (nil, [])
        var slot = find(key, hash)
        if slot < 0 {
            slot = insert(value, key, hash, cost: cost)
        } else {
            if let old = nodes[slot].value { departed.first = (key, old, .replaced) }
            nodes[slot].value = value
            changeCost(of: slot, to: cost)
            touch(slot)
        }
        lastGeneration &+= 1
        nodes[slot].generation = lastGeneration
        nodes[slot].deadline = deadline
        nodes[slot].lifetime = lifetime
        while isOverLimit, let victim = evict(sparing: slot, reason: .limit) {
            if departed.first == nil { departed.first = victim } else { departed.others.append(victim) }
        }
        return departed
    }

    @inlinable
    mutating func insert(_ value: Value, _ key: Key, _ hash: Int, cost: Int) -> Int32 {
        let slot = nodes.add(EntryNodes.Node(key: key, value: value, hash: hash, cost: cost))
        if let other = slots.updateValue(slot, forKey: hash) { nodes[slot].nextWithHash = other }
        ghosts.grow(to: nodes.count)
        link(slot, toMain: isLRU || ghosts.contains(hash, within: main.count))
        return slot
    }

    /// Removes an entry, if it is there and still has the generation.
    @inlinable
    mutating func remove(
        _ key: Key, _ hash: Int, ifGeneration generation: UInt16? = nil, reason: EvictionReason
    ) -> Departure? {
        let slot = find(key, hash)
        guard slot >= 0, generation == nil || generation == nodes[slot].generation else { return nil }
        return erase(slot, reason)
    }

    /// Removes everything. The caller holds a copy and releases it after the lock.
    mutating func removeAll(asEvictions: Bool) {
        if asEvictions { evictions += count }
        slots = [:]
        nodes = EntryNodes()
        (probation, main) = (EntryList(), EntryList())
    }

    @usableFromInline
    mutating func changeCost(of slot: Int32, to cost: Int) {
        let difference = cost - nodes[slot].cost
        if nodes[slot].isInMain { main.cost += difference } else { probation.cost += difference }
        nodes[slot].cost = cost
    }

    mutating func restartLifetime(of key: Key, _ hash: Int, at moment: Double) {
        let slot = find(key, hash)
        guard slot >= 0, nodes[slot].lifetime > 0 else { return }
        nodes[slot].deadline = max(nodes[slot].deadline, moment + Double(nodes[slot].lifetime))
    }

    /// Returns true once, until the timer ends.
    @inlinable
    mutating func claimSweep() -> Bool {
        defer { isSwept = true }
        return !isSwept
    }

    /// The slots in the order in which limits would take them if nothing were used any more.
    var slotsInOrder: [Int32] {
        var order: [Int32] = []
        order.reserveCapacity(count)
        for tail in [probation.tail, main.tail] {
            var slot = tail
            while slot >= 0 {
                order.append(slot)
                slot = nodes[slot].previous
            }
        }
        return order
    }

    // MARK: Lists

    @inlinable
    mutating func link(_ slot: Int32, toMain isInMain: Bool) {
        nodes[slot].isInMain = isInMain
        if isInMain { nodes.push(slot, onto: &main) } else { nodes.push(slot, onto: &probation) }
    }

    @inlinable
    mutating func unlink(_ slot: Int32) {
        if nodes[slot].isInMain { nodes.unlink(slot, from: &main) } else { nodes.unlink(slot, from: &probation) }
    }

    /// Records a use: LRU moves the entry to the front, S3-FIFO only counts.
    @inlinable
    mutating func touch(_ slot: Int32) {
        if !isLRU {
            if nodes[slot].frequency < 3 { nodes[slot].frequency += 1 }
        } else if main.head != slot {
            unlink(slot)
            link(slot, toMain: true)
        }
    }

    /// Takes an entry out of its list and the dictionary and frees its slot.
    @inlinable
    mutating func erase(_ slot: Int32, _ reason: EvictionReason) -> Departure? {
        unlink(slot)
        let (hash, next) = (nodes[slot].hash, nodes[slot].nextWithHash)
        if let first = slots.removeValue(forKey: hash), first != slot || next >= 0 {
            slots[hash] = first == slot ? next : first
            if first != slot { nodes.unchain(slot, from: first) }
        }
        guard let contents = nodes.free(slot) else { return nil }
        return (contents.key, contents.value, reason)
    }

    // MARK: Eviction

    /// Evicts the next entry; nil when only `spared`, the entry that was just set, is left.
    @inlinable
    mutating func evict(sparing spared: Int32 = -1, reason: EvictionReason) -> Departure? {
        let victim = isLRU ? (main.tail == spared ? -1 : main.tail) : nextVictim(sparing: spared)
        guard victim >= 0 else { return nil }
        evictions += 1
        return erase(victim, reason)
    }

    /// S3-FIFO: entries used on probation move to the main list, entries used in the main list go round again.
    @inlinable
    mutating func nextVictim(sparing spared: Int32) -> Int32 {
        var mustLeaveMain = false
        while true {
            let last = probation.tail
            if last >= 0, last != spared, mustLeaveMain || main.count == 0 || isProbationOverItsShare {
                if nodes[last].frequency == 0 {
                    ghosts.insert(nodes[last].hash)
                    return last
                }
                nodes[last].frequency = 0
                unlink(last)
                link(last, toMain: true)
                mustLeaveMain = false
                continue
            }
            let oldest = main.tail
            if oldest < 0 { return -1 }
            if oldest == spared {
                if main.count == 1 {
                    if last < 0 { return -1 }
                    mustLeaveMain = true
                    continue
                }
            } else if nodes[oldest].frequency == 0 {
                return oldest
            } else {
                nodes[oldest].frequency -= 1
            }
            unlink(oldest)
            link(oldest, toMain: true)
        }
    }

    /// Measured in what is short: cost when the cost limit is exceeded, entries otherwise.
    @inlinable
    var isProbationOverItsShare: Bool {
        if cost > costLimit { return Double(probation.cost) > probationShare * Double(cost) }
        return Double(probation.count) > probationShare * Double(count)
    }
}
