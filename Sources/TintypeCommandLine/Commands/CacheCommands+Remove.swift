import Tintype

extension CacheCommands {
    /// A URL names its entry in any spelling; anything else is a key as `cache list` shows it.
    @Sendable static func remove(_ call: Invocation, _ cache: DiskCache) throws -> ExitStatus {
        guard !call.operands.isEmpty else {
            throw UsageError("cache remove needs a KEY, as 'tintype cache list' shows it")
        }
        var status = ExitStatus.success
        for name in call.operands {
            let keys = [name, canonical(name)].compactMap { $0 }
            let found = try keys.first { try cache.containsSynchronously($0) }
            for key in keys { try cache.removeSynchronously(key) }
            if call.wantsJSON {
                call.console.print(.object([("key", .string(name)), ("removed", .boolean(found != nil))]))
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
