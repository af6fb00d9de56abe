import TintypeBase
import TintypeResponses

/// `tintype json …`: the cache of JSON responses.
enum JSONCommands {
    static let common: [OptionSpecification] = [
        .value("app-version", nil, "V", "The version of the app, which is part of the key"),
        .value("cache-dir", nil, "D", kind: .directory, "The root of the cache; ~/.cache/tintype by default"),
        .flag("json", nil, "Print JSON Lines"),
    ]

    static let naming: [OptionSpecification] = [
        .value(
            "param", nil, "K=V", isRepeatable: true,
            "A parameter of the request, as text; K:=V takes V as JSON, such as page:=2"),
        .value("method", nil, "M", "The HTTP method; GET by default"),
        .value("partition", nil, "P", "The user, locale or other part of the key"),
    ]

    static let all: [CommandSpecification] = [
        command(
            "get", "Print a stored response, or fetch it", operands: "URL",
            discussion: "Without --policy no request is sent, and a cache miss is an error.",
            more: naming + [
                .value(
                    "policy", nil, "P", kind: .choice(ResponsePolicy.allCases.map(\.rawValue)),
                    "cacheOnly (the default), cacheFirst, networkFirst, cacheThenNetwork or staleWhileRevalidate"),
                .value("max-age", nil, "S", "Seconds for which a fetched response is fresh; for ever by default"),
                .value("header", nil, "'K: V'", isRepeatable: true, "A header field of the request"),
                .value("timeout", nil, "S", "Seconds for the whole request; 120 by default"),
            ], example: "tintype json get https://api.example.com/posts --param page=2 --policy cacheFirst", run: get),
        command(
            "put", "Store a response, from a file or standard input", operands: "URL",
            more: naming + [
                .value("input", "i", "FILE", kind: .file, "Read the response from here; - is standard input"),
                .value("value", nil, "JSON", "The response itself"),
                .value("max-age", nil, "S", "Seconds until it expires; never by default"),
            ], example: "curl -s https://api.example.com/posts | tintype json put https://api.example.com/posts",
            run: put),
        command(
            "check", "Check whether a response is stored (exit status 0) or not (1)", operands: "URL", more: naming,
            example: "tintype json check https://api.example.com/posts && echo there", run: check),
        command(
            "remove", "Remove a response", operands: "URL", more: naming,
            example: "tintype json remove https://api.example.com/posts --param page=2", run: remove),
        command("size", "Show the size of the cache", operands: "", example: "tintype json size", run: size),
        command(
            "clear", "Remove all responses, or all of one URL", operands: "[URL]",
            more: [.flag("other-versions", nil, "Only those of versions other than --app-version")],
            example: "tintype json clear", run: clear),
    ]

    private static func command(
        _ name: String, _ summary: String, operands: String, discussion: String = "", more: [OptionSpecification] = [],
        example: String, run: @escaping @Sendable (Invocation, ResponseCache) throws -> ExitStatus
    ) -> CommandSpecification {
        CommandSpecification(
            name: "json " + name, summary: summary, operands: operands, discussion: discussion, options: more + common,
            examples: [.init(line: example, explanation: summary)],
            run: { call in
                if operands == "URL", call.operands.count != 1 {
                    throw UsageError("json \(name) needs one URL, and got \(call.operands.count)")
                }
                let cache = try open(call)
                return try call.reportingFailure("url", call.operands.first, else: cache.path) { try run(call, cache) }
            })
    }

    static func open(_ call: Invocation) throws -> ResponseCache {
        var configuration = ResponseCache.Configuration(version: call.text("app-version") ?? "")
        configuration.root = try CacheCommands.root(call)
        if let seconds = try call.number("timeout", above: 0, upTo: 1e6) {
            configuration.requestDefaults.timeouts.total = .seconds(seconds)
        }
        return try ResponseCache(configuration)
    }

    static func request(_ call: Invocation) throws(UsageError) -> ResponseRequest {
        var parameters: [String: JSONValue] = [:]
        for text in call.texts("param") {
            let (name, value) = try parameter(text)
            parameters[name] = value
        }
        var request = ResponseRequest(
            call.operands.first ?? "", method: call.text("method") ?? "GET", parameters: parameters,
            partition: call.text("partition"))
        for text in call.texts("header") {
            let (name, value) = try LoadingOptions.header(text)
            request.headers.add(name, value)
        }
        request.maximumAge = try call.number("max-age", above: 0, upTo: 1e12).map { .seconds($0) }
        return request
    }

    /// `K=V`, or `K:=JSON`.
    static func parameter(_ text: String) throws(UsageError) -> (String, JSONValue) {
        guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
            throw UsageError("--param needs K=V or K:=JSON, not '\(text)'")
        }
        let value = String(text[text.index(after: equals)...])
        let before = text.index(before: equals)
        guard text[before] == ":", before > text.startIndex else { return (String(text[..<equals]), .string(value)) }
        do throws(ResponseCacheError) {
            return (String(text[..<before]), try JSONValue(data: Data(value.utf8)))
        } catch {
            throw UsageError("--param \(text[..<equals])= needs JSON: \(error)")
        }
    }

    @Sendable private static func get(_ call: Invocation, _ cache: ResponseCache) throws -> ExitStatus {
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

    @Sendable private static func put(_ call: Invocation, _ cache: ResponseCache) throws -> ExitStatus {
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

    @Sendable private static func check(_ call: Invocation, _ cache: ResponseCache) throws -> ExitStatus {
        let request = try request(call)
        let isStored = try waitFor { try await cache.data(for: request) != nil }
        call.print(
            ["url": .string(request.url), "stored": .boolean(isStored)], else: isStored ? "stored" : "not stored")
        return isStored ? .success : .failure
    }

    @Sendable private static func remove(_ call: Invocation, _ cache: ResponseCache) throws -> ExitStatus {
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

    @Sendable private static func size(_ call: Invocation, _ cache: ResponseCache) throws -> ExitStatus {
        if let extra = call.operands.first { throw UsageError("json size takes no '\(extra)'") }
        call.print(
            [
                "path": .string(CacheCommands.shownPath(cache.path)), "entries": .integer(cache.count),
                "bytes": .integer(cache.byteCount), "formatted": .string(cache.formattedSize),
            ], else: cache.formattedSize)
        return .success
    }

    @Sendable private static func clear(_ call: Invocation, _ cache: ResponseCache) throws -> ExitStatus {
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
