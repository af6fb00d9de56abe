import Foundation
import Testing

@testable import TintypeCaching

/// The folder disappears, becomes read-only, turns into a file, fills up.
@Suite("Disk cache: hostile folders", .serialized)
struct DiskCacheFolderTests {
    let root = TemporaryFolder()

    private func payload(_ count: Int = 5000) -> Data { Data((0..<count).map { UInt8(truncatingIfNeeded: $0) }) }

    // Scenario S67.
    @Test(
        "a folder wiped while running is made again by the next store",
        arguments: ["default", "default/entries", "."])
    func wiped(part: String) async throws {
        let cache = try DiskCache(.init(root: root.url))
        try await cache.store(payload(), for: "a")
        #expect(cache.count == 1)
        try FileManager.default.removeItem(at: part == "." ? root.url : root.url.appendingPathComponent(part))
        #expect(try await cache.entry(for: "a") == nil)
        #expect(cache.count == 0)
        #expect(cache.byteCount == 0)
        #expect(try await !cache.contains("a"))
        try await cache.store(payload(), for: "b")
        #expect(try await cache.entry(for: "b")?.data == payload())
        #expect(cache.unavailableReason == nil)
        #expect(cache.count == 1)
    }

    // Scenario S67.
    @Test("wiped and stored without a read in between")
    func wipedThenStored() async throws {
        let cache = try DiskCache(.init(root: root.url))
        try await cache.store(payload(), for: "a")
        try FileManager.default.removeItem(at: root.url)
        try await cache.store(payload(10), for: "b")
        #expect(try await cache.entry(for: "b")?.data == payload(10))
        #expect(try await cache.entry(for: "a") == nil)
        #expect(cache.count == 1)
    }

    // Scenario S67.
    @Test("replaced by a file: one clear problem, misses, and all is well when the file goes")
    func replacedByFile() async throws {
        let problems = Recorder<CachingError>()
        let cache = try DiskCache(.init(root: root.url, onProblem: { problems.append($0) }))
        try await cache.store(payload(), for: "a")
        let path = root.url.appendingPathComponent("default")
        try FileManager.default.removeItem(at: path)
        try Data("in the way".utf8).write(to: path)
        for key in ["b", "c", "d"] {
            await #expect(throws: CachingError.self) { try await cache.store(payload(), for: key) }
            #expect(try await cache.entry(for: key) == nil)
        }
        #expect(problems.values.count == 1)
        #expect(cache.unavailableReason?.code == "ioFailed")
        #expect(cache.unavailableReason?.description.contains("a file is in the way") == true)
        #expect(cache.count == 0)
        try FileManager.default.removeItem(at: path)
        try await cache.store(payload(), for: "e")
        #expect(cache.unavailableReason == nil)
        #expect(try await cache.entry(for: "e") != nil)
    }

    @Test("A cache whose folder can never be made misses and says why")
    func impossibleFolder() async throws {
        let cache = try DiskCache(.init(root: URL(fileURLWithPath: "/dev/null/x")))
        #expect(cache.unavailableReason != nil)
        #expect(try await cache.entry(for: "a") == nil)
        #expect(cache.count == 0)
        #expect(try await !cache.contains("a"))
        await #expect(throws: CachingError.self) { try await cache.store(payload(), for: "a") }
        try await cache.remove("a")
        #expect(try await cache.entries().isEmpty)
        #expect(try await cache.removeExpired() == CleanResult())
    }

    // Scenario S67.
    @Test("a read-only folder: what is there is still read, one clear problem, writable again later")
    func readOnly() async throws {
        let problems = Recorder<CachingError>()
        let cache = try DiskCache(.init(root: root.url, onProblem: { problems.append($0) }))
        try await cache.store(payload(), for: "a")
        let folders = ["default/entries", "default/tmp", "default"].map { root.url.appendingPathComponent($0).path }
        try #require(Lock.set(true, folders))
        defer { _ = Lock.set(false, folders) }
        #expect(try await cache.entry(for: "a")?.data == payload())
        for _ in 0..<3 {
            do {
                try await cache.store(payload(), for: "b")
                Issue.record("stored in a read-only folder")
            } catch let error as CachingError {
                guard case .unavailable = error else {
                    Issue.record("\(error)")
                    continue
                }
            }
        }
        #expect(problems.values.count == 1)
        // A second process that starts now reads too.
        let late = try DiskCache(.init(root: root.url))
        #expect(try await late.entry(for: "a")?.data == payload())
        #expect(Lock.set(false, folders))
        try await cache.store(payload(), for: "b")
        #expect(cache.unavailableReason == nil)
        #expect(try await cache.entry(for: "b")?.data == payload())
    }

    @Test(
        "A full disk is a typed error, leaves no file behind and hurts no other entry", .enabled(if: Mount.isPossible))
    func diskFull() async throws {
        let mount = try #require(Mount(size: "1m"))
        let cache = try DiskCache(.init(root: mount.url))
        var stored: [String] = []
        var failure: CachingError?
        for number in 0..<100 where failure == nil {
            do {
                try await cache.store(payload(50_000), for: "\(number)")
                stored.append("\(number)")
            } catch let error as CachingError {
                failure = error
            }
        }
        #expect(failure?.code == "diskFull")
        #expect(stored.count > 5)
        for key in stored { #expect(try await cache.entry(for: key)?.data == payload(50_000)) }
        let folder = mount.url.appendingPathComponent("default")
        #expect(try Folder.becomesEmpty(folder.appendingPathComponent("tmp")))
        // Replacing an entry with one that does not fit leaves a miss, not the old image.
        await #expect(throws: CachingError.self) { try await cache.store(payload(900_000), for: stored[0]) }
        #expect(try await cache.entry(for: stored[0]) == nil)
        try await cache.remove(stored[1])
        try await cache.store(payload(40_000), for: "again")
        #expect(try await cache.entry(for: "again") != nil)
        #expect(
            cache.byteCount == (try Folder.files(folder.appendingPathComponent("entries"))).reduce(0) { $0 + $1.size })
    }

    @Test(
        "Every system call that fails gives a typed error or a miss, and no file stays behind",
        arguments: FileOperation.allCases, [ENOSPC, EDQUOT, EIO, EACCES, ENOENT, EMFILE])
    func faults(operation: FileOperation, number: Int32) async throws {
        let faults = Recorder<FileOperation>()
        var configuration = DiskCache.Configuration(root: root.url)
        configuration.files.fault = { asked in
            guard asked == operation, faults.isOn else { return nil }
            return number
        }
        let cache = try DiskCache(configuration)
        try await cache.store(payload(), for: "old")
        faults.isOn = true
        for key in ["new", "old"] {
            do {
                try await cache.store(payload(100), for: key)
            } catch let error as CachingError {
                if number == ENOSPC || number == EDQUOT { #expect(error.code == "diskFull") }
                #expect(["diskFull", "ioFailed"].contains(error.code))
            }
            do {
                if let entry = try await cache.entry(for: key) {
                    #expect(entry.data == payload(100) || entry.data == payload())
                }
            } catch let error as CachingError {
                #expect(["diskFull", "ioFailed"].contains(error.code))
            }
        }
        faults.isOn = false
        try await cache.store(payload(200), for: "new")
        #expect(try await cache.entry(for: "new")?.data == payload(200))
        #expect(try Folder.becomesEmpty(root.url.appendingPathComponent("default/tmp")))
        let entries = try Folder.files(root.url.appendingPathComponent("default/entries"))
        _ = try await cache.verify()
        #expect(cache.byteCount == entries.reduce(0) { $0 + $1.size })
    }
}

/// A small tmpfs, where the process may mount one.
final class Mount: Sendable {
    let url: URL

    static let isPossible: Bool = {
        guard getuid() == 0 else { return false }
        return Mount(size: "64k") != nil
    }()

    init?(size: String) {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("tintype-mount-\(UUID().uuidString)")
        try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        guard Self.run("mount", "-t", "tmpfs", "-o", "size=\(size)", "tmpfs", url.path) else {
            try? FileManager.default.removeItem(at: url)
            return nil
        }
    }

    deinit {
        _ = Self.run("umount", "-l", url.path)
        try? FileManager.default.removeItem(at: url)
    }

    static func run(_ arguments: String...) -> Bool {
        var process = pid_t()
        let argv = arguments.map { strdup($0) } + [nil]
        defer { for pointer in argv { free(pointer) } }
        guard posix_spawnp(&process, arguments[0], nil, nil, argv, nil) == 0 else { return false }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status == 0
    }
}

final class Recorder<Value: Sendable>: @unchecked Sendable {
    // `lock` guards everything below.
    private let lock = NSLock()
    private var stored: [Value] = []
    private var on = false

    var values: [Value] { lock.withLock { stored } }
    var isOn: Bool {
        get { lock.withLock { on } }
        set { lock.withLock { on = newValue } }
    }
    func append(_ value: Value) { lock.withLock { stored.append(value) } }

    func removeAll() {
        // Released outside the lock: a value's end may call back.
        _ = lock.withLock {
            defer { stored = [] }
            return stored
        }
    }
}

/// Makes folders unwritable: by their mode, or for root, whom modes do not stop, by the immutable attribute.
enum Lock {
    static func set(_ isLocked: Bool, _ paths: [String]) -> Bool {
        paths.allSatisfy { path in
            if getuid() == 0 { return Mount.run("chattr", isLocked ? "+i" : "-i", path) }
            return chmod(path, isLocked ? 0o500 : 0o700) == 0
        }
    }
}
