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
}
