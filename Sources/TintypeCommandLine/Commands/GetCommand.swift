import Tintype
import TintypeBase

/// `tintype get`: loads images through the caches.
enum GetCommand {
    static let specification = CommandSpecification(
        name: "get", summary: "Load images through the cache, and save or show them", operands: "URL…",
        discussion: """
            A URL is http:, https:, file: or data:, or the path of a file. Without processing flags the saved file holds \
            the original bytes. In a folder, names come from the URLs and extensions from the content. A file from the same \
            URL with the same flags is skipped, so an interrupted run can be repeated; other files are never overwritten, and \
            the new file gets a number. Processing flags apply in the order of the command line.
            """,
        options: [
            .value("output", "o", "FILE|DIR", kind: .file, "Save here; - is standard output"),
            .flag("force", "f", "Overwrite files"),
            .value(
                "names", nil, "STYLE", kind: .choice(OutputNames.Style.allCases.map(\.rawValue)),
                "Names in a folder: url (the default), hash of the URL, or index in the list"),
            .flag("json", nil, "Print JSON Lines: progress, preview, finished, skipped, failed, summary"),
            .value("events", nil, "LIST", "The events to print with --json, such as finished,failed; all by default"),
            .flag("allow-failures", nil, "Exit with status 0 even if loads fail; the summary counts them"),
        ] + LoadingOptions.table + [
            .value("key", nil, "K", "Cache under this key instead of the URL; for one URL"),
            .value("progressive", nil, "DIR", kind: .directory, "Save previews of the image here while it arrives"),
            .flag("show", nil, "Show the images in the terminal"),
            .flag("lenient", nil, "Accept a truncated image"),
            .value("frame", nil, "N", "Take this frame of an animation, fully drawn; the first is 0"),
        ] + ProcessingOptions.table + ProcessingOptions.encodingTable,
        examples: [
            .init(line: "tintype get -o cat.jpg https://example.com/cat.jpg", explanation: "Save one image"),
            .init(
                line: "tintype get -i list.txt -o images/ --concurrency 12",
                explanation: "Save a list of images; run it again to continue an interrupted run"),
            .init(
                line: "tintype get --resize 128x128 --fit cover --format webp -o thumbs/ -i list.txt",
                explanation: "Make thumbnails of them"),
        ],
        run: run)

    static func run(_ call: Invocation) throws -> ExitStatus {
        let loading = try LoadingOptions(call)
        let processing = try ProcessingOptions(call)
        let urls = try loading.urls()
        guard !urls.isEmpty else {
            if call.text("input") == nil { throw UsageError("get needs a URL, or a list with -i FILE") }
            return try finishEmpty(call)
        }
        let key = call.text("key")
        guard key == nil || urls.count == 1 else {
            throw UsageError("--key names one image, and there are \(urls.count)")
        }
        var report = try BatchReport(call: call, total: urls.count)
        let output = try OutputTarget(
            call, urls: urls, isList: call.text("input") != nil, isReversed: loading.isLIFO, processing: processing)
        let records = TransferRecords(urls: urls, keepsData: output.wantsOriginals)
        let gate = BatchGate()
        let isLenient = call.has("lenient")
        let frame = try call.integer("frame", 0...Int.max)
        let loader = BatchLoader(
            pipeline: try loading.pipeline(records: records), records: records,
            urls: loading.isLIFO ? urls.reversed() : urls, window: loading.window,
            wantsProgress: report.wantsProgress,
            request: { url in
                var request = try loading.request(for: url)
                processing.apply(to: &request)
                request.decodeOptions.isLenient = isLenient
                request.decodeOptions.frame = frame
                request.cacheKey = key
                if output.wantsPreviews { request.options.insert(.progressive) }
                return request
            },
            output: output, gate: gate, console: call.console)
        return BatchRun.run(loader) {
            report.receive($0)
        } summary: {
            report.finish(networkBytes: records.byteCount)
        }
    }

    private static func finishEmpty(_ call: Invocation) throws(UsageError) -> ExitStatus {
        var report = try BatchReport(call: call, total: 0)
        return report.finish(networkBytes: 0)
    }
}
