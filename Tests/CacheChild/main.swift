import Foundation
import TintypeCaching

// usage: CacheChild ROOT SECONDS KEYS LIMIT ACTIONS
// ACTIONS: any of s(tore) r(ead) d(elete) t(rim) c(lear) v(erify) u(pdate metadata), one letter for each share.
// Exit status 0: every byte that was read was right; 3: not; 2: usage; 4: an operation failed that must not.

let arguments = CommandLine.arguments
guard arguments.count == 6, let seconds = Double(arguments[2]), let keyCount = Int(arguments[3]),
    let limit = Int(arguments[4]),
    let cache = try? DiskCache(
        .init(root: URL(fileURLWithPath: arguments[1]), maximumByteCount: limit))
else {
    exit(2)
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
