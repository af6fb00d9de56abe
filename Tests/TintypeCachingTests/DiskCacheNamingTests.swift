import Foundation
import Testing

@testable import TintypeCaching

@Suite("Disk cache: names and paths")
struct DiskCacheNamingTests {
    let root = TemporaryFolder()

    // Scenario S65.
    @Test("names are the first 160 bits of SHA-256, the same in every version")
    func goldenNames() throws {
        let sha = EntryNaming(.sha256)
        #expect(sha.file(for: "https://example.org/a.png")?.fileName == "077c887d094368c955d80cb3562e2e0284d13556")
        let md5 = EntryNaming(.sdWebImage)
        #expect(md5.file(for: "https://example.org/a.png")?.fileName == "74ce1eb9e15513814a1ef3ebf232cd14.png")
        // Bytes behind a NUL count, unlike with C strings.
        #expect(sha.file(for: "a\0b") != sha.file(for: "a\0c"))
    }

    // Scenario S65.
    @Test("keys that look alike are different entries")
    func similarKeys() async throws {
        let cache = try DiskCache(.init(root: root.url))
        let keys = [
            "a|bc", "ab|c", "ab", "a b", "A|bc", "a|bc ", "width=100", "height=100", "é", "e\u{301}x", "1.0", "1",
        ]
        for key in keys { try await cache.store(Data(key.utf8), for: key) }
        for key in keys { #expect(try await cache.entry(for: key)?.data == Data(key.utf8)) }
        #expect(cache.count == keys.count)
    }

    // Scenario S63.
    @Test("very long keys are cached, found after a restart, and do not collide")
    func longKeys() async throws {
        let long = "https://example.org/" + String(repeating: "x", count: 3000)
        let keys = [
            long + "1", long + "2", "https://example.org/a.jpg" + String(repeating: "y", count: 500),
            "https://example.org/a?x=.png&y=" + String(repeating: ".", count: 300),
            "https://example.org/" + String(repeating: "图", count: 300) + ".png",
        ]
        for naming in [DiskCache.Naming.sha256, .sdWebImage] {
            let name = naming == .sha256 ? "own" : "sd"
            do {
                let cache = try DiskCache(.init(root: root.url, namespace: name, naming: naming))
                for key in keys { try await cache.store(Data(key.utf8), for: key) }
            }
            let cache = try DiskCache(.init(root: root.url, namespace: name, naming: naming))
            #expect(cache.count == keys.count)
            for key in keys { #expect(try await cache.entry(for: key)?.data == Data(key.utf8)) }
        }
    }

    @Test(
        "Namespaces are names, never paths",
        arguments: ["", ".", "..", ".x", "a/b", "a\0", "ü", String(repeating: "a", count: 101)])
    func namespaces(name: String) {
        #expect(throws: CachingError.invalidNamespace(name)) { try DiskCache(.init(root: root.url, namespace: name)) }
    }

    @Test("The empty key is an error, not the digest of nothing")
    func emptyKey() async throws {
        let cache = try DiskCache(.init(root: root.url))
        await #expect(throws: CachingError.invalidKey) { try await cache.store(Data([1]), for: "") }
        await #expect(throws: CachingError.invalidKey) { try await cache.entry(for: "") }
        #expect(try await !cache.contains(""))
    }

    @Test("A folder that SDWebImage wrote: with extension, without, with the query in it; removing takes them all")
    func sdWebImageFolder() async throws {
        let folder = root.url.appendingPathComponent("sd")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        func md5(_ key: String) throws -> String {
            try #require(EntryNaming(.sdWebImage).file(for: key)).name.hexadecimal.prefix(32).description
        }
        let five = "https://example.org/a.png?size=2.5"
        try Data("five".utf8).write(to: folder.appendingPathComponent(try md5(five) + ".png"))
        let three = "https://example.org/b.jpg?v=1"
        try Data("three".utf8).write(to: folder.appendingPathComponent(try md5(three) + ".jpg?v=1"))
        let bare = "https://example.org/c.gif"
        try Data("bare".utf8).write(to: folder.appendingPathComponent(try md5(bare)))
        try Data("x".utf8).write(to: folder.appendingPathComponent(".hidden"))
        try Data("x".utf8).write(to: folder.appendingPathComponent("not ours.txt"))
        let cache = try DiskCache(.init(root: root.url, namespace: "sd", naming: .sdWebImage))
        #expect(try await cache.entry(for: five)?.data == Data("five".utf8))
        #expect(try await cache.entry(for: three)?.data == Data("three".utf8))
        #expect(try await cache.entry(for: bare)?.data == Data("bare".utf8))
        #expect(cache.count == 3)
        #expect(try await cache.contains(bare))
        #expect(try await cache.verify().checked == 3)
        // Written as SDWebImage writes it: bytes alone.
        try await cache.store(Data("new".utf8), for: bare)
        #expect(try Data(contentsOf: folder.appendingPathComponent(try md5(bare) + ".gif")) == Data("new".utf8))
        #expect(try await cache.entry(for: bare)?.data == Data("new".utf8))
        #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent(try md5(bare)).path))
        try await cache.updateMetadata(CacheEntryMetadata(etag: "1"), for: five)
        #expect(try await cache.entry(for: five)?.data == Data("five".utf8))
        try await cache.remove(bare)
        #expect(try await cache.entry(for: bare) == nil)
        #expect(try await !cache.contains(bare))
        #expect(FileManager.default.fileExists(atPath: folder.appendingPathComponent("not ours.txt").path))
        // By age: the date of the file.
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -8 * 86400)],
            ofItemAtPath: folder.appendingPathComponent(try md5(five) + ".png").path)
        #expect(try await cache.entry(for: five) == nil)
        #expect(try await cache.removeExpired().expired == 1)
        try await cache.removeAll()
        #expect(try await cache.entry(for: three) == nil)
        #expect(cache.count == 0)
    }

    @Test("Read-only paths: own and SDWebImage's names, in order, never written, cleaned or counted")
    func readOnlyPaths() async throws {
        let own = root.url.appendingPathComponent("bundle")
        do {
            let cache = try DiskCache(.init(root: own, namespace: "images"))
            try await cache.store(Data("own".utf8), for: "a")
            try await cache.store(Data("first".utf8), for: "both")
        }
        let sd = root.url.appendingPathComponent("sd")
        try FileManager.default.createDirectory(at: sd, withIntermediateDirectories: true)
        let name = try #require(EntryNaming(.sdWebImage).file(for: "https://example.org/a.png")).fileName
        try Data("raw".utf8).write(to: sd.appendingPathComponent(name))
        let both = try #require(EntryNaming(.sdWebImage).file(for: "both")).fileName
        try Data("second".utf8).write(to: sd.appendingPathComponent(both))
        let paths = [own.appendingPathComponent("images"), sd, sd, root.url.appendingPathComponent("missing")]
        let cache = try DiskCache(.init(root: root.url, namespace: "main", readOnlyPaths: paths))
        #expect(try await cache.entry(for: "a")?.data == Data("own".utf8))
        #expect(try await cache.entry(for: "https://example.org/a.png")?.data == Data("raw".utf8))
        #expect(try await cache.entry(for: "both")?.data == Data("first".utf8))
        #expect(try await cache.contains("a"))
        #expect(cache.count == 0 && cache.byteCount == 0)
        try await cache.remove("a")
        try await cache.removeAll()
        #expect(try await cache.entry(for: "a")?.data == Data("own".utf8))
        try await cache.store(Data("mine".utf8), for: "a")
        #expect(try await cache.entry(for: "a")?.data == Data("mine".utf8))
    }

    // Scenario S75.
    @Test("the original as a file: byte for byte, right extension, gone with its entry")
    func originals() async throws {
        let cache = try DiskCache(.init(root: root.url))
        let bytes = Data((0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        try await cache.store(bytes, for: "a")
        let url = try #require(try await cache.fileURL(forOriginalOf: "a", fileExtension: "JPG"))
        #expect(url.pathExtension == "jpg")
        #expect(try Data(contentsOf: url) == bytes)
        #expect(try await cache.fileURL(forOriginalOf: "a", fileExtension: "jpg") == url)
        #expect(try await cache.fileURL(forOriginalOf: "a", fileExtension: "../x")?.pathExtension == "")
        #expect(try await cache.fileURL(forOriginalOf: "missing", fileExtension: "jpg") == nil)
        // Exported files count against the limit.
        #expect(cache.byteCount > 3 * bytes.count)
        try await cache.store(Data("other".utf8), for: "a")
        #expect(!FileManager.default.fileExists(atPath: url.path), "the old original went with its entry")
        let second = try #require(try await cache.fileURL(forOriginalOf: "a", fileExtension: "png"))
        #expect(try Data(contentsOf: second) == Data("other".utf8))
        try await cache.remove("a")
        #expect(!FileManager.default.fileExists(atPath: second.path))
        try await cache.store(bytes, for: "b")
        let third = try #require(try await cache.fileURL(forOriginalOf: "b", fileExtension: "png"))
        try await cache.removeAll()
        #expect(!FileManager.default.fileExists(atPath: third.path))
        #expect(cache.byteCount == 0)
    }
}
