import Dispatch
import Foundation
import TintypeCaching

// usage: CacheChild ROOT SECONDS KEYS LIMIT ACTIONS
// ACTIONS: any of s(tore) r(ead) d(elete) t(rim) c(lear) v(erify) u(pdate metadata), one letter for each share; or the
// word `truncate` or `descriptors` for one of the trials below.
// Exit status 0: every byte that was read was right; 3: not; 2: usage; 4: an operation failed that must not.

let arguments = CommandLine.arguments
guard arguments.count == 6, let seconds = Double(arguments[2]), let keyCount = Int(arguments[3]),
    let limit = Int(arguments[4]),
    let cache = try? DiskCache(
        .init(root: URL(fileURLWithPath: arguments[1]), maximumByteCount: limit))
else {
    exit(2)
}

/// Reads a big entry of a folder that others may write to, while its file is truncated.
func truncateWhileReading() throws -> Int32 {
    let folder = URL(fileURLWithPath: cache.path).appendingPathComponent("entries")
    for mode in [0o777, 0o755, 0o770] {
        let payload = CheckedPayload.make("big", version: 1, count: 3_000_000)
        try cache.storeSynchronously(payload, for: "big")
        guard chmod(folder.path, mode_t(mode)) == 0, let entry = try cache.entrySynchronously(for: "big") else {
            return 4
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            truncate(folder.appendingPathComponent(name).path, 100)
        }
        guard CheckedPayload.isRight(entry.data, for: "big") else { return 3 }
        guard try cache.entrySynchronously(for: "big") == nil else { return 3 }
    }
    return 0
}

/// The result, or nil after a failure that may pass.
@discardableResult
func attempt<Value>(_ body: () throws(CachingError) -> Value) throws(CachingError) -> Value? {
    do throws(CachingError) {
        return try body()
    } catch {
        guard error.code == "ioFailed" else { throw error }
        return nil
    }
}

/// Uses the cache without any descriptor left, and with one, two and three.
func useWithoutDescriptors() throws -> Int32 {
    // libdispatch, which runs Swift's tasks, ends the process when it finds no descriptor at its own start.
    let isStarted = DispatchSemaphore(value: 0)
    Task {
        // The timer has a descriptor too.
        try await Task.sleep(for: .milliseconds(1))
        isStarted.signal()
    }
    isStarted.wait()
    try cache.storeSynchronously(CheckedPayload.make("a", version: 1, count: 5000), for: "a")
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    let before = limit
    for spare in 0..<4 {
        let next = dup(0)
        close(next)
        limit.rlim_cur = rlim_t(Int(next) + spare)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let second = try DiskCache(.init(root: URL(fileURLWithPath: arguments[1]), namespace: "second"))
        for cache in [cache, second] {
            let entry = try attempt { () throws(CachingError) in try cache.entrySynchronously(for: "a") }
            if let entry = entry ?? nil, !CheckedPayload.isRight(entry.data, for: "a") { return 3 }
            try attempt { () throws(CachingError) in
                try cache.storeSynchronously(CheckedPayload.make("b", version: 1, count: 5000), for: "b")
            }
            try attempt { () throws(CachingError) in try cache.verifySynchronously() }
            try attempt { () throws(CachingError) in
                try cache.fileURLSynchronously(forOriginalOf: "a", fileExtension: "png")
            }
            try attempt { () throws(CachingError) in try cache.removeExpiredSynchronously() }
            try attempt { () throws(CachingError) in try cache.removeAllSynchronously() }
            _ = cache.count
        }
        limit = before
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        for cache in [cache, second] {
            try cache.storeSynchronously(CheckedPayload.make("a", version: 2, count: 5000), for: "a")
            guard let entry = try cache.entrySynchronously(for: "a"), CheckedPayload.isRight(entry.data, for: "a")
            else {
                return 3
            }
        }
    }
    return 0
}

switch arguments[5] {
case "truncate": exit(try truncateWhileReading())
case "descriptors": exit(try useWithoutDescriptors())
default: break
}

@Sendable func work() -> Int32 {
    var generator = SystemRandomNumberGenerator()
    let actions = Array(arguments[5])
    let end = Date(timeIntervalSinceNow: seconds)
    while Date() < end {
        let key = "https://example.org/image/\(Int.random(in: 0..<keyCount, using: &generator)).jpg"
        do {
            switch actions.randomElement(using: &generator) {
            case "s":
                let count = Int.random(in: 1...4, using: &generator) == 1 ? 200_000 : 6000
                let payload = CheckedPayload.make(
                    key, version: .random(in: .min ... .max, using: &generator),
                    count: .random(in: 16...count, using: &generator))
                try cache.storeSynchronously(payload, for: key)
            case "r":
                if let entry = try cache.entrySynchronously(for: key), !CheckedPayload.isRight(entry.data, for: key) {
                    return 3
                }
            case "d": try cache.removeSynchronously(key)
            case "t": try cache.trimSynchronously(toByteCount: limit / 2)
            case "c": try cache.removeAllSynchronously()
            case "u": try cache.updateMetadataSynchronously(CacheEntryMetadata(etag: "\"x\""), for: key)
            default: _ = try cache.verifySynchronously()
            }
        } catch CachingError.notInCache {
            continue
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            return 4
        }
    }
    return 0
}

let second = Thread {
    let status = work()
    if status != 0 { exit(status) }
}
second.start()
exit(work())
