import TintypeBase

/// What the kernel says about memory, for this process and the control groups it lives in.
struct MemoryFacts: Sendable {
    /// For tests: the files below another root than "/".
    var root = ""

    /// Bytes of the machine.
    var physical: Int {
        let pages = sysconf(Int32(_SC_PHYS_PAGES))
        let size = sysconf(Int32(_SC_PAGESIZE))
        return pages > 0 && size > 0 ? pages * size : 1 << 30
    }

    /// Folders of the version 2 groups of this process, from its own up to the root of what is visible.
    var groupFolders: [String] {
        guard let groups = text("/proc/self/cgroup") else { return [] }
        for line in groups.split(separator: "\n") where line.hasPrefix("0::") {
            for mount in ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"] where text(mount + "/cgroup.controllers") != nil {
                return Self.ancestors(of: String(line.dropFirst(3))).map { mount + $0 }
            }
        }
        return []
    }

    /// "/a/b" gives "/a/b", "/a", "".
    static func ancestors(of path: String) -> [String] {
        var parts = path.split(separator: "/")
        var paths: [String] = []
        while !parts.isEmpty {
            paths.append("/" + parts.joined(separator: "/"))
            parts.removeLast()
        }
        return paths + [""]
    }

    /// The smallest limit of any group above this process, version 2 or 1; nil when none is set.
    var groupLimit: Int? {
        var limits = groupFolders.flatMap { folder in
            ["memory.max", "memory.high"].compactMap { number(folder + "/" + $0) }
        }
        for folder in firstVersionFolders {
            // "No limit" is a number near 2⁶³ there.
            if let limit = number(folder + "/memory.limit_in_bytes"), limit < 1 << 60 { limits.append(limit) }
        }
        return limits.filter { $0 > 0 }.min()
    }

    private var firstVersionFolders: [String] {
        guard let text = text("/proc/self/cgroup") else { return [] }
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3, parts[1].split(separator: ",").contains("memory") else { continue }
            return Self.ancestors(of: String(parts[2])).map { "/sys/fs/cgroup/memory" + $0 }
        }
        return []
    }

    /// The share (0…1) of memory that is still to be had: the least of the machine's and of each limited group's.
    var availableShare: Double? {
        var shares: [Double] = []
        if let text = text("/proc/meminfo"), let total = Self.field("MemTotal", in: text), total > 0,
            let available = Self.field("MemAvailable", in: text)
        {
            shares.append(Double(available) / Double(total))
        }
        for folder in groupFolders {
            guard let limit = number(folder + "/memory.max"), limit > 0,
                let used = number(folder + "/memory.current")
            else { continue }
            // File pages count as used but are given back first.
            let files = text(folder + "/memory.stat").flatMap { Self.field("inactive_file", in: $0) } ?? 0
            shares.append(Double(limit - max(0, used - files)) / Double(limit))
        }
        return shares.min()
    }

    /// Events of the group of this process that mean short memory: (`high`, `max` + `oom`).
    var groupEvents: (high: Int, limit: Int)? {
        guard let folder = groupFolders.first, let text = text(folder + "/memory.events") else { return nil }
        return (
            Self.field("high", in: text) ?? 0,
            (Self.field("max", in: text) ?? 0) + (Self.field("oom", in: text) ?? 0)
        )
    }

    /// The number after a name at the start of a line, with or without a colon.
    static func field(_ name: String, in text: String) -> Int? {
        for line in text.split(separator: "\n") {
            let words = line.split(whereSeparator: { $0 == " " || $0 == ":" || $0 == "\t" })
            if words.count >= 2, words[0] == name { return Int(words[1]) }
        }
        return nil
    }

    private func number(_ path: String) -> Int? {
        guard let text = text(path) else { return nil }
        return Int(text.prefix { $0 != "\n" })
    }

    func text(_ path: String) -> String? {
        let file = open(root + path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while bytes.count < 1 << 20 {
            let count = Self.readSome(file, &buffer)
            guard count > 0 else { break }
            bytes.append(contentsOf: buffer.prefix(count))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func readSome(_ file: Int32, _ buffer: inout [UInt8]) -> Int {
        buffer.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
    }
}
