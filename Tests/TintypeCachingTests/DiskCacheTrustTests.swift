import Foundation
import Testing

@testable import TintypeCaching

/// Links, pipes and files of other users are in the folder of the cache.
@Suite("Disk cache: planted files")
struct DiskCacheTrustTests {
    let root = TemporaryFolder()
    let victim = TemporaryFolder()

    private func payload(_ count: Int = 5000) -> Data { Data((0..<count).map { UInt8(truncatingIfNeeded: $0) }) }

    private func path(_ part: String) -> String { root.url.appendingPathComponent(part).path }

    /// Files that a cache that follows a link would remove, overwrite or append to.
    private func fillVictim(_ name: String) throws -> [String: Data] {
        for part in ["", "entries", "tmp", "export", "deep/deeper"] {
            let folder = victim.url.appendingPathComponent(part)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for file in [
                name, name + "-0000000000000000.png", "1-2-3-4-5", "owner.lock", "index.journal", "letter.txt",
            ] {
                try Data("mine".utf8).write(to: folder.appendingPathComponent(file))
            }
        }
        return try victimFiles()
    }

    private func victimFiles() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for part in try FileManager.default.subpathsOfDirectory(atPath: victim.url.path) {
            files[part] = FileManager.default.contents(atPath: victim.url.appendingPathComponent(part).path) ?? Data()
        }
        return files
    }

    /// Every operation that touches files. Errors are of the cache and expected where the folder cannot be used.
    private func useEverything(_ cache: DiskCache) async {
        for key in ["a", "b"] { try? await cache.store(payload(), for: key) }
        _ = try? await cache.entry(for: "a")
        _ = try? await cache.fileURL(forOriginalOf: "a", fileExtension: "png")
        try? await cache.updateMetadata(CacheEntryMetadata(), for: "a")
        try? await cache.remove("b")
        _ = try? await cache.verify()
        _ = try? await cache.trim(toByteCount: 0)
        try? await cache.store(payload(), for: "a")
        try? cache.removeAllSynchronously()
        try? await cache.store(payload(), for: "a")
    }

    @Test(
        "A planted link leads no operation out of the cache",
        arguments: [
            "default/entries", "default/tmp", "default/export", "default/trash-x", "default/trash-x/y",
            "default/owner.lock", "default/index.journal", "default/index.journal.set-aside", ".default.tintype",
            "ENTRY",
        ], [DiskCache.Naming.sha256, .sdWebImage])
    func links(part: String, naming: DiskCache.Naming) async throws {
        let name = try #require(
            try DiskCache(.init(root: root.url, namespace: "n", naming: naming)).entryName(for: "a"))
        let before = try fillVictim(name)
        let place = path(
            part != "ENTRY" ? part : naming == .sha256 ? "default/entries/\(name)" : "default/\(name)")
        let folder = URL(fileURLWithPath: place).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let isFile = ["default/owner.lock", "default/index.journal", "ENTRY"].contains(part)
        let target = isFile ? victim.url.appendingPathComponent("letter.txt") : victim.url
        try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: target.path)
        do {
            let cache = try DiskCache(.init(root: root.url, naming: naming))
            await useEverything(cache)
            if part != ".default.tintype" {
                #expect(cache.unavailableReason == nil)
                #expect(try await cache.entry(for: "a")?.data == payload())
            }
        }
        #expect(try victimFiles() == before)
    }

    @Test("A namespace that is a link is refused; a root that is a link is the caller's choice")
    func linkedRoots() async throws {
        let before = try fillVictim("x")
        try FileManager.default.createSymbolicLink(atPath: path("default"), withDestinationPath: victim.url.path)
        let cache = try DiskCache(.init(root: root.url))
        await useEverything(cache)
        #expect(try victimFiles() == before)
        guard case .unavailable(_, let reason)? = cache.unavailableReason else {
            Issue.record("\(String(describing: cache.unavailableReason))")
            return
        }
        #expect(reason.contains("link"))
        try FileManager.default.createSymbolicLink(atPath: path("link"), withDestinationPath: victim.url.path)
        let linked = try DiskCache(.init(root: root.url.appendingPathComponent("link")))
        try await linked.store(payload(), for: "a")
        #expect(try await linked.entry(for: "a")?.data == payload())
        #expect(FileManager.default.fileExists(atPath: victim.url.appendingPathComponent("default/entries").path))
    }

    @Test(
        "A folder that a link replaces while the cache runs is not followed", arguments: ["default/entries", "default"])
    func replacedWhileRunning(part: String) async throws {
        let cache = try DiskCache(.init(root: root.url))
        let name = try #require(cache.entryName(for: "a"))
        let before = try fillVictim(name)
        try await cache.store(payload(), for: "a")
        try FileManager.default.moveItem(atPath: path(part), toPath: path("aside"))
        try FileManager.default.createSymbolicLink(atPath: path(part), withDestinationPath: victim.url.path)
        #expect(try await cache.entry(for: "a") == nil)
        await useEverything(cache)
        #expect(try victimFiles() == before)
    }

    @Test("A root that every user may write to works", arguments: [mode_t(0o777), 0o1777])
    func sharedRoot(mode: mode_t) async throws {
        #expect(chmod(root.url.path, mode) == 0)
        let cache = try DiskCache(.init(root: root.url))
        let second = try DiskCache(.init(root: root.url))
        try await cache.store(payload(2_000_000), for: "a")
        #expect(try await second.entry(for: "a")?.data == payload(2_000_000))
        #expect(cache.store.state.withLock { $0.folder }?.isPrivate == true)
    }

    @Test("Entries of another user are misses and are not counted", .enabled(if: getuid() == 0))
    func foreignEntries() async throws {
        let cache = try DiskCache(.init(root: root.url))
        try await cache.store(payload(), for: "a")
        try await cache.store(payload(), for: "b")
        let file = path("default/entries/\(try #require(cache.entryName(for: "a")))")
        #expect(chown(file, 12345, 12345) == 0)
        #expect(try await cache.entry(for: "a") == nil)
        #expect(try await !cache.contains("a"))
        _ = try await cache.verify()
        #expect(cache.count == 1)
        #expect(FileManager.default.fileExists(atPath: file), "ignored, not removed")
        try await cache.store(payload(100), for: "a")
        #expect(try await cache.entry(for: "a")?.data == payload(100))
    }

    @Test(
        "A folder of another user makes the cache unavailable", .enabled(if: getuid() == 0),
        arguments: ["default", "default/entries", "default/tmp"])
    func foreignFolders(part: String) async throws {
        try FileManager.default.createDirectory(atPath: path(part), withIntermediateDirectories: true)
        #expect(chown(path(part), 12345, 12345) == 0)
        let cache = try DiskCache(.init(root: root.url))
        #expect(cache.unavailableReason?.description.contains("another user") == true)
        await #expect(throws: CachingError.self) { try await cache.store(payload(), for: "a") }
        #expect(try await cache.entry(for: "a") == nil)
    }

    @Test(
        "A pipe, a device or a file in the place of a folder or file never blocks",
        arguments: ["default", "default/entries", "default/tmp", "default/owner.lock", "default/index.journal", "."],
        [S_IFIFO, S_IFREG])
    func pipes(part: String, kind: mode_t) async throws {
        try FileManager.default.removeItem(at: root.url)
        let place = URL(fileURLWithPath: path(part)).standardizedFileURL
        try FileManager.default.createDirectory(
            at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        try #require(mknod(place.path, kind | 0o600, 0) == 0)
        let cache = try DiskCache(.init(root: root.url))
        if part.hasSuffix(".lock") || part.hasSuffix(".journal") {
            try await cache.store(payload(), for: "a")
            #expect(try await cache.entry(for: "a")?.data == payload())
        } else {
            await #expect(throws: CachingError.self) { try await cache.store(payload(), for: "a") }
            #expect(cache.unavailableReason?.description.contains("a file is in the way") == true)
        }
    }

    @Test("A device in the place of the root is a typed error")
    func device() async throws {
        let cache = try DiskCache(.init(root: URL(fileURLWithPath: "/dev/null")))
        await #expect(throws: CachingError.self) { try await cache.store(payload(), for: "a") }
    }

    @Test("An entry that others truncate while it is read kills nothing")
    func truncated() throws {
        let child = try Child(root: root.url, seconds: 1, keys: 1, limit: 0, actions: "truncate")
        #expect(child.wait() == 0)
    }

    @Test("Without descriptors every operation is a miss or a typed error, and all is well when there are some")
    func descriptors() throws {
        let child = try Child(root: root.url, seconds: 1, keys: 1, limit: 0, actions: "descriptors")
        #expect(child.wait() == 0)
    }
}
