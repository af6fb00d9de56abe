extension CacheStorage {
    /// Takes a slot for a new key and links it. The key must not be in the table.
    @inlinable
    mutating func insert(_ key: Key, _ value: Value, hash: Int, cost: Int, deadline: Int64, lifetime: UInt32) -> Int32 {
        // At most five eighths full: probes stay short.
        if (count &+ 1) &* 8 > (mask &+ 1) &* 5 { growTable() }
        let slot = takeSlot()
        lastVersion &+= 1
        let queue = isLRU || isRemembered(hash) ? Self.inMain : Self.inProbation
        header(slot).initialize(
            to: Header(
                hash: hash, cost: cost, deadline: deadline, lifetime: lifetime, queue: queue, version: lastVersion))
        keep(key, value, in: slot)
        link(slot, to: queue)
        var position = home(of: UInt64(truncatingIfNeeded: hash))
        while table[position] != 0 { position = (position &+ 1) & mask }
        table[position] = Self.word(hash: hash, slot: slot)
        return slot
    }

    /// Gives a key that is in the table another value; returns the old one.
    @inlinable
    mutating func replace(
        _ slot: Int32, with value: Value, cost: Int, deadline: Int64, lifetime: UInt32
    ) -> Value {
        let node = header(slot)
        let difference = cost &- node.pointee.cost
        if node.pointee.queue == Self.inProbation { probation.cost &+= difference } else { main.cost &+= difference }
        node.pointee.cost = cost
        node.pointee.deadline = deadline
        node.pointee.lifetime = lifetime
        lastVersion &+= 1
        node.pointee.version = lastVersion
        touch(slot)
        let old = payload(slot).pointee.value
        payload(slot).pointee.value = value
        return old
    }

    /// Takes an unlinked entry out of the table and frees its slot. The key is only made where somebody wants it.
    @inlinable
    mutating func erase(_ slot: Int32, keepingKey: Bool) -> Payload {
        let node = header(slot)
        let word = Self.word(hash: node.pointee.hash, slot: slot)
        var hole = home(of: word)
        while table[hole] != word { hole = (hole &+ 1) & mask }
        // Backward-shift deletion: no tombstones, so probes never get longer with time.
        var position = hole
        while true {
            position = (position &+ 1) & mask
            let word = table[position]
            if word == 0 { break }
            let home = home(of: word)
            if (position &- home) & mask >= (position &- hole) & mask {
                table[hole] = word
                hole = position
            }
        }
        table[hole] = 0
        let payload = take(slot, keepingKey: keepingKey)
        node.pointee.queue = Self.isFree
        node.pointee.next = free
        free = slot
        return payload
    }

    /// Where probing for a word begins. The half of the hash that the word holds decides, so moving words about does
    /// not touch the slots behind them.
    @inlinable @inline(__always)
    func home(of word: UInt64) -> Int {
        Int(truncatingIfNeeded: word >> 32) & mask
    }

    @inlinable @inline(__always)
    static func word(hash: Int, slot: Int32) -> UInt64 {
        UInt64(truncatingIfNeeded: hash) & 0xffff_ffff_0000_0000 | UInt64(UInt32(bitPattern: slot &+ 1))
    }

    @inlinable @inline(__always)
    mutating func takeSlot() -> Int32 {
        let slot = free
        if slot >= 0 {
            free = header(slot).pointee.next
            return slot
        }
        if used == capacity { growSlots() }
        used &+= 1
        return Int32(truncatingIfNeeded: used &- 1)
    }

    @usableFromInline
    mutating func growSlots() {
        // Slot numbers are 32 bits wide; two thousand million entries do not fit into any memory of today.
        precondition(capacity < 1 << 30, "MemoryCache holds too many entries")
        let old = self
        slots = Self.allocateSlots(capacity * 2)
        keyAreas = Self.allocateKeyAreas(capacity * 2)
        capacity *= 2
        for slot in 0..<Int32(used) {
            header(slot).initialize(to: old.header(slot).pointee)
            if header(slot).pointee.queue != Self.isFree {
                payload(slot).moveInitialize(from: old.payload(slot), count: 1)
            }
        }
        old.slots.deallocate()
        if let oldAreas = old.keyAreas, let keyAreas {
            keyAreas.update(from: oldAreas, count: used * Self.keyAreaStride)
            oldAreas.deallocate()
        }
    }

    @usableFromInline
    mutating func growTable() {
        let size = (mask + 1) * 2
        let old = (table: table, count: mask + 1)
        table = Self.allocateTable(size)
        mask = size - 1
        for index in 0..<old.count where old.table[index] != 0 {
            let word = old.table[index]
            var position = home(of: word)
            while table[position] != 0 { position = (position &+ 1) & mask }
            table[position] = word
        }
        old.table.deallocate()
        ghosts.deallocate()
        ghosts = Self.allocateTable(size)
    }

    /// Destroys every entry and the memory. The storage must not be used afterwards.
    func deallocate() {
        for slot in 0..<Int32(used) where header(slot).pointee.queue != Self.isFree {
            payload(slot).deinitialize(count: 1)
        }
        deallocateMemory()
    }

    /// Gives back the memory alone: for storage whose payloads have been moved out.
    func deallocateMemory() {
        slots.deallocate()
        keyAreas?.deallocate()
        table.deallocate()
        ghosts.deallocate()
    }

    /// Starts afresh and returns the old state, to be taken apart outside the lock: constant time under it.
    mutating func takeEverything() -> Self {
        let old = self
        allocateSmall()
        used = 0
        free = -1
        probation = Queue()
        main = Queue()
        ghostNumber = 1
        return old
    }

    /// The slots in the order in which the limits would take them, were nothing read any more.
    func orderedSlots() -> [Int32] {
        var order: [Int32] = []
        order.reserveCapacity(count)
        for tail in [probation.tail, main.tail] {
            var slot = tail
            while slot >= 0 {
                order.append(slot)
                slot = header(slot).pointee.previous
            }
        }
        return order
    }
}
