/// The order of some entries. The head is the newest, the tail the next to be evicted.
@usableFromInline
struct EntryList {
    @usableFromInline var head: Int32 = -1
    @usableFromInline var tail: Int32 = -1
    @usableFromInline var cost = 0
    @usableFromInline var count = 0

    @inlinable init() {}
}

/// The slots of an ``EntryStore``. Free slots are linked by `next`.
@usableFromInline
struct EntryNodes<Key: Hashable, Value> {
    @usableFromInline
    struct Node {
        /// Nil in a free slot.
        @usableFromInline var key: Key?
        @usableFromInline var value: Value?
        @usableFromInline let hash: Int
        @usableFromInline var cost: Int
        /// Seconds of the cache's clock; infinite for entries that do not expire.
        @usableFromInline var deadline = Double.infinity
        /// Seconds by which a use moves the deadline; 0 when it does not.
        @usableFromInline var lifetime: Float = 0
        @usableFromInline var previous: Int32 = -1
        @usableFromInline var next: Int32 = -1
        /// Another entry whose key has the same hash.
        @usableFromInline var nextWithHash: Int32 = -1
        /// Changes with the value.
        @usableFromInline var generation: UInt16 = 0
        /// Uses since the entry was linked, at most 3.
        @usableFromInline var frequency: UInt8 = 0
        @usableFromInline var isInMain = false

        @inlinable
        init(key: Key, value: Value, hash: Int, cost: Int) {
            self.key = key
            self.value = value
            self.hash = hash
            self.cost = cost
        }
    }

    @usableFromInline var nodes: [Node] = []
    @usableFromInline var freed: Int32 = -1

    @inlinable init() {}

    @inlinable var count: Int { nodes.count }

    @inlinable @inline(__always)
    subscript(slot: Int32) -> Node {
        get { nodes[Int(slot)] }
        _modify { yield &nodes[Int(slot)] }
    }

    @inlinable
    mutating func add(_ node: Node) -> Int32 {
        let slot = freed
        if slot < 0 {
            nodes.append(node)
            return Int32(nodes.count - 1)
        }
        freed = self[slot].next
        self[slot] = node
        return slot
    }

    @inlinable
    mutating func free(_ slot: Int32) -> (key: Key, value: Value)? {
        self[slot].next = freed
        freed = slot
        guard let key = self[slot].key.take(), let value = self[slot].value.take() else { return nil }
        return (key, value)
    }

    /// Takes a slot out of the chain of equal hashes that begins at another slot.
    @inlinable
    mutating func unchain(_ slot: Int32, from first: Int32) {
        var before = first
        while self[before].nextWithHash != slot { before = self[before].nextWithHash }
        self[before].nextWithHash = self[slot].nextWithHash
    }

    @inlinable
    mutating func push(_ slot: Int32, onto list: inout EntryList) {
        self[slot].previous = -1
        self[slot].next = list.head
        if list.head >= 0 { self[list.head].previous = slot } else { list.tail = slot }
        list.head = slot
        list.count += 1
        list.cost += self[slot].cost
    }

    @inlinable
    mutating func unlink(_ slot: Int32, from list: inout EntryList) {
        let (previous, next) = (self[slot].previous, self[slot].next)
        if previous >= 0 { self[previous].next = next } else { list.head = next }
        if next >= 0 { self[next].previous = previous } else { list.tail = previous }
        list.count -= 1
        list.cost -= self[slot].cost
    }
}

/// The hashes of keys that were evicted from probation a short time ago. One that returns goes to the main list.
@usableFromInline
struct GhostTable {
    /// Found by the lower bits of the hash: its upper half, and the number of the eviction.
    @usableFromInline var words: [UInt64] = Array(repeating: 0, count: 64)
    @usableFromInline var number: UInt32 = 1

    @inlinable init() {}

    @inlinable
    mutating func insert(_ hash: Int) {
        number &+= 1
        words[hash & (words.count - 1)] = Self.upperHalf(hash) | UInt64(number)
    }

    /// Whether the hash was inserted within the last `count` insertions.
    @inlinable
    func contains(_ hash: Int, within count: Int) -> Bool {
        let word = words[hash & (words.count - 1)]
        return word != 0 && word & 0xffff_ffff_0000_0000 == Self.upperHalf(hash)
            && Int(number &- UInt32(truncatingIfNeeded: word)) <= max(1, count)
    }

    /// Makes room for as many ghosts as there are entries. Forgets the old ones, whose places change.
    @inlinable
    mutating func grow(to count: Int) {
        if count > words.count { words = Array(repeating: 0, count: words.count * 4) }
    }

    @inlinable
    static func upperHalf(_ hash: Int) -> UInt64 { UInt64(truncatingIfNeeded: hash) & 0xffff_ffff_0000_0000 }
}
