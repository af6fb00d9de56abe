import CAllocationCount
import Foundation
import TintypeCaching

extension Job {
    /// With room for `capacity` entries.
    static let memory: [Job] =
        jobs(by: "tintype") { TintypeMemory($0, costLimit: $1) }
        + jobs(by: "tintype .lru") { TintypeMemory($0, costLimit: $1, policy: .lru) }
        + jobs(by: "NSCache") { FoundationMemory($0, costLimit: $1) }
        + jobs(by: "textbook LRU") { load, _ in TextbookLRU(load) }

    /// Generic, so that each contender is called directly.
    private static func jobs<Contender: MemoryContender>(
        by name: String, _ make: @escaping @Sendable (ZipfLoad, _ costLimit: Int?) -> Contender
    ) -> [Job] {
        [
            Job(name: "mixed", by: name) { parameters in
                let load = try ZipfLoad(capacity: parameters.number("capacity"))
                return try mixed(make(load, nil), load, parameters)
            },
            Job(name: "hits", by: name) { parameters in
                let load = try ZipfLoad(capacity: parameters.number("capacity"))
                return hits(make(load, nil), load)
            },
            Job(name: "sets at the limit", by: name) { parameters in
                let load = try ZipfLoad(capacity: parameters.number("capacity"))
                return sets(make(load, load.capacity * 500_000), load)
            },
        ]
    }

    /// Looks up, and sets on each miss, on `threads` threads, `operations` times each.
    private static func mixed(
        _ contender: some MemoryContender, _ load: ZipfLoad, _ parameters: Parameters
    ) throws -> Work {
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
    private static func hits(_ contender: some MemoryContender, _ load: ZipfLoad) -> Work {
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
    private static func sets(_ contender: some MemoryContender, _ load: ZipfLoad) -> Work {
        var generator = SplitMix(state: 9)
        let costs = load.lookups.indices.map { _ in Int(generator.next() % 1_000_000) + 1 }
        setAll(contender, load, costs)
        return Work(operations: costs.count) { setAll(contender, load, costs) }
    }

    private static func setAll(_ contender: some MemoryContender, _ load: ZipfLoad, _ costs: [Int]) {
        for index in costs.indices { contender.set(load.values[index], index, cost: costs[index]) }
    }
}
