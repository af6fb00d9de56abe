import Foundation
import TintypeCaching

extension Job {
    /// In `folder`, with entries of `size` bytes.
    static let disk: [Job] =
        stores.flatMap { name, make in
            [
                Job(name: "write", by: name) { try write(make($0.text("folder")), $0) },
                Job(name: "read", by: name) { try read(make($0.text("folder")), $0) },
                Job(name: "contains", by: name) { try contains(make($0.text("folder")), $0) },
                Job(name: "trim", by: name) { try trim(make, $0) },
            ]
        } + [
            Job(name: "open", by: "tintype", prepare: open),
            Job(name: "size and count", by: "tintype") { parameters in
                let store = try TintypeStore(parameters.text("folder"))
                try fill(store, parameters)
                return Work(operations: 1000) {
                    var sum = 0
                    for _ in 0..<1000 { sum += store.cache.byteCount + store.cache.count }
                    precondition(sum > 0)
                }
            },
        ]

    private typealias Make = @Sendable (String) throws -> any DiskStore

    private static let stores: [(String, Make)] = [
        ("tintype", { try TintypeStore($0) }), ("Foundation", { try FoundationStore($0) }),
        ("bare files", { try BareFiles($0) }), ("SQLite blobs", { try SQLiteStore($0) }),
        ("LMDB", { try LMDBStore($0) }),
    ]

    private static func bytes(_ parameters: Parameters) throws -> Data {
        Data((0..<(try parameters.number("size"))).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 7) })
    }

    private static func fill(_ store: some DiskStore, _ parameters: Parameters) throws {
        let data = try bytes(parameters)
        for number in 0..<(try parameters.number("count")) { try store.write(number, data) }
    }

    /// New entries, `count` in a run.
    private static func write(_ store: some DiskStore, _ parameters: Parameters) throws -> Work {
        let (data, count) = (try bytes(parameters), try parameters.number("count"))
        var next = 0
        return Work(operations: count) {
            for number in next..<next + count { try store.write(number, data) }
            next += count
        }
    }

    private static func read(_ store: some DiskStore, _ parameters: Parameters) throws -> Work {
        try fill(store, parameters)
        let (size, count) = (try parameters.number("size"), try parameters.number("count"))
        return Work(operations: count) {
            for number in 0..<count where try store.read(number) != size { throw StoreFailed(ENOENT) }
        }
    }

    private static func contains(_ store: some DiskStore, _ parameters: Parameters) throws -> Work {
        try fill(store, parameters)
        let count = try parameters.number("count")
        return Work(operations: count) {
            for number in 0..<count where try !store.contains(number) { throw StoreFailed(ENOENT) }
        }
    }

    /// From the beginning of opening to the end of the first read; closing is not counted.
    private static func open(_ parameters: Parameters) throws -> Work {
        let folder = try parameters.text("folder")
        let count = try parameters.number("count")
        try fill(TintypeStore(folder), parameters)
        return Work.withFigures {
            var store: TintypeStore?
            let cost = try Cost.of {
                store = try TintypeStore(folder)
                guard let store, try store.read(count / 2) > 0 else { throw StoreFailed(ENOENT) }
            }
            guard let store, store.cache.count == count else { throw StoreFailed(EIO) }
            return cost.figures
        }
    }

    /// Removes the oldest half of `count` entries. What the longest read took meanwhile is a figure of Tintype's.
    private static func trim(_ make: @escaping Make, _ parameters: Parameters) throws -> Work {
        let folder = try parameters.text("folder")
        var round = 0
        return Work.withFigures {
            round += 1
            let place = "\(folder)/\(round)"
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            let store = try make(place)
            try fill(store, parameters)
            let reader = (store as? TintypeStore).map {
                SlowestRead($0.cache, of: parameters.optionalNumber("count") ?? 1)
            }
            let cost = try Cost.of { try store.trim() }
            var figures = cost.figures
            if let reader { figures["longest_read_ms"] = reader.stop() * 1000 }
            return figures
        }
    }
}

/// Reads the youngest entry again and again on a thread of its own and remembers the longest wait.
private final class SlowestRead: @unchecked Sendable {
    // `lock` guards the rest.
    private let lock = NSLock()
    private var slowest = 0.0
    private var isRunning = true
    private let ended = DispatchSemaphore(value: 0)

    init(_ cache: DiskCache, of count: Int) {
        let started = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [self] in
            while lock.withLock({ isRunning }) {
                let time = Cost.of { _ = try? cache.entrySynchronously(for: entryKey(count - 1)) }.wall
                lock.withLock { slowest = max(slowest, time) }
                started.signal()
                // Readers pause now and then; without this the reader alone would keep one of two cores.
                usleep(100)
            }
            ended.signal()
        }
        started.wait()
    }

    func stop() -> Double {
        lock.withLock { isRunning = false }
        ended.wait()
        return lock.withLock { slowest }
    }
}
