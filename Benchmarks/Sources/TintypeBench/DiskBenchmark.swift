import Foundation
import TintypeCaching

extension Subject {
    static let disk = Subject(
        name: "disk",
        summary: "disk cache against Foundation's one file for each entry; --folder FOLDER (on a journaled file system)"
    ) { measurement in
        let base = URL(fileURLWithPath: measurement.folder ?? NSTemporaryDirectory())
        let root = base.appendingPathComponent("tintype-bench-\(getpid())")
        defer { try? FileManager.default.removeItem(at: root) }
        for size in [4_096, 20_480, 204_800] { try compareReadsAndWrites(root, size) }
        try openAndTrim(root, 10_000)
        try openAndTrim(root, 100_000)
    }
}

private func microseconds(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    let (seconds, attoseconds) = start.duration(to: .now).components
    return Double(seconds) * 1e6 + Double(attoseconds) / 1e12
}

private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

private func key(_ number: Int) -> String {
    "https://images.example.org/photos/2024/album-0042/picture-\(number)-large.jpg"
}

private func compareReadsAndWrites(_ root: URL, _ size: Int) throws {
    let data = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 7) })
    let cache = try DiskCache(.init(root: root, namespace: "speed-\(size)"))
    let plain = root.appendingPathComponent("plain-\(size)")
    try FileManager.default.createDirectory(at: plain, withIntermediateDirectories: true)
    let count = 1000
    var times: [String: [Double]] = [:]
    // In turns, so that a neighbour on the machine hits all alike.
    for number in 0..<count {
        let key = key(number)
        times["write", default: []].append(try microseconds { try cache.storeSynchronously(data, for: key) })
        let url = plain.appendingPathComponent("\(number)")
        times["foundation write", default: []].append(try microseconds { try data.write(to: url, options: .atomic) })
    }
    let buffer = UnsafeMutableRawPointer.allocate(byteCount: size + 4096, alignment: 4096)
    defer { buffer.deallocate() }
    let paths = (0..<count).map { plain.appendingPathComponent("\($0)").path }
    var sum = 0
    for _ in 0..<3 {
        for number in 0..<count {
            let key = key(number)
            let read = try microseconds { sum += try cache.entrySynchronously(for: key)?.data.count ?? 0 }
            times["read", default: []].append(read)
            times["contains", default: []].append(microseconds { sum += cache.contains(key) ? 1 : 0 })
            times["bare read", default: []].append(
                microseconds {
                    let file = open(paths[number], O_RDONLY | O_CLOEXEC)
                    sum += Foundation.read(file, buffer, size + 4096)
                    close(file)
                })
            times["foundation read", default: []].append(
                try microseconds { sum += try Data(contentsOf: URL(fileURLWithPath: paths[number])).count })
        }
    }
    func figure(_ name: String) -> Double { median(times[name] ?? [0]) }
    print(
        String(
            format:
                "%6d bytes: write %.1f us, Foundation %.1f (%.1fx) | read %.1f us, bare %.1f (%.2fx), Foundation %.1f"
                + " | contains %.2f us", size, figure("write"), figure("foundation write"),
            figure("foundation write") / figure("write"), figure("read"), figure("bare read"),
            figure("read") / figure("bare read"), figure("foundation read"), figure("contains")))
    precondition(sum > 0)
    try cache.removeAllSynchronously()
    try FileManager.default.removeItem(at: plain)
}

private func openAndTrim(_ root: URL, _ count: Int) throws {
    let data = Data(count: 4000)
    let configuration = DiskCache.Configuration(root: root, namespace: "open-\(count)", maximumByteCount: 0)
    do {
        let cache = try DiskCache(configuration)
        for number in 0..<count { try cache.storeSynchronously(data, for: key(number)) }
    }
    var openings: [Double] = []
    for _ in 0..<5 {
        openings.append(
            try microseconds {
                let cache = try DiskCache(configuration)
                let isFound = try cache.entrySynchronously(for: key(count / 2)) != nil
                precondition(isFound && cache.count == count)
            })
    }
    let cache = try DiskCache(configuration)
    let totals = microseconds { precondition(cache.byteCount > 0) }
    print(
        String(
            format: "%6d entries: open + first read %.1f ms | size and count %.2f us", count, median(openings) / 1000,
            totals))
    guard count <= 10_000 else { return try cache.removeAllSynchronously() }
    let plain = root.appendingPathComponent("plain-trim")
    try FileManager.default.createDirectory(at: plain, withIntermediateDirectories: true)
    for number in 0..<count {
        let file = open(plain.appendingPathComponent("\(number)").path, O_WRONLY | O_CREAT, 0o600)
        _ = data.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        close(file)
    }
    let reader = SlowestRead(cache)
    let trim = try microseconds { try cache.trimSynchronously(toByteCount: cache.byteCount / 2) } / 1000
    let slowest = reader.stop()
    let scan = try microseconds { try scanAndTrim(plain) } / 1000
    print(
        String(
            format: "%6d entries: trim half %.0f ms, Foundation scan %.0f ms (%.1fx) | slowest read meanwhile %.1f ms",
            count,
            trim, scan, scan / trim, slowest / 1000))
    try cache.removeAllSynchronously()
}

/// Sizes and dates of every file, the oldest removed until half is left: what SDWebImage does, on Foundation.
private func scanAndTrim(_ folder: URL) throws {
    let keys: Set<URLResourceKey> = [.isDirectoryKey, .contentModificationDateKey, .fileSizeKey]
    let enumerator = FileManager.default.enumerator(
        at: folder, includingPropertiesForKeys: Array(keys), options: .skipsHiddenFiles)
    var files: [(url: URL, date: Date, size: Int)] = []
    while let url = enumerator?.nextObject() as? URL {
        let values = try url.resourceValues(forKeys: keys)
        guard values.isDirectory != true else { continue }
        files.append((url, values.contentModificationDate ?? .distantPast, values.fileSize ?? 0))
    }
    var total = files.reduce(0) { $0 + $1.size }
    let target = total / 2
    for file in files.sorted(by: { $0.date < $1.date }) {
        guard total > target else { break }
        try FileManager.default.removeItem(at: file.url)
        total -= file.size
    }
}

/// Reads one entry again and again on a thread of its own and remembers the longest wait.
private final class SlowestRead: @unchecked Sendable {
    // `lock` guards the rest.
    private let lock = NSLock()
    private var slowest = 0.0
    private var isRunning = true
    private let ended = DispatchSemaphore(value: 0)

    init(_ cache: DiskCache) {
        Thread.detachNewThread { [self] in
            while lock.withLock({ isRunning }) {
                let time = microseconds { _ = try? cache.entrySynchronously(for: key(9_999)) }
                lock.withLock { slowest = max(slowest, time) }
            }
            ended.signal()
        }
    }

    func stop() -> Double {
        lock.withLock { isRunning = false }
        ended.wait()
        return lock.withLock { slowest }
    }
}
