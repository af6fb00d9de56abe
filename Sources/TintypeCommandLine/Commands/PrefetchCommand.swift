import Tintype
import TintypeBase

/// `tintype prefetch`: fills the disk cache.
enum PrefetchCommand {
    static let specification = CommandSpecification(
        name: "prefetch", summary: "Load images into the cache", operands: "URL…",
        discussion: "Cached images and repeated URLs are skipped.",
        options: [.flag("json", nil, "Print JSON Lines: failed, summary")] + LoadingOptions.table
            + ProcessingOptions.table,
        examples: [
            .init(line: "tintype prefetch -i list.txt --concurrency 12", explanation: "Fill the cache from a list"),
            .init(
                line: "tintype prefetch --json --cache-dir /var/cache/shop https://example.com/a.jpg",
                explanation: "Fill the cache of a service"),
        ],
        run: run)

    static func run(_ call: Invocation) throws -> ExitStatus {
        let loading = try LoadingOptions(call)
        let processing = try ProcessingOptions(call)
        let urls = try loading.urls()
        guard !urls.isEmpty || call.text("input") != nil else {
            throw UsageError("prefetch needs a URL, or a list with -i FILE")
        }
        let records = TransferRecords(urls: [], keepsData: false)
        let pipeline = try loading.pipeline(records: records)
        var requests: [ImageRequest] = []
        var problems: [(String, Problem)] = []
        for url in loading.isLIFO ? urls.reversed() : urls {
            do {
                var request = try loading.request(for: url)
                processing.apply(to: &request)
                requests.append(request)
            } catch {
                problems.append((url, Problem(error, source: url)))
            }
        }
        let start = ContinuousClock.now
        let (summary, signal) = try prefetch(requests, pipeline, records, loading, call)
        problems += summary.failures.map { ($0.source, Problem($0.error, source: $0.source)) }
        for (url, problem) in problems {
            if call.wantsJSON {
                call.console.print(["event": "failed", "url": .string(url), "error": problem.json])
            }
            call.console.report(problem)
        }
        let failed = problems.count
        if call.wantsJSON {
            call.console.print([
                "event": "summary", "total": .integer(urls.count), "loaded": .integer(summary.loaded),
                "failed": .integer(failed), "skipped": .integer(summary.skipped),
                "seconds": .double(start.duration(to: .now).inSeconds),
            ])
        } else {
            call.console.print("\(summary.loaded) loaded, \(failed) failed, \(summary.skipped) skipped")
        }
        return signal ?? (failed > 0 ? .failure : .success)
    }

    private static func prefetch(
        _ requests: [ImageRequest], _ pipeline: ImagePipeline, _ records: TransferRecords, _ loading: LoadingOptions,
        _ call: Invocation
    ) throws -> (ImagePrefetcher.Summary, ExitStatus?) {
        var configuration = ImagePrefetcher.Configuration()
        configuration.maximumConcurrentLoads = loading.concurrency
        // Decoding verifies that the stored bytes are an image.
        configuration.destination = .both
        let prefetcher = ImagePrefetcher(pipeline: pipeline, configuration: configuration)
        let ended = Locked<ExitStatus?>(nil)
        let end = BlockingGate<ImagePrefetcher.Summary>()
        SignalWatcher.handle { request in
            switch request {
            case .terminate:
                ended.withLock { $0 = .terminated }
                prefetcher.isPaused = true
            case .interrupt:
                ended.withLock { $0 = $0 ?? .interrupted }
                prefetcher.stop()
            case .abandon: break
            }
        }
        defer { SignalWatcher.handle(nil) }
        let bar = Locked(ProgressBar(call.console))
        prefetcher.start(
            requests,
            progress: { summary in
                let bytes = records.byteCount
                bar.withLock { $0.update(done: summary.finished, of: summary.total, bytes: bytes) }
            },
            completion: { end.open($0) })
        let summary = end.wait()
        try waitFor { await pipeline.waitUntilIdle() }
        bar.withLock { $0.clear() }
        return (summary, ended.withLock { $0 })
    }
}
