import TintypeBase

/// The queue of transfers, with limits in total and per host, priorities and order. Confined to the transfer thread.
///
/// Each host has a heap of its own, so that a host without a free slot costs nothing when the next transfer is chosen.
struct TransferQueue {
    /// A waiting transfer. A new generation makes older entries of the same transfer void.
    private struct Entry {
        let id: UInt64
        /// Redirects and retries start before all others, because their callers wait already.
        let isUrgent: Bool
        let priority: TransferPriority
        let rank: Int64
        let generation: Int64

        static func before(_ left: Entry, _ right: Entry) -> Bool {
            if left.isUrgent != right.isUrgent { return left.isUrgent }
            if left.priority != right.priority { return left.priority > right.priority }
            return left.rank < right.rank
        }
    }

    private struct Waiting {
        let host: String
        let isUrgent: Bool
        let rank: Int64
        var generation: Int64
    }

    private struct Host {
        var heap = BinaryHeap<Entry>(before: Entry.before)
        var running = 0
    }

    var maximumRunning: Int
    var maximumPerHost: Int
    var order: TransferOrder
    /// Transfers of a lower priority stay in the queue.
    var minimumPriority = TransferPriority.veryLow
    private(set) var running = 0
    private var sequence: Int64 = 0
    private var waiting: [UInt64: Waiting] = [:]
    private var hosts: [String: Host] = [:]

    init(maximumRunning: Int, maximumPerHost: Int, order: TransferOrder) {
        self.maximumRunning = maximumRunning
        self.maximumPerHost = maximumPerHost
        self.order = order
    }

    var waitingCount: Int { waiting.count }

    mutating func enqueue(_ id: UInt64, host: String, priority: TransferPriority, isUrgent: Bool = false) {
        sequence += 1
        let rank = order == .lifo && !isUrgent ? -sequence : sequence
        waiting[id] = Waiting(host: host, isUrgent: isUrgent, rank: rank, generation: sequence)
        push(id, priority: priority)
    }

    mutating func setPriority(_ priority: TransferPriority, of id: UInt64) {
        guard waiting[id] != nil else { return }
        sequence += 1
        waiting[id]?.generation = sequence
        push(id, priority: priority)
    }

    private mutating func push(_ id: UInt64, priority: TransferPriority) {
        guard let place = waiting[id] else { return }
        hosts[place.host, default: Host()].heap.insert(
            Entry(
                id: id, isUrgent: place.isUrgent, priority: priority, rank: place.rank, generation: place.generation))
    }

    /// Removes a waiting transfer; returns false if it does not wait.
    @discardableResult
    mutating func remove(_ id: UInt64) -> Bool {
        guard let place = waiting.removeValue(forKey: id) else { return false }
        dropHostIfEmpty(place.host)
        return true
    }

    /// Returns the transfer to start now, and takes a slot for it; nil if none may start.
    ///
    /// - Parameter idling: The number of stalled transfers, which do not count.
    mutating func next(idling: Int = 0) -> UInt64? {
        guard running - idling < maximumRunning, !waiting.isEmpty else { return nil }
        var best: (host: String, entry: Entry)?
        for host in hosts.keys {
            guard let entry = first(of: host), hosts[host]?.running ?? 0 < maximumPerHost else { continue }
            guard entry.isUrgent || entry.priority >= minimumPriority else { continue }
            if let current = best, !Entry.before(entry, current.entry) { continue }
            best = (host, entry)
        }
        guard let best else { return nil }
        _ = hosts[best.host]?.heap.removeFirst()
        waiting[best.entry.id] = nil
        hosts[best.host]?.running += 1
        running += 1
        return best.entry.id
    }

    /// Releases a slot.
    mutating func finish(host: String) {
        running -= 1
        hosts[host]?.running -= 1
        dropHostIfEmpty(host)
    }

    /// Returns the first entry of a host that is not void.
    private mutating func first(of host: String) -> Entry? {
        while let entry = hosts[host]?.heap.first {
            if waiting[entry.id]?.generation == entry.generation, waiting[entry.id]?.host == host { return entry }
            _ = hosts[host]?.heap.removeFirst()
        }
        return nil
    }

    private mutating func dropHostIfEmpty(_ host: String) {
        guard let state = hosts[host], state.running == 0, first(of: host) == nil else { return }
        hosts[host] = nil
    }
}

/// The order of transfers of equal priority.
public enum TransferOrder: Hashable, Sendable {
    /// The transfer that was enqueued first starts first.
    case fifo
    /// The transfer that was enqueued last starts first: visible rows come before those scrolled past.
    case lifo
}
