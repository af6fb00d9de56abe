import Foundation
import Testing

@testable import TintypeCaching

@Suite("Memory cache: reference sequences and limits")
struct MemoryCacheLimitTests {
    @Test("Limit 30 and 100 inserts keeps 70…99 in order", arguments: [MemoryCachePolicy.default, .lru])
    func keepsTheNewest(policy: MemoryCachePolicy) {
        let evicted = Recorder<Int>()
        let cache = MemoryCache<Int, String>(
            .init(countLimit: 30, policy: policy, onEviction: { key, _, _ in evicted.append(key) }))
        for number in 0..<100 { cache.set("\(number)", for: number) }
        #expect(cache.keys == Array(70..<100))
        #expect(evicted.values == Array(0..<70))
        for number in 0..<70 { #expect(cache.value(for: number) == nil) }
        for number in 70..<100 { #expect(cache.value(for: number) == "\(number)") }
    }

    @Test(
        "Limit 10 and 20 inserts, each read after it: 0…9 go one by one, oldest first, and the callback sees each",
        arguments: [MemoryCachePolicy.default, .lru])
    func evictsOneByOne(policy: MemoryCachePolicy) {
        let evicted = Recorder<[Int]>()
        let cache = MemoryCache<Int, Int>(
            .init(
                countLimit: 10, policy: policy,
                onEviction: { key, value, reason in evicted.append([key, value, reason == .limit ? 1 : 0]) }))
        for number in 0..<20 {
            cache.set(number * 2, for: number)
            #expect(evicted.values.count == max(0, number - 9))
            #expect(cache.value(for: number) == number * 2)
        }
        #expect(evicted.values == (0..<10).map { [$0, $0 * 2, 1] })
        for number in 10..<20 { #expect(cache.contains(number)) }
        #expect(cache.statistics.evictions == 10)
    }

    @Test("A key built at run time finds the entry; 1,000 sets of one key are one entry")
    func equalKeys() {
        let cache = MemoryCache<String, Int>(.init(countLimit: 5))
        let key = ["https:/", "example.org", "a-long-name-that-is-not-inline.png"].joined(separator: "/")
        cache.set(1, for: key)
        #expect(cache.value(for: String(decoding: Array(key.utf8), as: UTF8.self)) == 1)
        for number in 0..<1000 { cache.set(number, for: key, cost: number) }
        #expect(cache.value(for: key) == 999)
        #expect(cache.count == 1 && cache.totalCost == 999)
    }

    @Test("Equal strings are one key however they are written")
    func canonicalEquivalence() {
        let cache = MemoryCache<String, Int>(.init())
        for (first, second) in [
            ("caf\u{E9}", "cafe\u{301}"), ("K", "\u{212A}"), (";", "\u{37E}"), ("`x", "\u{1FEF}x"),
            (String(repeating: "a", count: 40) + "K", String(repeating: "a", count: 40) + "\u{212A}"),
        ] {
            #expect(first == second)
            cache.set(1, for: first)
            #expect(cache.value(for: second) == 1)
            cache.set(2, for: second)
            #expect(cache.value(for: first) == 2)
            cache.remove(first)
            #expect(!cache.contains(second))
        }
    }

    @Test("Keys with equal hashes are different keys", arguments: [MemoryCachePolicy.default, .lru])
    func equalHashes(policy: MemoryCachePolicy) {
        struct Key: Hashable {
            let number: Int
            func hash(into hasher: inout Hasher) { hasher.combine(number % 3) }
        }
        let cache = MemoryCache<Key, Int>(.init(countLimit: 20, policy: policy))
        var generator = SeededGenerator(state: 3)
        var model: [Int: Int] = [:]
        for step in 0..<4000 {
            let number = Int.random(in: 0..<40, using: &generator)
            switch step % 5 {
            case 0:
                cache.remove(Key(number: number))
                #expect(!cache.contains(Key(number: number)))
            case 1, 2:
                cache.set(step, for: Key(number: number))
                model[number] = step
            default:
                if let value = cache.value(for: Key(number: number)) { #expect(value == model[number]) }
            }
            #expect(cache.count <= 20)
        }
        for key in cache.keys { #expect(cache.value(for: key) == model[key.number]) }
        cache.trim(toCount: 0)
        #expect(cache.keys.isEmpty)
    }

    @Test("Without a callback the same entries stay as with one", arguments: [MemoryCachePolicy.default, .lru])
    func callbackChangesNothing(policy: MemoryCachePolicy) {
        // Numbers: their hashes are the same in both, and with them what is remembered of the evicted.
        let quiet = MemoryCache<Int, Int>(.init(countLimit: 40, costLimit: 1000, policy: policy))
        let watched = MemoryCache<Int, Int>(
            .init(countLimit: 40, costLimit: 1000, policy: policy, onEviction: { _, _, _ in }))
        for _ in 0..<5000 {
            let number = Int.random(in: 0..<120)
            let cost = Int.random(in: 1...300)
            for cache in [quiet, watched] where cache.value(for: number) == nil {
                cache.set(-number, for: number, cost: cost)
            }
        }
        #expect(quiet.keys == watched.keys)
        #expect(quiet.statistics.evictions == watched.statistics.evictions)
        for key in quiet.keys { #expect(quiet.value(for: key) == -key) }
    }

    @Test(
        "The cost never exceeds its limit, a set replaces the cost of its key",
        arguments: [MemoryCachePolicy.default, .lru])
    func cost(policy: MemoryCachePolicy) {
        let cache = MemoryCache<Int, Int>(.init(costLimit: 10 << 20, policy: policy))
        for number in 0..<100 {
            cache.set(number, for: number, cost: 1 << 20)
            #expect(cache.totalCost <= 10 << 20)
            #expect(cache.contains(number))
        }
        #expect(cache.keys == Array(90..<100))
        cache.set(0, for: 95, cost: 2 << 20)
        #expect(cache.contains(95) && cache.count == 9 && cache.totalCost == 10 << 20)
        cache.set(0, for: 95, cost: 0)
        #expect(cache.totalCost == 8 << 20)
        cache.set(0, for: 96, cost: -5)
        #expect(cache.totalCost == 7 << 20)
    }

    @Test("An entry over a quarter of the limit is not stored, and the old value of its key goes")
    func entryCap() {
        let reasons = Recorder<EvictionReason>()
        let cache = MemoryCache<Int, Int>(.init(costLimit: 100, onEviction: { _, _, reason in reasons.append(reason) }))
        cache.set(1, for: 1, cost: 25)
        #expect(cache.value(for: 1) == 1)
        cache.set(2, for: 1, cost: 26)
        #expect(cache.value(for: 1) == nil)
        #expect(reasons.values == [.replaced])
        #expect(cache.totalCost == 0)
        let whole = MemoryCache<Int, Int>(.init(costLimit: 100, entryCostFraction: 1))
        whole.set(1, for: 1, cost: 100)
        #expect(whole.contains(1))
    }

    @Test("Limits change at run time and hold at once", arguments: [MemoryCachePolicy.default, .lru])
    func runTimeLimits(policy: MemoryCachePolicy) {
        let cache = MemoryCache<Int, Int>(.init(costLimit: nil, policy: policy))
        for number in 0..<1000 { cache.set(number, for: number, cost: 10) }
        #expect(cache.costLimit == nil && cache.countLimit == nil)
        cache.countLimit = 100
        #expect(cache.count == 100 && cache.keys == Array(900..<1000))
        cache.costLimit = 500
        #expect(cache.totalCost == 500 && cache.costLimit == 500)
        cache.countLimit = nil
        cache.costLimit = nil
        for number in 0..<1000 { cache.set(number, for: number, cost: 10) }
        #expect(cache.count == 1000)
        cache.trim(toCost: 95)
        #expect(cache.totalCost == 90)
        cache.trim(toCount: 3)
        #expect(cache.count == 3)
    }

    @Test("A limit of 0 means no limit", arguments: [MemoryCachePolicy.default, .lru])
    func zeroLimits(policy: MemoryCachePolicy) {
        let cache = MemoryCache<Int, Int>(.init(countLimit: 0, costLimit: 0, policy: policy))
        for number in 0..<1000 { cache.set(number, for: number, cost: 1 << 40) }
        #expect(cache.count == 1000 && cache.countLimit == nil && cache.costLimit == nil)
        cache.countLimit = 10
        cache.countLimit = 0
        cache.costLimit = 1 << 42
        cache.costLimit = 0
        for number in 0..<1000 { cache.set(number, for: number, cost: 1 << 43) }
        #expect(cache.count == 1000)
    }

    @Test("A cost that changes later counts at once")
    func updatedCost() {
        let cache = MemoryCache<Int, Int>(.init(costLimit: 100))
        for number in 0..<5 { cache.set(number, for: number, cost: 20) }
        cache.updateCost(5, for: 4)
        cache.updateCost(1000, for: 7)
        #expect(cache.totalCost == 85 && cache.count == 5)
        cache.updateCost(40, for: 4)
        #expect(cache.totalCost == 100 && cache.keys == [1, 2, 3, 4])
    }

    @Test("LRU takes the least recently used")
    func lru() {
        let cache = MemoryCache<Int, Int>(.init(countLimit: 3, policy: .lru))
        for number in 1...3 { cache.set(number, for: number) }
        _ = cache.value(for: 1)
        cache.set(4, for: 4)
        #expect(!cache.contains(2) && cache.contains(1))
        // Asking whether it is there is not a use.
        _ = cache.contains(3)
        cache.set(5, for: 5)
        #expect(!cache.contains(3))
    }

    @Test("Prefetching 10,000 images does not flush the 200 in use")
    func scanResistance() {
        let cache = MemoryCache<Int, Int>(.init(countLimit: 400))
        for number in 0..<200 { cache.set(number, for: number) }
        for number in 0..<200 { _ = cache.value(for: number) }
        for number in 1000..<11_000 { cache.set(number, for: number) }
        #expect((0..<200).allSatisfy { cache.contains($0) })
        let byCost = MemoryCache<Int, Int>(.init(costLimit: 400_000))
        for number in 0..<200 { byCost.set(number, for: number, cost: 1000) }
        for number in 0..<200 { _ = byCost.value(for: number) }
        for number in 1000..<11_000 { byCost.set(number, for: number, cost: 500 + number % 1000) }
        #expect((0..<200).allSatisfy { byCost.contains($0) })
    }

    @Test("The newest entry survives its own set, whatever the limits", arguments: [0.0, 0.25, 0.5, 1.0])
    func newestSurvives(probation: Double) {
        for limit in 1...6 {
            let cache = MemoryCache<Int, Int>(.init(countLimit: limit, policy: .s3fifo(probation: probation)))
            for number in 0..<200 {
                cache.set(number, for: number % 17)
                #expect(cache.contains(number % 17))
                if number % 3 == 0 { _ = cache.value(for: (number * 5) % 17) }
                #expect(cache.count <= limit)
            }
        }
    }

    @Test("Memory pressure: some trims to half, full empties")
    func pressure() {
        let reasons = Recorder<EvictionReason>()
        let cache = MemoryCache<Int, Int>(.init(onEviction: { _, _, reason in reasons.append(reason) }))
        for number in 0..<100 { cache.set(number, for: number, cost: 10) }
        cache.handleMemoryPressure(.some)
        #expect(cache.totalCost == 500)
        cache.handleMemoryPressure(.full)
        #expect(cache.count == 0)
        #expect(reasons.values == Array(repeating: .pressure, count: 100))
    }
}
