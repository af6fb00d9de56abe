import CAllocationCount
import Foundation
import TintypeCaching

extension Job {
    /// With room for `capacity` entries.
    static let memory: [Job] =
        contenders.flatMap { name, make in
            [
                Job(name: "mixed", by: name) { try mixed(ZipfLoad(capacity: $0.number("capacity")), $0, make) },
                Job(name: "hits", by: name) { try hits(ZipfLoad(capacity: $0.number("capacity")), make) },
                Job(name: "sets at the limit", by: name) { try sets(ZipfLoad(capacity: $0.number("capacity")), make) },
            ]
        }

    private typealias Make = @Sendable (ZipfLoad, _ costLimit: Int?) -> any MemoryContender

    private static let contenders: [(String, Make)] = [
        ("tintype", { TintypeMemory($0, costLimit: $1) }),
        ("tintype .lru", { TintypeMemory($0, costLimit: $1, policy: .lru) }),
        ("NSCache", { FoundationMemory($0, costLimit: $1) }),
        ("textbook LRU", { load, _ in TextbookLRU(load) }),
    ]

    /// Looks up, and sets on each miss, on `threads` threads, `operations` times each.
    private static func mixed(_ load: ZipfLoad, _ parameters: Parameters, _ make: Make) throws -> Work {
        let contender = make(load, nil)
        let threads = parameters.optionalNumber("threads") ?? 1
        let operations = try parameters.number("operations")
        mix(contender, load, from: 0, load.capacity * 8)
        return Work(operations: operations * threads) {
            guard threads > 1 else { return mix(contender, load, from: 0, operations) }
            DispatchQueue.concurrentPerform(iterations: threads) {
                mix(contender, load, from: $0 * 777_777, operations)
            }
        }
    }

    private static func mix(_ contender: some MemoryContender, _ load: ZipfLoad, from start: Int, _ operations: Int) {
        let count = load.sequence.count
        var position = start % count
        for _ in 0..<operations {
            let index = Int(load.sequence[position])
            if contender.get(index) == nil { contender.set(load.values[index], index, cost: 1) }
            position += 1
            if position == count { position = 0 }
        }
    }

    /// Look-ups that all hit, in random order.
    private static func hits(_ load: ZipfLoad, _ make: Make) throws -> Work {
        let contender = make(load, nil)
        var generator = SplitMix(state: 7)
        let order = (0..<load.capacity).shuffled(using: &generator)
        for index in order { contender.set(load.values[index], index, cost: 1) }
        return Work.withFigures(operations: load.capacity) { hitAll(contender, order) }
    }

    private static func hitAll(_ contender: some MemoryContender, _ order: [Int]) -> [String: Double] {
        let before = allocation_count()
        var hits = 0
        for index in order where contender.get(index) != nil { hits += 1 }
        return [
            "allocations": Double(allocation_count() - before) / Double(order.count),
            "hits": Double(hits) / Double(order.count),
        ]
    }

    /// New keys with costs from 1 to a million, at the cost limit: each set evicts.
    private static func sets(_ load: ZipfLoad, _ make: Make) throws -> Work {
        var generator = SplitMix(state: 9)
        let costs = load.lookups.indices.map { _ in Int(generator.next() % 1_000_000) + 1 }
        let contender = make(load, load.capacity * 500_000)
        setAll(contender, load, costs)
        return Work(operations: costs.count) { setAll(contender, load, costs) }
    }

    private static func setAll(_ contender: some MemoryContender, _ load: ZipfLoad, _ costs: [Int]) {
        for index in costs.indices { contender.set(load.values[index], index, cost: costs[index]) }
    }
}
