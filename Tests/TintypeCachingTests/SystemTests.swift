import Foundation
import Testing

@testable import TintypeCaching

@Suite("App directories")
struct AppDirectoriesTests {
    let root = TemporaryFolder()

    private func path(_ kind: AppDirectories.Kind, _ variables: [String: String]) -> String {
        AppDirectories.path(kind) { variables[$0] }
    }

    @Test("The XDG rules: variables, defaults, and relative or empty values that do not count")
    func xdg() {
        let home = ["HOME": "/home/x"]
        #expect(path(.caches, home) == "/home/x/.cache")
        #expect(path(.preferences, home) == "/home/x/.config")
        #expect(path(.applicationSupport, home) == "/home/x/.local/share")
        #expect(path(.documents, home) == "/home/x/Documents")
        #expect(path(.temporary, home) == "/tmp")
        #expect(path(.caches, ["HOME": "/home/x", "XDG_CACHE_HOME": "/c/"]) == "/c")
        #expect(path(.caches, ["HOME": "/home/x", "XDG_CACHE_HOME": "relative"]) == "/home/x/.cache")
        #expect(path(.caches, ["HOME": "/home/x", "XDG_CACHE_HOME": ""]) == "/home/x/.cache")
        #expect(path(.temporary, ["TMPDIR": "/var/tmp/"]) == "/var/tmp")
        #expect(path(.documents, ["HOME": "/home/x", "XDG_DOCUMENTS_DIR": "/d"]) == "/d")
        #expect(path(.caches, [:]).hasSuffix("/.cache"))
        #expect(AppDirectories.url(.caches, application: "org.example.App").lastPathComponent == "org.example.App")
        #expect(AppDirectories.caches.path == AppDirectories.path(.caches) { ProcessInfo.processInfo.environment[$0] })
    }

    @Test("user-dirs.dirs: $HOME, absolute, escaped, switched off, commented out")
    func userDirectories() throws {
        let file = """
            # XDG_DOCUMENTS_DIR="/wrong"
            XDG_DESKTOP_DIR="$HOME/Desktop"
            XDG_DOCUMENTS_DIR="$HOME/My \\"Docs\\""
            XDG_MUSIC_DIR="$HOME/"
            XDG_VIDEOS_DIR="/mnt/videos/"
            XDG_BAD_DIR=unquoted
            """
        func find(_ name: String) -> String? { UserDirectories.path(of: name, in: file, home: "/h") }
        #expect(find("XDG_DOCUMENTS_DIR") == "/h/My \"Docs\"")
        #expect(find("XDG_MUSIC_DIR") == "/h")
        #expect(find("XDG_VIDEOS_DIR") == "/mnt/videos")
        #expect(find("XDG_BAD_DIR") == nil)
        #expect(find("XDG_NONE_DIR") == nil)
        let config = root.url.appendingPathComponent("config")
        try FileManager.default.createDirectory(at: config, withIntermediateDirectories: true)
        try Data("XDG_DOCUMENTS_DIR=\"$HOME/Dokumente\"\n".utf8).write(
            to: config.appendingPathComponent("user-dirs.dirs"))
        #expect(path(.documents, ["HOME": "/h", "XDG_CONFIG_HOME": config.path]) == "/h/Dokumente")
    }

    @Test("File names: one component each, no collisions, never outside the folder")
    func safeNames() {
        let names = [
            "a/x.png", "b/x.png", "x.png", "", ".", "..", "../x", "%", "%2F", "a%2Fx.png", "ü", "a b", "a\0b", "~",
            "X.png",
            "https://example.org/a.png?x=1", String(repeating: "n", count: 500) + ".jpeg",
            String(repeating: "n", count: 500) + ".png", String(repeating: "n", count: 501),
        ]
        let encoded = names.map(SafeFileName.encode)
        #expect(Set(encoded).count == names.count)
        for name in encoded {
            #expect(name.utf8.count <= 140 && !name.isEmpty && !name.hasPrefix(".") && !name.contains("/"))
        }
        #expect(SafeFileName.encode("x.png") == "x.png")
        #expect(encoded[16].hasSuffix(".jpeg"))
        let url = AppDirectories.fileURL(in: .temporary, for: "../../etc/passwd", application: "a/b")
        #expect(url.deletingLastPathComponent().lastPathComponent == "a%2Fb")
        #expect(url.lastPathComponent == "%2E.%2F..%2Fetc%2Fpasswd")
    }

    @Test("Size and clean-up of a folder: links are not followed, the oldest go first, hidden files stay")
    func care() async throws {
        let folder = root.url.appendingPathComponent("care")
        let inner = folder.appendingPathComponent("inner")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        let outside = root.url.appendingPathComponent("outside")
        try Data(count: 1_000_000).write(to: outside)
        try FileManager.default.createSymbolicLink(
            at: inner.appendingPathComponent("link"), withDestinationURL: root.url)
        for number in 0..<10 {
            let file = (number % 2 == 0 ? folder : inner).appendingPathComponent("\(number)")
            try Data(count: 1000).write(to: file)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: Double(number - 10) * 100)], ofItemAtPath: file.path)
        }
        try Data(count: 10).write(to: folder.appendingPathComponent(".hidden"))
        let size = try await AppDirectories.size(of: folder)
        #expect(size.fileCount == 12)
        #expect(size.byteCount > 10_000 && size.byteCount < 20_000)
        #expect(size.allocatedByteCount >= 10 * 4096 && size.allocatedByteCount < 100_000)
        let result = try await AppDirectories.clean(folder, maximumAge: .seconds(750), maximumByteCount: 5000)
        #expect(result.expired == 3)
        let left = (0..<10).filter { number in
            FileManager.default.fileExists(
                atPath: (number % 2 == 0 ? folder : inner).appendingPathComponent("\(number)").path)
        }
        #expect(left == [8, 9])
        #expect(FileManager.default.fileExists(atPath: outside.path))
        #expect(FileManager.default.fileExists(atPath: folder.appendingPathComponent(".hidden").path))
        #expect(try await AppDirectories.size(of: root.url.appendingPathComponent("missing")) == DirectorySize())
    }

    @Test("Preferences: UserDefaults keeps settings on Linux")
    func userDefaults() throws {
        let suite = "org.tintype.tests.\(UUID().uuidString)"
        let defaults = try #require(UserDefaults(suiteName: suite))
        defaults.set(250 << 20, forKey: "memoryLimit")
        defaults.set(["a", "b"], forKey: "recent")
        #expect(defaults.synchronize())
        let again = try #require(UserDefaults(suiteName: suite))
        #expect(again.integer(forKey: "memoryLimit") == 250 << 20)
        #expect(again.stringArray(forKey: "recent") == ["a", "b"])
        defaults.removePersistentDomain(forName: suite)
    }
}

@Suite("Memory pressure")
struct MemoryPressureTests {
    let root = TemporaryFolder()

    private func write(_ path: String, _ text: String) throws {
        let url = root.url.appendingPathComponent(path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        // The kernel never shows half a file.
        try Data(text.utf8).write(to: url, options: .atomic)
    }

    private func wait(_ condition: () -> Bool) async throws {
        for _ in 0..<20_000 where !condition() { try await Task.sleep(for: .milliseconds(5)) }
        #expect(condition())
    }

    @Test("Group limits, version 2 with parents and version 1, bound the default limit")
    func limits() throws {
        let facts = MemoryFacts(root: root.url.path)
        #expect(facts.groupLimit == nil)
        #expect(MemoryPressureMonitor.memoryLimit(of: facts) <= 768 << 20)
        try write("proc/self/cgroup", "0::/a/b\n")
        try write("sys/fs/cgroup/cgroup.controllers", "memory\n")
        try write("sys/fs/cgroup/a/b/memory.max", "max\n")
        try write("sys/fs/cgroup/a/memory.max", "104857600\n")
        #expect(facts.groupLimit == 100 << 20)
        #expect(MemoryPressureMonitor.memoryLimit(of: facts) == Int(Double(100 << 20) * 0.15))
        try write("proc/self/cgroup", "5:cpu,memory:/x\n")
        try write("sys/fs/cgroup/memory/x/memory.limit_in_bytes", "9223372036854771712\n")
        #expect(facts.groupLimit == nil)
        try write("sys/fs/cgroup/memory/x/memory.limit_in_bytes", "52428800\n")
        #expect(facts.groupLimit == 50 << 20)
        #expect(MemoryPressureMonitor.defaultMemoryLimit > 0)
        #expect(MemoryPressureMonitor.defaultMemoryLimit <= 768 << 20)
    }

    @Test("Polling: reports when little is left, nothing while there is enough, nothing after stop")
    func polling() async throws {
        try write("proc/meminfo", "MemTotal: 1000 kB\nMemAvailable: 500 kB\n")
        let monitor = MemoryPressureMonitor(pollingInterval: .milliseconds(10), facts: MemoryFacts(root: root.url.path))
        let levels = Recorder<MemoryPressureLevel>()
        monitor.start { levels.append($0) }
        #expect(monitor.sources == .polling)
        try await Task.sleep(for: .milliseconds(60))
        #expect(levels.values.isEmpty)
        try write("proc/meminfo", "MemTotal: 1000 kB\nMemAvailable: 80 kB\n")
        try await wait { levels.values.contains(.some) }
        try write("proc/meminfo", "MemTotal: 1000 kB\nMemAvailable: 10 kB\n")
        try await wait { levels.values.contains(.full) }
        monitor.stop()
        // A report that was under way may still arrive.
        try await Task.sleep(for: .milliseconds(100))
        let count = levels.values.count
        try write("proc/meminfo", "MemTotal: 1000 kB\nMemAvailable: 80 kB\n")
        try await Task.sleep(for: .milliseconds(60))
        #expect(levels.values.count == count)
        #expect(monitor.sources == [])
    }

    @Test("Control group events: high is some, max and oom are full")
    func groupEvents() async throws {
        try write("proc/self/cgroup", "0::/g\n")
        try write("sys/fs/cgroup/cgroup.controllers", "memory\n")
        try write("sys/fs/cgroup/g/memory.events", "low 0\nhigh 3\nmax 1\noom 0\n")
        let monitor = MemoryPressureMonitor(pollingInterval: .milliseconds(10), facts: MemoryFacts(root: root.url.path))
        let levels = Recorder<MemoryPressureLevel>()
        monitor.start { levels.append($0) }
        #expect(monitor.sources.contains(.controlGroupEvents))
        try await Task.sleep(for: .milliseconds(50))
        #expect(levels.values.isEmpty, "old events do not count")
        try write("sys/fs/cgroup/g/memory.events", "low 0\nhigh 4\nmax 1\noom 0\n")
        try await wait { levels.values.contains(.some) }
        try write("sys/fs/cgroup/g/memory.events", "low 0\nhigh 4\nmax 2\noom 0\n")
        try await wait { levels.values.contains(.full) }
    }

    @Test("A manual report reaches the handler; the monitor of this machine starts and stops")
    func manual() async throws {
        let levels = Recorder<MemoryPressureLevel>()
        let monitor = MemoryPressureMonitor()
        monitor.report(.full)
        monitor.start { levels.append($0) }
        #expect(!monitor.sources.isEmpty)
        monitor.report(.full)
        #expect(levels.values.contains(.full))
        if access("/proc/pressure/memory", W_OK) == 0 {
            #expect(monitor.sources.contains(.pressureStallInformation))
        }
        monitor.stop()
        monitor.start { levels.append($0) }
        monitor.stop()
    }
}
