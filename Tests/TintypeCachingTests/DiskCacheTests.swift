import Foundation
import Testing

@testable import TintypeCaching

@Suite("Disk cache: entries")
struct DiskCacheEntryTests {
    let root = TemporaryFolder()

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
            #expect(cache.contains("key \(size)"))
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
