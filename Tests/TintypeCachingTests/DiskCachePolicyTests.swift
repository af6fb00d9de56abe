import Foundation
import Testing

@testable import TintypeCaching

@Suite("Disk cache: age, size, order")
struct DiskCachePolicyTests {
    let root = TemporaryFolder()
    let clock = TestClock()

    private func cache(_ change: (inout DiskCache.Configuration) -> Void = { _ in }) throws -> DiskCache {
        var configuration = DiskCache.Configuration(root: root.url, maximumAge: .seconds(100))
        let clock = self.clock
        configuration.now = { clock.now }
        configuration.firstSweepDelay = nil
        change(&configuration)
        return try DiskCache(configuration)
    }

    private func stored() -> CacheEntryMetadata { CacheEntryMetadata(storedAt: clock.now) }

    @Test("An entry expires at its age, equality included; reading moves nothing")
    func age() async throws {
        let cache = try cache()
        try await cache.store(Data([1]), for: "a", metadata: stored())
        clock.advance(99.999)
        #expect(try await cache.entry(for: "a") != nil)
        #expect(try await cache.contains("a"))
        clock.advance(0.001)
        #expect(try await cache.entry(for: "a") == nil)
        #expect(try await !cache.contains("a"))
        let old = try #require(try await cache.entry(for: "a", allowExpired: true))
        #expect(old.isExpired && old.data == Data([1]))
        #expect(try await cache.removeExpired().expired == 1)
        #expect(cache.count == 0)
        #expect(try await cache.entry(for: "a", allowExpired: true) == nil)
    }

    @Test("Since last access: each use starts the age again")
    func sinceLastAccess() async throws {
        let cache = try cache { $0.expiration = .sinceLastAccess }
        try await cache.store(Data([1]), for: "a", metadata: stored())
        for _ in 0..<5 {
            clock.advance(90)
            #expect(try await cache.entry(for: "a") != nil)
        }
        clock.advance(100)
        #expect(try await cache.entry(for: "a") == nil)
    }

    @Test("A date of its own beats the age; nil and negative ages never expire, zero at once")
    func dates() async throws {
        let cache = try cache()
        var metadata = stored()
        metadata.expiresAt = clock.now.addingTimeInterval(10)
        try await cache.store(Data([1]), for: "soon", metadata: metadata)
        metadata.expiresAt = clock.now.addingTimeInterval(1000)
        try await cache.store(Data([1]), for: "late", metadata: metadata)
        clock.advance(10)
        #expect(try await cache.entry(for: "soon") == nil)
        clock.advance(500)
        #expect(try await cache.entry(for: "late") != nil)
        let immortal = try self.cache { ($0.maximumAge, $0.namespace) = (nil, "nil") }
        let negative = try self.cache { ($0.maximumAge, $0.namespace) = (.seconds(-1), "negative") }
        let zero = try self.cache { ($0.maximumAge, $0.namespace) = (.zero, "zero") }
        for cache in [immortal, negative, zero] { try await cache.store(Data([1]), for: "a", metadata: stored()) }
        clock.advance(1e9)
        #expect(try await immortal.entry(for: "a") != nil)
        #expect(try await negative.entry(for: "a") != nil)
        #expect(try await negative.removeExpired().expired == 0)
        #expect(try await zero.entry(for: "a") == nil)
    }

    @Test("A clock that jumps: back keeps what is young, and nothing stays for as long as a clock was wrong")
    func clockJumps() async throws {
        let cache = try cache()
        try await cache.store(Data([1]), for: "a", metadata: stored())
        clock.advance(-50)
        #expect(try await cache.entry(for: "a") != nil)
        clock.advance(1e8)
        try await cache.store(Data([2]), for: "b", metadata: stored())
        #expect(try await cache.entry(for: "b") != nil)
        clock.advance(-1e8)
        #expect(try await cache.entry(for: "b") == nil, "stored three years ahead")
        #expect(try await cache.entry(for: "a") != nil)
        // What was used under the wrong clock is not the most recently used for three years.
        try await cache.store(Data(count: 1000), for: "b", metadata: stored())
        clock.advance(1)
        try await cache.store(Data(count: 1000), for: "c", metadata: stored())
        #expect(try await cache.removeExpired().expired == 0)
        try await cache.trim(toByteCount: 1200)
        #expect(try await cache.contains("c"))
        #expect(try await !cache.contains("b"))
    }

    // Scenario S73.
    @Test("expired first, then least recently used until half; names break ties")
    func trimOrder() async throws {
        let cache = try cache { $0.maximumByteCount = 100_000 }
        for number in 0..<9 {
            var metadata = stored()
            if number == 8 { metadata.expiresAt = clock.now.addingTimeInterval(1) }
            try await cache.store(Data(count: 10_000), for: "\(number)", metadata: metadata)
            clock.advance(1)
        }
        // 0 and 1 are the oldest and the most recently used.
        _ = try await cache.entry(for: "1")
        clock.advance(1)
        _ = try await cache.entry(for: "0")
        clock.advance(1)
        #expect(cache.count == 9)
        try await cache.store(Data(count: 10_000), for: "9", metadata: stored())
        clock.advance(1)
        try await cache.store(Data(count: 10_000), for: "10", metadata: stored())
        await settled(cache)
        #expect(cache.byteCount <= 50_000)
        let left = Set(try await cache.entries().map(\.key))
        #expect(left == ["1", "0", "9", "10"])
        #expect(try Folder.files(root.url.appendingPathComponent("default/entries")).count == 4)
    }

    /// Waits until the clean-up that a store has started is over.
    private func settled(_ cache: DiskCache) async {
        for _ in 0..<2000 where cache.store.state.withLock({ $0.isCleaning }) {
            try? await Task.sleep(for: .milliseconds(2))
        }
    }

    // Scenario S73.
    @Test("nothing is trimmed below the limit, lowering it trims soon, the size is what is on disk")
    func limits() async throws {
        do {
            let cache = try cache { $0.maximumByteCount = 3_000_000 }
            for number in 0..<200 { try await cache.store(Data(count: 10_000), for: "\(number)", metadata: stored()) }
            #expect(cache.count == 200)
        }
        let cache = try cache { $0.maximumByteCount = 3_000_000 }
        #expect(cache.count == 200)
        let onDisk = try Folder.files(root.url.appendingPathComponent("default/entries")).reduce(0) { $0 + $1.size }
        #expect(cache.byteCount == onDisk)
        cache.maximumByteCount = 1_000_000
        await settled(cache)
        #expect(cache.byteCount <= 500_000 && cache.byteCount > 480_000)
        // An item that is larger than the whole cache is refused, and takes its old value with it.
        try await cache.store(Data([1]), for: "big", metadata: stored())
        await #expect(throws: CachingError.entryTooLarge(byteCount: 2_000_000, limit: 1_000_000)) {
            try await cache.store(Data(count: 2_000_000), for: "big", metadata: stored())
        }
        #expect(try await cache.entry(for: "big") == nil)
        #expect(cache.count > 10)
    }

    @Test(
        "Expired entries are removed by a timer, without a store, and the result is reported with its names",
        .timeLimit(.minutes(2)))
    func sweeping() async throws {
        let first = try cache { $0.maximumByteCount = 0 }
        try await first.store(Data(count: 10), for: "old", metadata: stored())
        let name = try #require(first.entryName(for: "old"))
        first.flush()
        clock.advance(100)
        let results = Recorder<CleanResult>()
        var cache: DiskCache? = try self.cache {
            $0.namespace = "default"
            $0.firstSweepDelay = .milliseconds(1)
            $0.sweepInterval = .milliseconds(1)
            $0.onClean = { results.append($0) }
        }
        while results.values.allSatisfy({ $0.expired == 0 }) { try await Task.sleep(for: .milliseconds(2)) }
        #expect(results.values.first { $0.expired > 0 }?.names == [name])
        #expect(cache?.count == 0)
        let count = results.values.count
        while results.values.count == count { try await Task.sleep(for: .milliseconds(2)) }
        // The timer ends with the cache.
        weak let store = cache?.store
        cache = nil
        while store != nil { try await Task.sleep(for: .milliseconds(2)) }
    }

    @Test("A limit of 0 is no limit")
    func noLimit() async throws {
        let cache = try cache { $0.maximumByteCount = 0 }
        for number in 0..<20 { try await cache.store(Data(count: 100_000), for: "\(number)", metadata: stored()) }
        cache.store.sweep()
        await settled(cache)
        #expect(cache.count == 20)
    }

    @Test("Uses are remembered across a restart")
    func usesSurvive() async throws {
        do {
            let cache = try cache()
            for number in 0..<4 {
                try await cache.store(Data(count: 1000), for: "\(number)", metadata: stored())
                clock.advance(1)
            }
            _ = try await cache.entry(for: "0")
        }
        let cache = try cache()
        #expect(cache.store.state.withLock { $0.isSettled })
        try await cache.trim(toByteCount: 1500)
        #expect(try await cache.entries().map(\.key) == ["0"])
    }

    @Test("Entries are listed with their facts, oldest first")
    func listing() async throws {
        let cache = try cache()
        var metadata = stored()
        metadata.contentType = "image/gif"
        try await cache.store(Data(count: 10), for: "b", metadata: metadata)
        clock.advance(5)
        try await cache.store(Data(count: 20), for: "a", metadata: stored())
        clock.advance(96)
        let entries = try await cache.entries()
        #expect(entries.map(\.key) == ["b", "a"])
        #expect(entries.map(\.byteCount) == [10, 20])
        #expect(entries.map(\.isExpired) == [true, false])
        #expect(entries[0].contentType == "image/gif")
        #expect(entries[1].expiresAt == clock.now.addingTimeInterval(4))
        #expect(entries.reduce(0) { $0 + $1.fileByteCount } == cache.byteCount)
    }
}

/// A clock that a test sets.
final class TestClock: @unchecked Sendable {
    // `lock` guards `time`. A whole number: sums stay exact.
    private let lock = NSLock()
    private var time = Date(timeIntervalSinceReferenceDate: 800_000_000)
    var now: Date { lock.withLock { time } }
    func advance(_ seconds: Double) { lock.withLock { time += seconds } }
    /// The same clock for caches that count in durations.
    var duration: Duration { .seconds(now.timeIntervalSinceReferenceDate) }
}
