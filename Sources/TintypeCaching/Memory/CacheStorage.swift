import CSystemShim

/// The state of a ``MemoryCache``: slots, an open-addressing table of slot numbers, two intrusive queues, ghosts.
///
/// It lives behind one raw pointer, and nothing in it is a Swift array or class property: exclusivity checks,
/// bounds checks and reference counting around those cost half of a hit. Everything is guarded by the lock of the
/// cache; the methods assume that it is held.
@usableFromInline
struct CacheStorage<Key: Hashable, Value> {
    /// The trivial part of a slot. With a 16-byte key and an 8-byte value a slot is one 64-byte cache line.
    @usableFromInline
    struct Header {
        @usableFromInline var hash: Int
        @usableFromInline var cost: Int
        /// Nanoseconds of the cache's clock; `Int64.max` for entries that do not expire.
        @usableFromInline var deadline: Int64
        @usableFromInline var previous: Int32
        @usableFromInline var next: Int32
        /// Milliseconds, to start the time to live again on access; 0 when it does not.
        @usableFromInline var lifetime: UInt32
        @usableFromInline var frequency: UInt8
        /// `inProbation`, `inMain` or `isFree`.
        @usableFromInline var queue: UInt8
        /// Changes with the value, so that an answer found outside the lock can be matched with the entry again.
        @usableFromInline var version: UInt16

        @usableFromInline
        init(hash: Int, cost: Int, deadline: Int64, lifetime: UInt32, queue: UInt8, version: UInt16) {
            self.hash = hash
            self.cost = cost
            self.deadline = deadline
            self.lifetime = lifetime
            self.queue = queue
            previous = -1
            next = -1
            frequency = 0
            self.version = version
        }
    }

    @usableFromInline
    struct Payload {
        @usableFromInline var key: Key
        @usableFromInline var value: Value
        @usableFromInline
        init(key: Key, value: Value) {
            self.key = key
            self.value = value
        }
    }

    /// Head is the newest, tail the next to go.
    @usableFromInline
    struct Queue {
        @usableFromInline var head: Int32 = -1
        @usableFromInline var tail: Int32 = -1
        @usableFromInline var cost = 0
        @usableFromInline var count = 0
        @usableFromInline init() {}
    }

    @inlinable static var inProbation: UInt8 { 0 }
    @inlinable static var inMain: UInt8 { 1 }
    @inlinable static var isFree: UInt8 { 2 }

    @usableFromInline var slots: UnsafeMutableRawPointer
    /// The bytes of keys that are strings, by slot; nil for keys of other types. See `CacheStorage+Keys.swift`.
    @usableFromInline var keyAreas: UnsafeMutablePointer<UInt8>?
    /// Each word: upper half of the hash, slot number + 1; 0 is empty.
    @usableFromInline var table: UnsafeMutablePointer<UInt64>
    @usableFromInline var mask: Int
    @usableFromInline var capacity: Int
    /// Slots below this number have been used at least once.
    @usableFromInline var used = 0
    @usableFromInline var free: Int32 = -1
    @usableFromInline var probation = Queue()
    @usableFromInline var main = Queue()
    /// Direct-mapped: upper half of the hash of an evicted key, number of that eviction.
    @usableFromInline var ghosts: UnsafeMutablePointer<UInt64>
    @usableFromInline var ghostNumber: UInt32 = 1
    @usableFromInline var lastVersion: UInt16 = 0
    @usableFromInline var isLRU: Bool
    @usableFromInline var probationShare: Double
    @usableFromInline var costLimit = Int.max
    @usableFromInline var countLimit = Int.max
    @usableFromInline var entryCostLimit = Int.max
    @usableFromInline var hits = 0
    @usableFromInline var misses = 0
    @usableFromInline var evictions = 0

    @usableFromInline
    init(policy: MemoryCachePolicy) {
        switch policy {
        case .lru: (isLRU, probationShare) = (true, 0)
        case .s3fifo(let share): (isLRU, probationShare) = (false, share.isNaN ? 0.25 : min(max(share, 0), 1))
        }
        capacity = 32
        mask = 63
        slots = Self.allocateSlots(32)
        keyAreas = Self.allocateKeyAreas(32)
        table = Self.allocateTable(64)
        ghosts = Self.allocateTable(64)
    }

    mutating func allocateSmall() {
        capacity = 32
        mask = 63
        slots = Self.allocateSlots(32)
        keyAreas = Self.allocateKeyAreas(32)
        table = Self.allocateTable(64)
        ghosts = Self.allocateTable(64)
    }

    @inlinable static var payloadOffset: Int {
        let alignment = MemoryLayout<Payload>.alignment
        return (MemoryLayout<Header>.size + alignment - 1) & ~(alignment - 1)
    }

    @inlinable static var slotStride: Int {
        let alignment = max(MemoryLayout<Payload>.alignment, MemoryLayout<Header>.alignment)
        return (payloadOffset + MemoryLayout<Payload>.size + alignment - 1) & ~(alignment - 1)
    }

    static func allocateSlots(_ count: Int) -> UnsafeMutableRawPointer {
        allocate(byteCount: count * slotStride, alignment: max(64, MemoryLayout<Payload>.alignment))
    }

    static func allocateTable(_ count: Int) -> UnsafeMutablePointer<UInt64> {
        let table = allocate(byteCount: count * 8, alignment: 64).bindMemory(to: UInt64.self, capacity: count)
        table.initialize(repeating: 0, count: count)
        return table
    }

    /// Slots and table are read at random: from some ten thousand entries on, a look-up would miss the translation of
    /// addresses twice.
    static func allocate(byteCount: Int, alignment: Int) -> UnsafeMutableRawPointer {
        let hugePage = 2 << 20
        guard byteCount >= hugePage else { return .allocate(byteCount: byteCount, alignment: alignment) }
        let memory = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: max(alignment, hugePage))
        ct_prefer_huge_pages(memory, byteCount)
        return memory
    }

    @inlinable @inline(__always)
    func header(_ slot: Int32) -> UnsafeMutablePointer<Header> {
        (slots + Int(slot) &* Self.slotStride).assumingMemoryBound(to: Header.self)
    }

    @inlinable @inline(__always)
    func payload(_ slot: Int32) -> UnsafeMutablePointer<Payload> {
        (slots + (Int(slot) &* Self.slotStride &+ Self.payloadOffset)).assumingMemoryBound(to: Payload.self)
    }

    @inlinable var count: Int { probation.count &+ main.count }
    @inlinable var cost: Int { probation.cost &+ main.cost }

    /// The slot of `key`, or -1.
    @inlinable @inline(__always)
    func find(_ key: Key, _ hash: Int) -> Int32 {
        let tag = UInt64(truncatingIfNeeded: hash) >> 32
        let table = self.table
        let mask = self.mask
        var position = Int(truncatingIfNeeded: tag) & mask
        while true {
            let word = table[position]
            if word == 0 { return -1 }
            if word >> 32 == tag {
                let slot = Int32(truncatingIfNeeded: word) &- 1
                prefetchContents(slot)
                if header(slot).pointee.hash == hash, isKey(of: slot, key) { return slot }
            }
            position = (position &+ 1) & mask
        }
    }

    // MARK: What will be needed

    /// Fetches what a hit touches besides the slot: the bytes of the key and the object behind the value. Asked for
    /// together, they are waited for once.
    @inlinable @inline(__always)
    func prefetchContents(_ slot: Int32) {
        if let keyAreas {
            let area = keyAreas + Int(slot) &* Self.keyAreaStride
            ct_prefetch(area)
            ct_prefetch(area + 64)
        }
        let payload = self.payload(slot)
        if let offset = MemoryLayout<Payload>.offset(of: \.value), MemoryLayout<Value>.size >= 8 {
            Self.prefetchObject(of: payload, at: offset, from: 0)
        }
    }

    /// Takes a word of a slot for a reference. Where it is none, an address that leads nowhere does no harm.
    @inlinable @inline(__always)
    static func prefetchObject(of payload: UnsafeMutablePointer<Payload>, at offset: Int, from start: UInt) {
        let word = UnsafeRawPointer(payload).loadUnaligned(fromByteOffset: offset, as: UInt.self)
        // The upper bits of a string's reference hold its kind.
        ct_prefetch(UnsafeRawPointer(bitPattern: word & 0x00ff_ffff_ffff_ffff &+ start))
    }

    /// Fetches what inserting a key and, at the limit, the eviction that follows touch.
    @inlinable @inline(__always)
    func prefetchForInsertion(_ hash: Int) {
        ct_prefetch(table + home(of: UInt64(truncatingIfNeeded: hash)))
        ct_prefetch(ghosts + hash & mask)
        if let keyAreas {
            let area = keyAreas + Int(max(0, free)) &* Self.keyAreaStride
            ct_prefetch(area)
            ct_prefetch(area + 64)
        }
        let victim = probation.tail
        guard count >= countLimit || cost >= costLimit &- costLimit / 64, victim >= 0 else { return }
        let node = header(victim)
        ct_prefetch(header(max(0, node.pointee.previous)))
        ct_prefetch(table + home(of: UInt64(truncatingIfNeeded: node.pointee.hash)))
        ct_prefetch(ghosts + node.pointee.hash & mask)
        let payload = self.payload(victim)
        if let offset = MemoryLayout<Payload>.offset(of: \.value), MemoryLayout<Value>.size >= 8 {
            Self.prefetchObject(of: payload, at: offset, from: 0)
        }
    }

    // MARK: Queues

    @inlinable
    mutating func link(_ slot: Int32, to queue: UInt8) {
        let node = header(slot)
        node.pointee.queue = queue
        node.pointee.previous = -1
        if queue == Self.inProbation {
            node.pointee.next = probation.head
            if probation.head >= 0 { header(probation.head).pointee.previous = slot } else { probation.tail = slot }
            probation.head = slot
            probation.count &+= 1
            probation.cost &+= node.pointee.cost
        } else {
            node.pointee.next = main.head
            if main.head >= 0 { header(main.head).pointee.previous = slot } else { main.tail = slot }
            main.head = slot
            main.count &+= 1
            main.cost &+= node.pointee.cost
        }
    }

    @inlinable
    mutating func unlink(_ slot: Int32) {
        let node = header(slot)
        let previous = node.pointee.previous
        let next = node.pointee.next
        if previous >= 0 { header(previous).pointee.next = next }
        if next >= 0 { header(next).pointee.previous = previous }
        if node.pointee.queue == Self.inProbation {
            if previous < 0 { probation.head = next }
            if next < 0 { probation.tail = previous }
            probation.count &-= 1
            probation.cost &-= node.pointee.cost
        } else {
            if previous < 0 { main.head = next }
            if next < 0 { main.tail = previous }
            main.count &-= 1
            main.cost &-= node.pointee.cost
        }
    }

    /// A hit: LRU moves the entry to the front, S3-FIFO only counts.
    @inlinable @inline(__always)
    mutating func touch(_ slot: Int32) {
        let node = header(slot)
        if isLRU {
            if main.head != slot {
                unlink(slot)
                link(slot, to: Self.inMain)
            }
        } else if node.pointee.frequency < 3 {
            node.pointee.frequency &+= 1
        }
    }
}
