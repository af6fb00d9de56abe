import Tintype

/// `tintype info`: facts from the headers.
enum InfoCommand {
    static let specification = CommandSpecification(
        name: "info", summary: "Show what images are, from their headers", operands: "SOURCE…",
        discussion: """
            A SOURCE is a path, - for standard input, or a file:, data:, http: or https: URL. No pixels are decoded, and \
            no more is read than the answer needs: 64 KB to begin with, all of it for an animation.
            """,
        options: [
            .flag("json", nil, "Print one JSON object for each source"),
            .value("max-pixels", nil, "N", "Refuse images of more pixels than this; 100000000 by default"),
            ProcessingOptions.isolate,
        ],
        examples: [
            .init(line: "tintype info photo.jpg", explanation: "Format, size, orientation and colours of one image"),
            .init(
                line: "tintype info --json *.gif | grep '\"frameCount\":1,'",
                explanation: "Find the GIFs that do not move"),
        ],
        run: run)

    /// Enough for the header of nearly every image.
    static let firstPrefix = 64 << 10

    static func run(_ call: Invocation) throws -> ExitStatus {
        guard !call.operands.isEmpty else { throw UsageError("info needs a SOURCE: a path, a URL, or -") }
        var limits = DecodeLimits()
        if let pixels = try call.integer("max-pixels", 1...Int.max) { limits.maximumPixelCount = pixels }
        let codecs = try ProcessingOptions.codecs(call)
        var status = ExitStatus.success
        for source in call.operands {
            do {
                let facts = try read(source, codecs, limits: limits)
                call.console.print(
                    call.wantsJSON
                        ? InfoReport.json(facts.info, source: source, byteCount: facts.byteCount).line
                        : InfoReport.text(facts.info, source: source, byteCount: facts.byteCount))
            } catch let error as UsageError {
                throw error
            } catch {
                let problem = Problem(error, source: source)
                if call.wantsJSON {
                    call.console.print(.object([("source", .string(source)), ("error", problem.json)]))
                }
                call.console.report(problem)
                status = .failure
            }
        }
        return status
    }

    private static func read(
        _ source: String, _ codecs: ImageCodecs, limits: DecodeLimits
    ) throws -> (info: ImageInfo, byteCount: Int?) {
        switch try InputSource(source) {
        case .path(let path): return try read(PrefixReader(path: path), codecs, limits: limits)
        case .standardInput: return try read(PrefixReader(standardInput: 0), codecs, limits: limits)
        case .data(let url):
            let data = try DataURL.decode(url).data
            return (try codecs.info(data, limits: limits), data.count)
        case .remote(let url): return try waitFor { try await RemotePrefix.info(url, codecs, limits: limits) }
        }
    }

    private static func read(
        _ reader: PrefixReader, _ codecs: ImageCodecs, limits: DecodeLimits
    ) throws -> (info: ImageInfo, byteCount: Int?) {
        var wanted = firstPrefix
        while true {
            try reader.grow(to: wanted)
            guard reader.data.count <= PrefixReader.defaultLimit else { throw PrefixReader.tooLarge() }
            do {
                let info = try codecs.info(reader.data, isComplete: reader.isAtEnd, limits: limits)
                if info.isFrameListComplete || reader.isAtEnd { return (info, try reader.countBytes()) }
                wanted = next(after: reader.data.count, hint: nil)
            } catch ImagingError.needsMoreData(_, let hint) where !reader.isAtEnd {
                wanted = next(after: reader.data.count, hint: hint)
            }
        }
    }

    /// At least twice as much each time, so that a header is not parsed again and again.
    static func next(after count: Int, hint: Int?) -> Int {
        max(count.multipliedReportingOverflow(by: 4).partialValue, count + 1, hint ?? 0)
    }
}
