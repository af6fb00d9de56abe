import Foundation
import Testing

@testable import CacheChild
@testable import TintypeCaching

private let isLong = ProcessInfo.processInfo.environment["TINTYPE_LONG_TESTS"] != nil

@Suite("Disk cache: kills and other processes", .serialized)
struct DiskCacheCrashTests {
    let root = TemporaryFolder()
    private let keys = (0..<40).map { "https://example.org/image/\($0).jpg" }

    /// What lies in the folder, by its own account and by the file system's.
    private func check(_ cache: DiskCache) throws {
        for key in keys {
            let entry = try cache.entrySynchronously(for: key)
            if let entry { #expect(CheckedPayload.isRight(entry.data, for: key)) }
            #expect(try cache.containsSynchronously(key) == (entry != nil))
        }
        let files = try Folder.files(root.url.appendingPathComponent("default/entries"))
        #expect(cache.count == files.count)
        #expect(cache.byteCount == files.reduce(0) { $0 + $1.size })
    }

    // Scenario S75.
    @Test("200 kills at random moments under load: whole values or misses, sizes right, no orphans")
    func kills() throws {
        var hits = 0
        // Under a sanitizer, or on a busy machine, it takes a child longer to get anywhere.
        var longest: UInt32 = 70_000
        for round in 0..<200 {
            let child = try Child(
                root: root.url, seconds: 30, keys: 40, limit: 2_000_000,
                actions: round % 10 == 9 ? "sssrdtcvu" : "sssssrrdu")
            usleep(UInt32.random(in: 5_000...longest))
            child.kill()
            #expect(child.wait() == -SIGKILL)
            // Looked at each time by a process that takes over.
            let cache = try DiskCache(.init(root: root.url, maximumByteCount: 2_000_000))
            try check(cache)
            #expect(try Folder.becomesEmpty(root.url.appendingPathComponent("default/tmp")))
            hits += cache.count
            if hits == 0 { longest = min(longest * 2, 4_000_000) }
        }
        #expect(hits > 0, "the children never stored anything")
    }

    // Scenario S71.
    @Test("two processes load, trim and clear one folder, one is killed; no process reads wrong bytes")
    func twoProcesses() throws {
        let seconds = isLong ? 60.0 : 4.0
        let limit = 3_000_000
        let loader = try Child(root: root.url, seconds: seconds, keys: 500, limit: limit, actions: "sssrrrrrrdu")
        let other = try Child(
            root: root.url, seconds: seconds, keys: 500, limit: limit, actions: "ssrrrrtrrrrrrrrrrrrrrrrrc")
        let killed = try Child(root: root.url, seconds: seconds, keys: 500, limit: limit, actions: "sssrrru")
        usleep(UInt32(seconds / 2 * 1_000_000))
        killed.kill()
        #expect(killed.wait() == -SIGKILL)
        #expect(loader.wait() == 0)
        #expect(other.wait() == 0)
        let cache = try DiskCache(.init(root: root.url, maximumByteCount: limit))
        #expect(cache.store.state.withLock { $0.folder?.isOwner } == true, "a lock was left behind")
        let result = try cache.verifySynchronously()
        #expect(result.damaged.isEmpty)
        // Near the limit: each process may be one clean-up behind.
        #expect(cache.byteCount <= limit * 2)
        #expect(try Folder.becomesEmpty(root.url.appendingPathComponent("default/tmp")))
    }

    @Test("What a guest changes is counted even when the owner closes cleanly afterwards")
    func guestChangesBeforeClosing() throws {
        var owner: DiskCache? = try DiskCache(.init(root: root.url))
        try owner?.storeSynchronously(Data(count: 1000), for: "1")
        #expect(owner?.count == 1)
        let guest = try DiskCache(.init(root: root.url))
        try guest.storeSynchronously(Data(count: 50_000), for: "1")
        try guest.storeSynchronously(Data(count: 10), for: "2")
        owner = nil
        let cache = try DiskCache(.init(root: root.url))
        let files = try Folder.files(root.url.appendingPathComponent("default/entries"))
        #expect(cache.count == 2 && files.count == 2)
        #expect(cache.byteCount == files.reduce(0) { $0 + $1.size })
    }

    @Test("What one process stores another finds, whoever owns the index")
    func guestAndOwner() async throws {
        let owner = try DiskCache(.init(root: root.url))
        let guest = try DiskCache(.init(root: root.url))
        #expect(owner.store.state.withLock { $0.folder?.isOwner } == true)
        #expect(guest.store.state.withLock { $0.folder?.isOwner } == false)
        try await owner.store(Data("one".utf8), for: "1")
        try await guest.store(Data("two".utf8), for: "2")
        #expect(try await guest.entry(for: "1")?.data == Data("one".utf8))
        #expect(try await owner.entry(for: "2")?.data == Data("two".utf8))
        #expect(try await guest.contains("1"))
        #expect(try await owner.contains("2"))
        #expect(guest.count == 2 && owner.count == 2)
        #expect(guest.byteCount == owner.byteCount)
        // A clear by one is a clear for the other, and both go on in the new folder.
        try await guest.removeAll()
        #expect(try await owner.entry(for: "1") == nil)
        try await owner.store(Data("three".utf8), for: "3")
        #expect(try await guest.entry(for: "3")?.data == Data("three".utf8))
        #expect(owner.count == 1)
    }
}

enum Folder {
    /// Waits until nothing is left: after it opens, a cache compares its index with the folder on a thread of its own
    /// and writes the journal anew, by way of a temporary file.
    static func becomesEmpty(_ url: URL) throws -> Bool {
        for _ in 0..<2000 {
            if try files(url).isEmpty { return true }
            usleep(5000)
        }
        return false
    }

    static func files(_ url: URL) throws -> [(name: String, size: Int)] {
        try FileManager.default.contentsOfDirectory(atPath: url.path).map { name in
            var status = stat()
            _ = lstat(url.path + "/" + name, &status)
            return (name, Int(status.st_size))
        }
    }
}
