import Foundation
import Testing

@testable import TintypeResponses

@Suite("The response cache")
struct ResponseCacheTests {
    let folder: TemporaryFolder
    let url: ResponseRequest = "https://api.example.com/posts"

    init() throws { folder = try TemporaryFolder() }

    func cache(version: String = "", now: @escaping @Sendable () -> Date = { Date() }) throws -> ResponseCache {
        try ResponseCache(ResponseCache.Configuration(root: folder.url, version: version, now: now))
    }

    // Scenarios 003-1, 003-8, 003-9.
    @Test("a saved response is found and read; saving again replaces it")
    func saveAndRead() throws {
        let cache = try cache()
        #expect(!cache.containsSynchronously(url))
        #expect(cache.jsonSynchronously(for: url) == nil)
        #expect(cache.saveSynchronously(json: ["a": 1], for: url))
        #expect(cache.containsSynchronously(url))
        #expect(cache.jsonSynchronously(for: url) == ["a": 1])
        #expect(cache.saveSynchronously(json: ["a": 2], for: url))
        #expect(cache.jsonSynchronously(for: url) == ["a": 2])
        #expect(cache.count == 1)
    }

    // Scenario 003-2.
    @Test("saves with a completion happen in the order of the calls")
    func completions() async throws {
        let cache = try cache()
        for number in 0..<50 { cache.save(json: .integer(number), for: url, completion: nil) }
        let results = await withCheckedContinuation { (continuation: CheckedContinuation<[Bool], Never>) in
            let url = url
            cache.save(json: nil, for: url) { first in
                cache.save(json: 99, for: url) { second in continuation.resume(returning: [first, second]) }
            }
        }
        #expect(results == [false, true])
        #expect(try await cache.json(for: url) == 99)
        for number in 0..<50 { cache.save(json: .integer(number), for: url, completion: nil) }
        #expect(try await cache.json(for: url) == 49)
    }

    // Scenarios 003-3, 003-6.
    @Test("parameters in any order are a part of the key")
    func parameters() async throws {
        let cache = try cache()
        let one = ResponseRequest(url.url, parameters: ["page": 1, "tags": ["a", "b"]])
        try await cache.save(json: "one", for: one)
        #expect(await cache.contains(ResponseRequest(url.url, parameters: ["tags": ["a", "b"], "page": 1])))
        #expect(await !cache.contains(ResponseRequest(url.url, parameters: ["tags": ["b", "a"], "page": 1])))
        #expect(await !cache.contains(url))
        try await cache.save(json: "none", for: ResponseRequest(url.url, parameters: [:]))
        #expect(try await cache.json(for: url) == "none")
    }

    // Scenario 003-4.
    @Test("nil, invalid JSON and an empty URL store nothing and keep the older response")
    func refusals() async throws {
        let cache = try cache()
        #expect(cache.saveSynchronously(json: ["good": true], for: url))
        // The journal beside them is written anew at any time.
        func entries() -> Set<URL> { Set(folder.files().filter { $0.path.contains("/entries/") }) }
        let before = entries()
        #expect(!cache.saveSynchronously(json: nil, for: url))
        #expect(!cache.saveSynchronously(data: nil, for: url))
        for text in ["", "{", "<html>", "{'a':1}", "[1] 2"] {
            #expect(!cache.saveSynchronously(data: Data(text.utf8), for: url), "\(text)")
        }
        #expect(!cache.saveSynchronously(json: .number(.nan), for: url))
        #expect(!cache.saveSynchronously([Double.infinity], for: url))
        #expect(!cache.saveSynchronously(json: 1, for: ""))
        #expect(cache.jsonSynchronously(for: "") == nil)
        #expect(!cache.containsSynchronously(""))
        #expect(!cache.removeSynchronously(""))
        await #expect(throws: ResponseCacheError.self) { try await cache.save(data: Data("{".utf8), for: url) }
        await #expect(throws: ResponseCacheError.self) { try await cache.save([Double.nan], for: url) }
        await #expect(throws: ResponseCacheError.self) { try await cache.save(json: 1, for: " ") }
        await #expect(throws: ResponseCacheError.self) { _ = try await cache.data(for: "") }
        #expect(before.count == 1 && entries() == before)
        #expect(cache.jsonSynchronously(for: url) == ["good": true])
    }

    // Scenario 003-7.
    @Test("versions do not see one another, and old ones can be removed")
    func versions() async throws {
        let (first, second) = (try cache(version: "1.0"), try cache(version: "2.0"))
        try await first.save(json: "old", for: url)
        #expect(try await second.json(for: url) == nil)
        try await second.save(json: "new", for: url)
        #expect(try await first.json(for: url) == "old")
        #expect(try await second.removeOtherVersions() == 1)
        #expect(try await first.json(for: url) == nil)
        #expect(try await second.json(for: url) == "new")
    }

    @Test("partitions keep users apart and are removed one by one")
    func partitions() async throws {
        let cache = try cache()
        let ada = ResponseRequest(url.url, partition: "ada")
        let bob = ResponseRequest(url.url, partition: "bob")
        try await cache.save(json: "ada's", for: ada)
        #expect(try await cache.json(for: bob) == nil)
        #expect(try await cache.json(for: url) == nil)
        try await cache.save(json: "bob's", for: bob)
        #expect(try await cache.removePartition("ada") == 1)
        #expect(try await cache.json(for: ada) == nil)
        #expect(try await cache.json(for: bob) == "bob's")
    }

    @Test("bytes are read back unchanged, values as their types")
    func kinds() async throws {
        struct Post: Codable, Equatable {
            var id: Int
            var title: String
        }
        let cache = try cache()
        let bytes = Data("  {\"b\" : 1,\n \"a\":[ ]}".utf8)
        try await cache.save(data: bytes, for: url)
        #expect(try await cache.data(for: url) == bytes)
        try await cache.save([Post(id: 1, title: "é")], for: url)
        #expect(try await cache.value([Post].self, for: url) == [Post(id: 1, title: "é")])
        await #expect(throws: ResponseCacheError.self) { _ = try await cache.value(Post.self, for: url) }
        #expect(cache.valueSynchronously(Post.self, for: url) == nil)
        #expect(await cache.contains(url))
        try await cache.save(json: "a bare string", for: url)
        #expect(try await cache.json(for: url) == "a bare string")
    }

    // Scenario 003-11.
    @Test("removing all twice is not an error, and saving works afterwards")
    func clearing() async throws {
        let cache = try cache()
        #expect(cache.removeAllSynchronously())
        try await cache.save(json: 1, for: url)
        try await cache.removeAll()
        #expect(cache.count == 0)
        #expect(cache.removeAllSynchronously())
        var isFolder: ObjCBool = false
        #expect(FileManager.default.fileExists(atPath: cache.path, isDirectory: &isFolder) && isFolder.boolValue)
        #expect(cache.saveSynchronously(json: 2, for: url))
        #expect(cache.removeSynchronously(url))
        #expect(cache.removeSynchronously(url))
        #expect(cache.jsonSynchronously(for: url) == nil)
    }

    // Scenarios 003-10, 003-12.
    @Test("path and size match the files")
    func size() async throws {
        let cache = try cache()
        #expect(cache.path.hasPrefix(folder.url.path))
        let text = String(repeating: "x", count: 300_000)
        for number in 0..<4 {
            try await cache.save(json: .string(text), for: ResponseRequest("https://e.com/\(number)"))
        }
        #expect(cache.byteCount >= 1_200_000 && cache.byteCount < 1_300_000)
        #expect(abs(cache.megabytes - Double(cache.byteCount) / 1_048_576) < 1e-12)
        #expect(cache.formattedSize == "1.1M" || cache.formattedSize == "1.2M")
    }

    // Scenario 003-13.
    @Test(
        "the size in the form of the reference",
        arguments: [
            (0, "0.0kb"), (1, "0.0kb"), (52, "0.1kb"), (512, "0.5kb"), (1024, "1.0kb"), (524_288, "512.0kb"),
            (1_048_576, "1.0M"), (1_572_864, "1.5M"), (1_048_473, "1023.9kb"), (1_048_575, "1.0M"), (256, "0.2kb"),
            (768, "0.8kb"), (5_452_595, "5.2M"), (5 << 30, "5120.0M"),
        ])
    func formatted(_ bytes: Int, _ text: String) { #expect(ResponseCache.formatted(byteCount: bytes) == text) }

    @Test(
        "the size in English with SI units",
        arguments: [
            (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1000, "1.0\u{A0}kB"), (1_572_864, "1.6\u{A0}MB"),
            (999_949, "999.9\u{A0}kB"), (999_950, "1.0\u{A0}MB"), (3_000_000_000, "3.0\u{A0}GB"),
            (5_000_000_000_000_000, "5000.0\u{A0}TB"),
        ])
    func sizeDescription(_ bytes: Int, _ text: String) {
        #expect(ResponseCache.sizeDescription(byteCount: bytes) == text)
    }

    @Test("a response expires exactly at its age")
    func expiry() async throws {
        let clock = Clock()
        let cache = try cache(now: { clock.now })
        var request = url
        request.maximumAge = .seconds(60)
        try await cache.save(json: 1, for: request)
        clock.advance(59.5)
        #expect(await cache.contains(request))
        clock.advance(0.5)
        #expect(await !cache.contains(request))
        try await cache.save(json: 2, for: url)
        clock.advance(1e9)
        #expect(try await cache.json(for: url) == 2, "without a limit nothing expires")
    }

    // Scenario 003-14.
    @Test("a file in place of the folder makes every call fail, and the file stays")
    func fileInTheWay() async throws {
        let blocked = folder.url.appendingPathComponent("blocked")
        try Data("precious".utf8).write(to: blocked)
        let cache = try ResponseCache(ResponseCache.Configuration(root: blocked))
        #expect(!cache.saveSynchronously(json: 1, for: url))
        #expect(cache.jsonSynchronously(for: url) == nil)
        #expect(cache.byteCount == 0)
        await #expect(throws: CachingError.self) { try await cache.save(json: 1, for: url) }
        #expect(try Data(contentsOf: blocked) == Data("precious".utf8))
    }

    @Test("a corrupt response is a miss and is removed")
    func damage() async throws {
        let cache = try cache()
        try await cache.save(json: ["a": [1, 2, 3]], for: url)
        for candidate in folder.files() {
            var bytes = try Data(contentsOf: candidate)
            guard let position = bytes.range(of: Data("[1,2,3]".utf8))?.lowerBound else { continue }
            bytes[position + 1] = UInt8(ascii: "9")
            try bytes.write(to: candidate)
        }
        #expect(try await cache.json(for: url) == nil)
        #expect(await !cache.contains(url))
        try await cache.save(json: 5, for: url)
        #expect(try await cache.json(for: url) == 5)
    }

    // Scenario 003-15.
    @Test("another process, or the next start, reads the same value")
    func restart() async throws {
        let tree: JSONValue = [
            "status": 200, "message": "成功",
            "data": ["list": [["name": "名前", "price": 12.5, "tags": ["α", "β"]], nil]],
        ]
        try await cache().save(json: tree, for: url)
        #expect(try await cache().json(for: url) == tree)
    }
}

/// A clock that stands until it is told to move.
private final class Clock: @unchecked Sendable {
    // `lock` guards `time`.
    private let lock = NSLock()
    private var time = Date(timeIntervalSince1970: 1_700_000_000)

    var now: Date { lock.withLock { time } }
    func advance(_ seconds: Double) { lock.withLock { time += seconds } }
}
