import Foundation
import Testing

@testable import TintypeCaching

@Suite("Memory cache: time and callbacks")
struct MemoryCacheLifeTests {
    @Test("A time to live ends at its moment, equality included; a hit does not prolong it unless told to")
    func timeToLive() {
        let clock = TestClock()
        let reasons = Recorder<EvictionReason>()
        let cache = MemoryCache<String, Int>(
            .init(
                timeToLive: .seconds(10), now: { clock.duration },
                onEviction: { _, _, reason in reasons.append(reason) }))
        cache.set(1, for: "a")
        cache.set(2, for: "b", timeToLive: .seconds(30))
        cache.set(3, for: "c", timeToLive: .zero)
        #expect(!cache.contains("c"))
        clock.advance(9)
        #expect(cache.value(for: "a") == 1)
        clock.advance(1)
        #expect(!cache.contains("a"))
        #expect(cache.value(for: "a") == nil)
        #expect(cache.count == 1, "a lookup removes the expired entry that it finds")
        #expect(cache.value(for: "b") == 2)
        #expect(reasons.values == [.expiry])
        var statistics = cache.statistics
        #expect(statistics.hits == 2 && statistics.misses == 1 && statistics.evictions == 1)
        clock.advance(20)
        cache.removeExpired()
        #expect(cache.count == 0)
        // A time to live of zero takes the old value away.
        cache.set(1, for: "a")
        cache.set(2, for: "a", timeToLive: .seconds(-1))
        #expect(!cache.contains("a"))
        cache.set(1, for: "long", timeToLive: .seconds(Int64.max))
        clock.advance(1e9)
        #expect(cache.value(for: "long") == 1)
        statistics = cache.statistics
        #expect(statistics.hitRatio == 0.75)
    }

    @Test("Since last access: hits prolong, probes do not")
    func sinceLastAccess() {
        let clock = TestClock()
        let cache = MemoryCache<String, Int>(
            .init(timeToLive: .seconds(10), expiration: .sinceLastAccess, now: { clock.duration }))
        cache.set(1, for: "a")
        for _ in 0..<5 {
            clock.advance(9)
            #expect(cache.value(for: "a") == 1)
        }
        clock.advance(9)
        #expect(cache.contains("a"))
        clock.advance(1)
        #expect(cache.value(for: "a") == nil)
    }

    @Test("Callbacks name each reason and may use the cache; values are released outside the lock")
    func callbacks() {
        let log = Recorder<String>()
        let box = Recorder<MemoryCache<String, Object>>()
        let cache = MemoryCache<String, Object>(
            .init(
                countLimit: 2,
                onEviction: { key, _, reason in
                    // Under a lock these would deadlock.
                    _ = box.values.first?.value(for: "x")
                    _ = box.values.first?.statistics
                    log.append("\(key) \(reason)")
                }))
        box.append(cache)
        // Its deinit uses the cache too.
        cache.set(Object { _ = cache.contains("a") }, for: "a")
        cache.set(Object {}, for: "a")
        cache.set(Object { _ = cache.count }, for: "b")
        cache.set(Object {}, for: "c")
        cache.remove("a")
        cache.remove("a")
        cache.removeAll()
        // Setting a key again is a use of it: "b" goes before "a".
        #expect(log.values == ["a replaced", "b limit", "a removed", "c removed"])
        // The callback holds the box, and the box the cache.
        box.removeAll()
    }

    @Test("Everything is released with the cache, with removeAll, and when it is replaced")
    func releases() {
        let gone = Recorder<Int>()
        do {
            let cache = MemoryCache<Int, Object>(.init(countLimit: 500))
            for number in 0..<1000 { cache.set(Object { gone.append(number) }, for: number) }
            #expect(gone.values.count == 500)
            cache.removeAll()
            #expect(gone.values.count == 1000)
            for number in 0..<300 { cache.set(Object { gone.append(number) }, for: number) }
            cache.set(Object { gone.append(-1) }, for: 0)
            #expect(gone.values.count == 1001)
        }
        #expect(gone.values.count == 1301)
    }

    @Test("A timer removes expired entries without any access, and ends when none are left")
    func sweeping() async throws {
        let clock = TestClock()
        let reasons = Recorder<EvictionReason>()
        let cache = MemoryCache<Int, Int>(
            .init(
                sweepInterval: .milliseconds(5), now: { clock.duration },
                onEviction: { _, _, reason in reasons.append(reason) }))
        for round in 1...2 {
            cache.set(1, for: 1, timeToLive: .seconds(10))
            cache.set(2, for: 2)
            clock.advance(10)
            while cache.count > 1 { try await Task.sleep(for: .milliseconds(5)) }
            #expect(cache.keys == [2])
            while cache.entries.withLock({ $0.isSwept }) { try await Task.sleep(for: .milliseconds(5)) }
            #expect(reasons.values.filter { $0 == .expiry }.count == round)
        }
    }

    @Test("The timer does not keep a cache alive")
    func sweepingEnds() {
        weak var released: MemoryCache<Int, Int>?
        do {
            let cache = MemoryCache<Int, Int>()
            cache.set(1, for: 1, timeToLive: .seconds(1000))
            released = cache
        }
        #expect(released == nil)
    }

    @Test(
        "Random operations agree with a dictionary, and the limits hold",
        arguments: [MemoryCachePolicy.default, .lru, .s3fifo(probation: 0.5)])
    func model(policy: MemoryCachePolicy) {
        var generator = SeededGenerator(state: 1)
        let cache = MemoryCache<String, Int>(.init(countLimit: 300, costLimit: 20_000, policy: policy))
        var model: [String: (value: Int, cost: Int)] = [:]
        for step in 0..<60_000 {
            let key = "key number \(Int.random(in: 0..<900, using: &generator))"
            switch Int.random(in: 0..<20, using: &generator) {
            case 0..<9:
                let cost = Int.random(in: 0..<200, using: &generator)
                cache.set(step, for: key, cost: cost)
                model[key] = (step, cost)
                #expect(cache.contains(key))
            case 9..<18:
                if let value = cache.value(for: key) { #expect(model[key]?.value == value) }
            case 18:
                cache.remove(key)
                model[key] = nil
                #expect(!cache.contains(key))
            default:
                if step % 5000 == 0 { cache.removeAll() }
            }
            if step % 100 == 0 {
                let keys = cache.keys
                #expect(keys.count == cache.count && Set(keys).count == keys.count)
                #expect(cache.count <= 300 && cache.totalCost <= 20_000)
                #expect(cache.totalCost == keys.reduce(0) { $0 + (model[$1]?.cost ?? -1_000_000) })
            }
        }
    }

    @Test("With concurrent threads values belong to their keys and the limits hold")
    func threads() async {
        let cache = MemoryCache<Int, [Int]>(.init(countLimit: 200))
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    var generator = SeededGenerator(state: UInt64(worker))
                    for _ in 0..<8000 {
                        let key = Int.random(in: 0..<600, using: &generator)
                        switch Int.random(in: 0..<12, using: &generator) {
                        case 0..<6: if let value = cache.value(for: key) { #expect(value == [key, key + 1]) }
                        case 6..<10: cache.set([key, key + 1], for: key)
                        case 10: cache.remove(key)
                        default: cache.trim(toCount: 190)
                        }
                    }
                }
            }
        }
        #expect(cache.count <= 200 && cache.keys.count == cache.count)
    }
}

final class Object: Sendable {
    private let onEnd: @Sendable () -> Void
    init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }
    deinit { onEnd() }
}

struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
