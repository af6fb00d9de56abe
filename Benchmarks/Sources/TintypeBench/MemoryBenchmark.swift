import CAllocationCount
import Foundation
import TintypeCaching

extension Subject {
    static let memory = Subject(
        name: "memory", summary: "memory cache against NSCache and a textbook LRU: Zipf 0.9, hits, sets at the limit"
    ) { measurement in
        for capacity in [1_000, 10_000, 100_000] where measurement.filter.isEmpty || measurement.filter == "\(capacity)"
        {
            let load = ZipfLoad(capacity: capacity)
            for threads in [1, 2] {
                compareMixed(load, threads: threads, measurement)
            }
            compareHits(load)
            setAtCostLimit(load)
        }
    }
}

/// What every contender can do.
private protocol Contender: Sendable {
    func get(_ index: Int) -> Payload?
    func set(_ value: Payload, _ index: Int, cost: Int)
}

private final class Payload: Sendable {
    let number: Int
    init(_ number: Int) { self.number = number }
}

/// 70-byte URLs, four times as many as fit, asked for by a Zipf law. Look-up keys are other instances than stored ones.
private struct ZipfLoad: Sendable {
    let capacity: Int
    let lookups: [String]
    let stored: [String]
    let values: [Payload]
    let sequence: [Int32]

    init(capacity: Int) {
        self.capacity = capacity
        let count = capacity * 4
        func url(_ index: Int) -> String {
            let digits = String(index)
            let name = String(repeating: "0", count: 10 - digits.count) + digits
            return "https://images.example.org/photos/2024/album-0042/picture-\(name)-l.jpg"
        }
        lookups = (0..<count).map(url)
        stored = (0..<count).map(url)
        values = (0..<count).map(Payload.init)
        var generator = SplitMix(state: 42)
        var cumulative: [Double] = []
        var sum = 0.0
        for rank in 1...count {
            sum += 1 / pow(Double(rank), 0.9)
            cumulative.append(sum)
        }
        let order = (0..<Int32(count)).shuffled(using: &generator)
        sequence = (0..<2_000_000).map { _ in
            let point = Double(generator.next() >> 11) / Double(1 << 53) * sum
            var (low, high) = (0, count - 1)
            while low < high {
                let middle = (low + high) / 2
                if cumulative[middle] < point { low = middle + 1 } else { high = middle }
            }
            return order[low]
        }
    }
}

struct SplitMix: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

private struct Tintype: Contender {
    let cache: MemoryCache<String, Payload>
    let load: ZipfLoad
    init(_ load: ZipfLoad, costLimit: Int? = nil, policy: MemoryCachePolicy = .default) {
        self.load = load
        cache = MemoryCache(
            .init(countLimit: costLimit == nil ? load.capacity : nil, costLimit: costLimit, policy: policy))
    }
    func get(_ index: Int) -> Payload? { cache.value(for: load.lookups[index]) }
    func set(_ value: Payload, _ index: Int, cost: Int) { cache.set(value, for: load.stored[index], cost: cost) }
}

// `NSCache` is thread-safe; the class is only marked unavailable for Sendable.
private final class Foundations: Contender, @unchecked Sendable {
    let cache = NSCache<NSString, Payload>()
    let lookups: [NSString]
    let stored: [NSString]
    init(_ load: ZipfLoad, costLimit: Int? = nil) {
        if let costLimit { cache.totalCostLimit = costLimit } else { cache.countLimit = load.capacity }
        lookups = load.lookups.map { NSString(string: $0) }
        stored = load.stored.map { NSString(string: $0) }
    }
    func get(_ index: Int) -> Payload? { cache.object(forKey: lookups[index]) }
    func set(_ value: Payload, _ index: Int, cost: Int) { cache.setObject(value, forKey: stored[index], cost: cost) }
    deinit { cache.removeAllObjects() }
}

/// Dictionary, doubly linked list of objects, lock: what one writes in half an hour.
private final class TextbookLRU: Contender, @unchecked Sendable {
    final class Node {
        let key: String
        var value: Payload
        unowned(unsafe) var previous: Node?
        var next: Node?
        init(_ key: String, _ value: Payload) {
            self.key = key
            self.value = value
        }
    }
    let lock = NSLock()
    var nodes: [String: Node] = [:]
    var head: Node?
    var tail: Node?
    let load: ZipfLoad
    init(_ load: ZipfLoad) { self.load = load }

    func unlink(_ node: Node) {
        if let previous = node.previous { previous.next = node.next } else { head = node.next }
        if let next = node.next { next.previous = node.previous } else { tail = node.previous }
        node.previous = nil
        node.next = nil
    }

    func push(_ node: Node) {
        node.next = head
        head?.previous = node
        head = node
        if tail == nil { tail = node }
    }

    func get(_ index: Int) -> Payload? {
        lock.lock()
        defer { lock.unlock() }
        guard let node = nodes[load.lookups[index]] else { return nil }
        unlink(node)
        push(node)
        return node.value
    }

    func set(_ value: Payload, _ index: Int, cost: Int) {
        lock.lock()
        defer { lock.unlock() }
        let key = load.stored[index]
        if let node = nodes[key] {
            node.value = value
            unlink(node)
            push(node)
            return
        }
        let node = Node(key, value)
        nodes[key] = node
        push(node)
        if nodes.count > load.capacity, let oldest = tail {
            unlink(oldest)
            nodes[oldest.key] = nil
        }
    }

    deinit {
        while let node = head { unlink(node) }
    }
}

/// CPU time of this thread: what a neighbour on the machine does not change much.
private func seconds(clock: clockid_t = CLOCK_THREAD_CPUTIME_ID, _ body: () -> Void) -> Double {
    func now() -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    let start = now()
    body()
    return now() - start
}

/// Look up, and set on each miss. Returns operations per second of all threads together.
private func mixed(_ contender: some Contender, _ load: ZipfLoad, threads: Int, operations: Int) -> Double {
    let count = load.sequence.count
    @Sendable func run(_ thread: Int) -> Int {
        var position = thread * 777_777 % count
        var hits = 0
        for _ in 0..<operations {
            let index = Int(load.sequence[position])
            if contender.get(index) == nil { contender.set(load.values[index], index, cost: 1) } else { hits += 1 }
            position += 1
            if position == count { position = 0 }
        }
        return hits
    }
    let time = seconds(clock: threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC) {
        if threads == 1 { _ = run(0) } else { DispatchQueue.concurrentPerform(iterations: threads) { _ = run($0) } }
    }
    return Double(operations * threads) / time
}

private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

private func compareMixed(_ load: ZipfLoad, threads: Int, _ measurement: Measurement) {
    let tintype = Tintype(load)
    let lru = Tintype(load, policy: .lru)
    let textbook = TextbookLRU(load)
    let foundation = Foundations(load)
    // Warm: fill each one.
    _ = mixed(tintype, load, threads: 1, operations: load.capacity * 8)
    _ = mixed(lru, load, threads: 1, operations: load.capacity * 8)
    _ = mixed(textbook, load, threads: 1, operations: load.capacity * 8)
    _ = mixed(foundation, load, threads: 1, operations: load.capacity * 4)
    var rates: [[Double]] = [[], [], [], []]
    for _ in 0..<7 {
        rates[0].append(mixed(tintype, load, threads: threads, operations: 1_000_000))
        rates[1].append(mixed(lru, load, threads: threads, operations: 1_000_000))
        rates[2].append(mixed(textbook, load, threads: threads, operations: 400_000))
        rates[3].append(mixed(foundation, load, threads: threads, operations: 100_000))
    }
    let medians = rates.map(median)
    let line = String(
        format:
            "mixed %6d entries %d thread: tintype %.0f ns/op %.2f M/s | .lru %.0f ns | textbook %.0f ns | NSCache %.0f ns"
            + " | %.1fx NSCache, %.1fx textbook",
        load.capacity, threads, 1e9 / medians[0], medians[0] / 1e6, 1e9 / medians[1], 1e9 / medians[2],
        1e9 / medians[3], medians[0] / medians[3], medians[0] / medians[2])
    print(line)
}

private func compareHits(_ load: ZipfLoad) {
    let tintype = Tintype(load)
    let foundation = Foundations(load)
    var generator = SplitMix(state: 7)
    let order = (0..<load.capacity).shuffled(using: &generator)
    for index in 0..<load.capacity {
        tintype.set(load.values[index], index, cost: 1)
        foundation.set(load.values[index], index, cost: 1)
    }
    var times: [[Double]] = [[], []]
    var allocations: UInt64 = 0
    let rounds = max(1, 1_000_000 / load.capacity)
    for _ in 0..<7 {
        let before = allocation_count()
        times[0].append(
            seconds { for _ in 0..<rounds { for index in order { _ = tintype.get(index)?.number } } })
        allocations += allocation_count() - before
        times[1].append(
            seconds { for _ in 0..<max(1, rounds / 10) { for index in order { _ = foundation.get(index)?.number } } })
    }
    print(
        String(
            format: "hit   %6d entries: tintype %.0f ns, %d allocations in %d hits | NSCache %.0f ns", load.capacity,
            median(times[0]) / Double(rounds * load.capacity) * 1e9, Int(allocations), 7 * rounds * load.capacity,
            median(times[1]) / Double(max(1, rounds / 10) * load.capacity) * 1e9))
}

/// New keys with costs from 1 to a million, at the cost limit: each set evicts.
private func setAtCostLimit(_ load: ZipfLoad) {
    var generator = SplitMix(state: 9)
    let costs = (0..<load.lookups.count).map { _ in Int(generator.next() % 1_000_000) + 1 }
    let tintype = Tintype(load, costLimit: load.capacity * 500_000)
    for index in load.lookups.indices { tintype.set(load.values[index], index, cost: costs[index]) }
    var times: [Double] = []
    for _ in 0..<7 {
        times.append(
            seconds {
                for index in load.lookups.indices { tintype.set(load.values[index], index, cost: costs[index]) }
            })
    }
    print(
        String(
            format: "set   %6d entries at the cost limit: %.0f ns", load.capacity,
            median(times) / Double(load.lookups.count) * 1e9))
}
