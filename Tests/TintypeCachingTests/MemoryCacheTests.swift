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

    @Test("S77: a key built at run time finds the entry; 1,000 sets of one key are one entry")
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
        for count in 0..<40 {
            let key = String(repeating: "x", count: count)
            cache.set(count, for: key)
            #expect(cache.value(for: key) == count && !cache.contains(key + "y"))
        }
    }

    @Test("Keys of any length and alphabet come back whole from listings and callbacks")
    func keysComeBackWhole() {
        let departed = Recorder<String>()
        let cache = MemoryCache<String, Int>(.init(onEviction: { key, _, _ in departed.append(key) }))
        var keys = (0..<200).map { String(repeating: "k", count: $0) + "\($0)" }
        for length in [0, 1, 15, 16, 126, 127, 128, 300] {
            keys.append(String(repeating: "x", count: length))
            keys.append(String(repeating: "x", count: length) + "\u{E9}")
        }
        for (number, key) in keys.enumerated() { cache.set(number, for: key) }
        #expect(cache.keys == keys)
        for (number, key) in keys.enumerated() { #expect(cache.value(for: key) == number) }
        for key in keys.prefix(100) { cache.remove(key) }
        #expect(departed.values == Array(keys.prefix(100)))
        cache.trim(toCount: 50)
        cache.removeAll()
        #expect(Set(departed.values) == Set(keys))
        #expect(departed.values.count == keys.count)
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

    @Test("Keys of any length that differ in one byte are different keys, whatever instance asks")
    func singleBytes() {
        let cache = MemoryCache<String, String>(.init())
        for count in [1, 7, 8, 15, 16, 17, 31, 32, 33, 47, 48, 63, 64, 65, 100] {
            let bytes = (0..<count).map { UInt8(97 + $0 % 26) }
            let key = String(decoding: bytes, as: UTF8.self)
            cache.set(key, for: key)
            for index in 0..<count {
                var other = bytes
                other[index] = UInt8(ascii: "#")
                cache.set("\(count) \(index)", for: String(decoding: other, as: UTF8.self))
            }
            for index in 0..<count {
                var other = bytes
                other[index] = UInt8(ascii: "#")
                #expect(cache.value(for: String(decoding: other, as: UTF8.self)) == "\(count) \(index)")
            }
            #expect(cache.value(for: String(decoding: bytes, as: UTF8.self)) == key)
            #expect(cache.value(for: key + "\u{0}") == nil)
        }
    }

    @Test(
        "S77: the cost never exceeds its limit, a set replaces the cost of its key",
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
        cache.countLimit = 0
        #expect(cache.count == 0)
        cache.set(1, for: 1)
        #expect(cache.count <= 1)
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
