import TintypeBase
import TintypeResponses

extension JSONCommands {
    @Sendable static func get(_ call: Invocation, _ cache: ResponseCache) throws -> ExitStatus {
        let request = try request(call)
        let policy = try call.choice("policy", ResponsePolicy.self) ?? .cacheOnly
        let (wantsJSON, console) = (call.wantsJSON, call.console)
        try waitFor {
            for try await response in cache.responses(for: request, policy: policy) {
                if wantsJSON {
                    console.print([
                        "url": .string(request.url), "source": .string(response.source.rawValue),
                        "status": .optional(response.status), "revalidated": .boolean(response.isRevalidated),
                        "stale": .boolean(response.isStale), "bytes": .integer(response.data.count),
                        "storedAt": .string(CacheCommands.timestamp(response.storedAt)),
                        "value": JSONOutput(try response.json()),
                    ])
                } else {
                    console.print(document: response.data)
                }
            }
        }
        return .success
    }

    @Sendable static func put(_ call: Invocation, _ cache: ResponseCache) throws -> ExitStatus {
        let request = try request(call)
        let data: Data
        if let text = call.text("value") {
            guard call.text("input") == nil else { throw UsageError("--value and --input exclude one another") }
            data = Data(text.utf8)
        } else {
            let path = call.text("input") ?? "-"
            let reader = try path == "-" ? PrefixReader(standardInput: 0) : PrefixReader(path: path)
            try reader.grow(to: 4096)
            try refuseOtherThanJSON(reader.data)
            data = try reader.readAll()
        }
        try waitFor { try await cache.save(data: data, for: request) }
        if call.wantsJSON {
            call.console.print(["url": .string(request.url), "stored": .boolean(true), "bytes": .integer(data.count)])
        }
        return .success
    }

    /// Checks the first character, so that a large file that is not JSON is not read in full.
    private static func refuseOtherThanJSON(_ data: Data) throws(Problem) {
        let blanks = Data(" \t\r\n\u{FEFF}".utf8)
        guard let first = data.first(where: { !blanks.contains($0) }) else { return }
        guard !Data("{[\"-0123456789tfn".utf8).contains(first) else { return }
        let name = first == UInt8(ascii: "<") ? "it is HTML or XML, not JSON" : "it is not JSON"
        throw Problem("corrupt", name)
    }

    @Sendable static func check(_ call: Invocation, _ cache: ResponseCache) throws -> ExitStatus {
        let request = try request(call)
        let isStored = try waitFor { try await cache.data(for: request) != nil }
        call.print(
            ["url": .string(request.url), "stored": .boolean(isStored)], else: isStored ? "stored" : "not stored")
        return isStored ? .success : .failure
    }

    @Sendable static func remove(_ call: Invocation, _ cache: ResponseCache) throws -> ExitStatus {
        let request = try request(call)
        let wasStored = try waitFor {
            let wasStored = await cache.contains(request)
            try await cache.remove(request)
            return wasStored
        }
        if call.wantsJSON {
            call.console.print(["url": .string(request.url), "removed": .boolean(wasStored)])
        }
        return .success
    }

    @Sendable static func size(_ call: Invocation, _ cache: ResponseCache) throws -> ExitStatus {
        if let extra = call.operands.first { throw UsageError("json size takes no '\(extra)'") }
        call.print(
            [
                "path": .string(CacheCommands.shownPath(cache.path)), "entries": .integer(cache.count),
                "bytes": .integer(cache.byteCount), "formatted": .string(cache.formattedSize),
            ], else: cache.formattedSize)
        return .success
    }

    @Sendable static func clear(_ call: Invocation, _ cache: ResponseCache) throws -> ExitStatus {
        guard call.operands.count < 2 else { throw UsageError("json clear takes one URL, or none") }
        let url = call.operands.first
        let onlyOthers = call.has("other-versions")
        if onlyOthers, url != nil { throw UsageError("--other-versions and a URL exclude one another") }
        let removed = try waitFor {
            if onlyOthers { return try await cache.removeOtherVersions() }
            if let url { return try await cache.removeAll(of: url) }
            let count = cache.count
            try await cache.removeAll()
            return count
        }
        call.print(
            ["removed": .integer(removed)], else: "removed \(removed) \(removed == 1 ? "response" : "responses")")
        return .success
    }
}

extension JSONOutput {
    /// Numbers keep all their digits: they are data of the response and not measurements.
    init(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .boolean(value)
        case .integer(let value): self = .integer(value)
        case .number(let value): self = .exact(value)
        case .string(let value): self = .string(value)
        case .array(let values): self = .array(values.map { JSONOutput($0) })
        case .object(let members):
            self = .object(
                members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map {
                    ($0.key, JSONOutput($0.value))
                })
        }
    }
}
