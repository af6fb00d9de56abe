import Foundation
import Testing

@testable import TintypeCaching

@Suite("Disk cache: entries")
struct DiskCacheEntryTests {
    let root = TemporaryFolder()

    @Test("equal metadata is equal in whatever order it was set, and a copy does not change with it")
    func metadataEquality() {
        let date = Date(timeIntervalSinceReferenceDate: 1)
        var metadata = CacheEntryMetadata(storedAt: date)
        let plain = metadata
        metadata.etag = "\"e\""
        let copy = metadata
        metadata.vary["accept"] = "image/webp"
        metadata.extendedData = Data([1])
        metadata.expiresAt = date
        #expect(copy.vary.isEmpty && copy != metadata)
        #expect(
            metadata
                == CacheEntryMetadata(
                    storedAt: date, expiresAt: date, etag: "\"e\"", vary: ["accept": "image/webp"],
                    extendedData: Data([1])))
        metadata = copy
        metadata.etag = nil
        #expect(metadata == plain && metadata.hashValue == plain.hashValue)
    }

    @Test("Payloads lie on multiples of 64, never a few bytes behind the beginning of a page")
    func placesOfPayloads() {
        for offset in stride(from: 0, through: 256, by: 16) {
            for count in [1, 4000, 200_000, 1_000_000] {
                guard let bytes = FileBytes(allocating: offset + count, payloadOffset: offset) else {
                    Issue.record("no memory")
                    return
                }
                let start = bytes.withMutableBytes { UInt(bitPattern: $0.baseAddress) }
                #expect((start + UInt(offset)) % 64 == 0)
                #expect(!(1..<32).contains(start % 4096))
                _ = bytes.withMutableBytes { $0.initializeMemory(as: UInt8.self, repeating: 7) }
                #expect(bytes.data(from: offset) == Data(repeating: 7, count: count))
            }
        }
    }

    @Test("Bytes and metadata come back as they were stored")
    func roundTrip() async throws {
        let cache = try DiskCache(.init(root: root.url))
        var metadata = CacheEntryMetadata(
            storedAt: Date(timeIntervalSinceReferenceDate: Date().timeIntervalSinceReferenceDate - 0.1234567))
        metadata.expiresAt = Date(timeIntervalSinceNow: 1000.25)
        metadata.etag = "\"a\u{301}\""
        metadata.lastModified = "Wed, 21 Oct 2015 07:28:00 GMT"
        metadata.responseDate = Date(timeIntervalSinceReferenceDate: 0.1)
        metadata.cacheDirectives = ["max-age": "60", "no-cache": ""]
        metadata.contentType = "image/png"
        metadata.vary = ["accept": "image/webp", "": "x"]
        metadata.sourceURL = "https://example.org/ü"
        metadata.extendedData = Data([0, 1, 255])
        for size in [1, 14, 15, 4096, 100_000, 3_000_000] {
            let data = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
            try await cache.store(data, for: "key \(size)", metadata: metadata)
            let entry = try #require(try await cache.entry(for: "key \(size)"))
            #expect(entry.data == data)
            #expect(entry.metadata == metadata)
            #expect(entry.isExpired == false)
            #expect(try await cache.contains("key \(size)"))
        }
        #expect(cache.count == 6)
        try await cache.removeAll()
        #expect(cache.count == 0)
        #expect(cache.byteCount == 0)
        #expect(try await cache.entry(for: "key 1") == nil)
        try await cache.store(Data([1]), for: "key 1")
        #expect(try await cache.entry(for: "key 1")?.data == Data([1]))
    }
}

extension DiskCacheEntryTests {
    @Test("New metadata keeps the bytes; there must be an entry")
    func metadata() async throws {
        let cache = try DiskCache(.init(root: root.url))
        await #expect(throws: CachingError.notInCache(key: "a")) {
            try await cache.updateMetadata(CacheEntryMetadata(), for: "a")
        }
        let bytes = Data((0..<2_000_000).map { UInt8(truncatingIfNeeded: $0) })
        try await cache.store(bytes, for: "a", metadata: CacheEntryMetadata(etag: "1"))
        let before = try #require(try await cache.entry(for: "a"))
        var metadata = CacheEntryMetadata(etag: "2")
        metadata.cacheDirectives = ["max-age": "5"]
        try await cache.updateMetadata(metadata, for: "a")
        let after = try #require(try await cache.entry(for: "a"))
        #expect(after.data == bytes)
        #expect(after.metadata == metadata)
        // A mapping outlives its file.
        try await cache.removeAll()
        #expect(before.data == bytes && after.data == bytes)
    }

    // Scenario S75.
    @Test("a cancelled store leaves the old entry and no file")
    func cancellation() async throws {
        let cache = try DiskCache(.init(root: root.url))
        try await cache.store(Data([1]), for: "a")
        let big = Data(count: 64 << 20)
        for delay in [0, 1, 3, 10] {
            let task = Task { try await cache.store(big, for: "a") }
            try await Task.sleep(for: .milliseconds(delay))
            task.cancel()
            let result = await task.result
            let entry = try #require(try await cache.entry(for: "a"))
            switch result {
            case .success: #expect(entry.data.count == big.count)
            case .failure(let error):
                #expect(error is CancellationError)
                #expect(entry.data == Data([1]))
            }
            #expect(try Folder.becomesEmpty(root.url.appendingPathComponent("default/tmp")))
            try await cache.store(Data([1]), for: "a")
        }
    }

    @Test("Many tasks on few keys: whole values, and the index ends as the folder does")
    func concurrency() async throws {
        let cache = try DiskCache(.init(root: root.url, maximumByteCount: 400_000))
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    for round in 0..<150 {
                        let key = "key \((round * 7 + worker * 3) % 12)"
                        let value = UInt8(truncatingIfNeeded: round + worker)
                        do {
                            switch (round + worker) % 8 {
                            case 0: try await cache.remove(key)
                            case 1 where round % 50 == 0: try await cache.removeAll()
                            case 2 where round % 20 == 0: try await cache.trim(toByteCount: 100_000)
                            case 3, 4, 5:
                                try await cache.store(Data(repeating: value, count: 1 + Int(value) * 200), for: key)
                            default:
                                guard let entry = try await cache.entry(for: key), let first = entry.data.first else {
                                    continue
                                }
                                #expect(entry.data.count == 1 + Int(first) * 200)
                                #expect(entry.data.allSatisfy { $0 == first })
                            }
                        } catch {
                            Issue.record(error)
                        }
                    }
                }
            }
        }
        for _ in 0..<1000 where cache.store.state.withLock({ $0.isCleaning }) {
            try await Task.sleep(for: .milliseconds(2))
        }
        let files = try Folder.files(root.url.appendingPathComponent("default/entries"))
        #expect(cache.count == files.count)
        #expect(cache.byteCount == files.reduce(0) { $0 + $1.size })
        #expect(try await cache.verify().isClean)
    }
}
