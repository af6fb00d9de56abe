import Tintype

/// `tintype info`: prints facts from the headers of images.
enum InfoCommand {
    static let specification = CommandSpecification(
        name: "info", summary: "Show format, size and other facts from image headers", operands: "SOURCE…",
        discussion: """
            A SOURCE is a path, - for standard input, or a file:, data:, http: or https: URL. No pixels are decoded, and \
            only as much as needed is read: at first 64 KB, and all of an animation.
            """,
        options: [
            .flag("json", nil, "Print one JSON object for each source"),
            .value("max-pixels", nil, "N", "Refuse images of more pixels than this; 100000000 by default"),
        ],
        examples: [
            .init(line: "tintype info photo.jpg", explanation: "Format, size, orientation and colours of one image"),
            .init(
                line: "tintype info --json *.gif | grep '\"frameCount\":1,'",
                explanation: "Find the GIFs with one frame"),
        ],
        run: run)

    /// Enough for the header of nearly every image.
    static let firstPrefix = 64 << 10

    static func run(_ call: Invocation) throws -> ExitStatus {
        guard !call.operands.isEmpty else { throw UsageError("info needs a SOURCE: a path, a URL, or -") }
        var limits = DecodeLimits()
        if let pixels = try call.integer("max-pixels", 1...Int.max) { limits.maximumPixelCount = pixels }
        var status = ExitStatus.success
        for source in call.operands {
            let result = try call.reportingFailure("source", source) {
                let facts = try read(source, limits: limits)
                call.console.print(
                    call.wantsJSON
                        ? InfoReport.json(facts.info, source: source, byteCount: facts.byteCount).line
                        : InfoReport.text(facts.info, source: source, byteCount: facts.byteCount))
                return .success
            }
            if result == .failure { status = .failure }
        }
        return status
    }

    static func read(_ source: String, limits: DecodeLimits) throws -> (info: ImageInfo, byteCount: Int?) {
        switch try InputSource(source) {
        case .path(let path): return try read(PrefixReader(path: path), limits: limits)
        case .standardInput: return try read(PrefixReader(standardInput: 0), limits: limits)
        case .data(let url):
            let data = try DataURL.decode(url).data
            return (try ImageCodecs.standard.info(data, limits: limits), data.count)
        case .remote(let url): return try waitFor { try await RemotePrefix.info(url, limits: limits) }
        }
    }

    static func read(_ reader: PrefixReader, limits: DecodeLimits) throws -> (info: ImageInfo, byteCount: Int?) {
        var wanted = firstPrefix
        while true {
            try reader.grow(to: wanted)
            guard reader.data.count <= PrefixReader.defaultLimit else { throw PrefixReader.tooLarge() }
            do {
                let info = try ImageCodecs.standard.info(reader.data, isComplete: reader.isAtEnd, limits: limits)
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

/// How `info` prints what it found.
enum InfoReport {
    static func json(_ info: ImageInfo, source: String, byteCount: Int?) -> JSONOutput {
        [
            "source": .string(source), "format": .string(info.format.rawValue), "mimeType": .string(info.mimeType),
            "width": .integer(info.size.width), "height": .integer(info.size.height),
            "storedWidth": .integer(info.storedSize.width), "storedHeight": .integer(info.storedSize.height),
            "orientation": .integer(info.orientation.rawValue), "bitDepth": .integer(info.bitDepth),
            "hasAlpha": .boolean(info.hasAlpha), "colorSpace": .string(info.colorSpace),
            "frameCount": .integer(info.frameCount), "loopCount": .optional(info.loopCount),
            "frames": .array(
                info.frames.map {
                    ["duration": .double($0.duration), "rawDuration": .double($0.rawDuration)]
                }), "byteCount": .optional(byteCount),
        ]
    }

    /// `photo.jpg: jpeg, 1536x2048 (stored 2048x1536, orientation 6), 8 bits, sRGB, 2.1 MB`
    static func text(_ info: ImageInfo, source: String, byteCount: Int?) -> String {
        var facts = [info.format.rawValue, info.size.description]
        if info.orientation != .up {
            facts[1] += " (stored \(info.storedSize), orientation \(info.orientation.rawValue))"
        }
        facts.append("\(info.bitDepth) \(info.bitDepth == 1 ? "bit" : "bits")")
        facts.append(info.colorSpace)
        if info.hasAlpha { facts.append("alpha") }
        if info.isHDR { facts.append("HDR") }
        if info.isAnimated {
            let seconds = info.frames.reduce(0) { $0 + $1.duration }
            facts.append("\(info.frameCount) frames in \(Quantity.seconds(seconds))")
            if let plays = info.loopCount {
                facts.append(plays == 0 ? "plays for ever" : "plays \(plays == 1 ? "once" : "\(plays) times")")
            }
        }
        if let byteCount { facts.append(Quantity.bytes(byteCount)) }
        return Problem.shortened(source) + ": " + facts.joined(separator: ", ")
    }
}
