import Tintype
import TintypeBase

/// `tintype cache …`: inspects and cleans the disk cache.
enum CacheCommands {
    static let options: [OptionSpecification] = [
        .value("cache-dir", nil, "D", kind: .directory, "The root of the cache; ~/.cache/tintype by default"),
        .flag("json", nil, "Print JSON Lines"),
    ]

    static let all: [CommandSpecification] = [
        command(
            "path", "Show the path of the cache", example: "ls -l \"$(tintype cache path)\"", run: path),
        command("stats", "Show size and age of the cache", example: "tintype cache stats --json", run: stats),
        command("list", "List the entries of the cache, oldest first", example: "tintype cache list", run: list),
        command(
            "trim", "Remove expired entries, and the least recently used down to a size",
            example: "tintype cache trim --max-bytes 200M", run: trim,
            more: [.value("max-bytes", nil, "N", "The size to trim to, such as 200M; half of the limit by default")]
        ),
        command("clear", "Remove all entries", example: "tintype cache clear", run: clear),
        command(
            "remove", "Remove entries", operands: "KEY…",
            example: "tintype cache remove https://example.com/cat.jpg", run: remove),
        command(
            "verify", "Check every entry, and repair the index", example: "tintype cache verify", run: verify),
    ]

    private static func command(
        _ name: String, _ summary: String, operands: String = "", example: String,
        run: @escaping @Sendable (Invocation, DiskCache) throws -> ExitStatus, more: [OptionSpecification] = []
    ) -> CommandSpecification {
        CommandSpecification(
            name: "cache " + name, summary: summary, operands: operands, discussion: "", options: options + more,
            examples: [.init(line: example, explanation: summary)],
            run: { call in
                if operands.isEmpty, let extra = call.operands.first {
                    throw UsageError("cache \(name) takes no '\(extra)'")
                }
                let cache = try open(call)
                return try call.reportingFailure(nil, nil, else: shownPath(cache.path)) {
                    if name != "path" { try requireFolder(cache) }
                    return try run(call, cache)
                }
            })
    }

    /// - Parameter onProblem: called once if the folder cannot be used.
    static func open(
        _ call: Invocation, onProblem: (@Sendable (CachingError) -> Void)? = nil
    ) throws -> DiskCache {
        var configuration = DiskCache.Configuration()
        configuration.onProblem = onProblem
        if let root = try root(call) { configuration.root = root }
        return try DiskCache(configuration)
    }

    /// A read-only cache can be inspected; a path that is not a folder cannot.
    private static func requireFolder(_ cache: DiskCache) throws {
        guard let reason = cache.unavailableReason, access(cache.path + "/.", F_OK) != 0 else { return }
        throw reason
    }

    static func root(_ call: Invocation) throws -> URL? {
        guard let path = call.text("cache-dir") else { return nil }
        guard !path.isEmpty else { throw UsageError("--cache-dir needs the path of a folder") }
        let bytes = PathText.bytes(path)
        guard String(validating: bytes, as: UTF8.self) == nil else { return URL(fileURLWithPath: path) }
        // A URL is text, and the path in /proc of the open folder is text, too.
        try OutputFolder.make(path)
        let descriptor = PathText.withPath(path) { Glibc.open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw PrefixReader.failure(errno, "the cache folder cannot be opened") }
        oddRoots.withLock { $0["/proc/self/fd/\(descriptor)"] = path }
        return URL(fileURLWithPath: "/proc/self/fd/\(descriptor)")
    }

    private static let oddRoots = Locked<[String: String]>([:])

    /// Returns the path of a cache as the user knows it.
    static func shownPath(_ path: String) -> String {
        oddRoots.withLock { roots in
            roots.first { path.hasPrefix($0.key + "/") }.map { $0.value + path.dropFirst($0.key.count) } ?? path
        }
    }

    @Sendable private static func path(_ call: Invocation, _ cache: DiskCache) -> ExitStatus {
        call.print(["path": .string(shownPath(cache.path))], else: shownPath(cache.path))
        return .success
    }

    @Sendable private static func stats(_ call: Invocation, _ cache: DiskCache) throws -> ExitStatus {
        let entries = try cache.entriesSynchronously()
        let dates = entries.map(\.storedAt)
        let expired = entries.count { $0.isExpired }
        let bytes = entries.reduce(0) { $0 + $1.fileByteCount }
        if call.wantsJSON {
            call.console.print([
                "path": .string(shownPath(cache.path)), "entries": .integer(entries.count), "bytes": .integer(bytes),
                "oldest": .optional(dates.min().map(timestamp)), "newest": .optional(dates.max().map(timestamp)),
                "expired": .integer(expired),
            ])
        } else {
            call.console.print("path     \(shownPath(cache.path))")
            call.console.print("entries  \(Quantity.grouped(entries.count))")
            call.console.print("bytes    \(Quantity.grouped(bytes)) (\(Quantity.bytes(bytes)))")
            call.console.print("oldest   \(dates.min().map(timestamp) ?? "-")")
            call.console.print("newest   \(dates.max().map(timestamp) ?? "-")")
            call.console.print("expired  \(Quantity.grouped(expired))")
        }
        return .success
    }

    @Sendable private static func list(_ call: Invocation, _ cache: DiskCache) throws -> ExitStatus {
        for entry in try cache.entriesSynchronously() {
            if call.wantsJSON {
                call.console.print([
                    "key": .string(entry.key), "bytes": .integer(entry.byteCount),
                    "fileBytes": .integer(entry.fileByteCount), "contentType": .optional(entry.contentType),
                    "storedAt": .string(timestamp(entry.storedAt)), "lastAccess": .string(timestamp(entry.lastAccess)),
                    "expiresAt": .optional(entry.expiresAt.map(timestamp)), "expired": .boolean(entry.isExpired),
                ])
            } else {
                let state = entry.isExpired ? "expired" : "       "
                call.console.print(
                    "\(timestamp(entry.storedAt))  \(state)  \(Quantity.bytes(entry.byteCount))  "
                        + Problem.shortened(entry.key))
            }
        }
        return .success
    }

    @Sendable private static func trim(_ call: Invocation, _ cache: DiskCache) throws -> ExitStatus {
        let limit = try call.byteCount("max-bytes") ?? cache.maximumByteCount / 2
        let result = try cache.trimSynchronously(toByteCount: limit)
        call.print(
            [
                "expired": .integer(result.expired), "evicted": .integer(result.evicted),
                "freedBytes": .integer(result.byteCount), "entries": .integer(cache.count),
                "bytes": .integer(cache.byteCount),
            ],
            else: "removed \(result.expired) expired and \(result.evicted) other entries, "
                + "\(Quantity.bytes(result.byteCount)); \(Quantity.bytes(cache.byteCount)) are left")
        return .success
    }

    @Sendable private static func clear(_ call: Invocation, _ cache: DiskCache) throws -> ExitStatus {
        let (count, bytes) = (cache.count, cache.byteCount)
        try cache.removeAllSynchronously()
        call.print(
            ["removed": .integer(count), "freedBytes": .integer(bytes)],
            else: "removed \(count) entries, \(Quantity.bytes(bytes))")
        return .success
    }

    @Sendable private static func verify(_ call: Invocation, _ cache: DiskCache) throws -> ExitStatus {
        let result = try cache.verifySynchronously()
        if call.wantsJSON {
            call.console.print([
                "checked": .integer(result.checked), "damaged": .integer(result.damaged.count),
                "removed": .array(result.damaged.map { .string($0) }), "temporaries": .integer(result.temporaries),
                "corrected": .integer(result.corrected), "bytes": .integer(result.byteCount),
                "clean": .boolean(result.isClean),
            ])
        } else {
            for file in result.damaged { call.console.print("removed \(file): damaged") }
            if result.temporaries > 0 { call.console.print("removed \(result.temporaries) left-over temporary files") }
            if result.corrected > 0 { call.console.print("corrected \(result.corrected) lines of the index") }
            call.console.print("checked \(result.checked) entries, \(Quantity.bytes(result.byteCount)) are good")
        }
        return .success
    }

    /// Returns a date in the format of RFC 3339, in UTC.
    static func timestamp(_ date: Date) -> String { date.formatted(.iso8601) }

    /// Removes entries by key, as `cache list` shows it, or by any spelling of a URL.
    @Sendable private static func remove(_ call: Invocation, _ cache: DiskCache) throws -> ExitStatus {
        guard !call.operands.isEmpty else {
            throw UsageError("cache remove needs a KEY, as 'tintype cache list' shows it")
        }
        var status = ExitStatus.success
        for name in call.operands {
            let keys = [name, canonical(name)].compactMap { $0 }
            let found = try keys.first { try cache.containsSynchronously($0) }
            for key in keys { try cache.removeSynchronously(key) }
            if call.wantsJSON {
                call.console.print(["key": .string(name), "removed": .boolean(found != nil)])
            } else if found != nil {
                call.console.print("removed \(Problem.shortened(name))")
            }
            if found == nil {
                call.console.report(Problem("notInCache", "nothing is cached under this key", source: name))
                status = .failure
            }
        }
        return status
    }

    private static func canonical(_ name: String) -> String? {
        do { return try ResourceURL(name).cacheKey } catch { return nil }
    }
}
