import Tintype
import TintypeBase

/// An event of loading a list of URLs.
enum BatchEvent: Sendable {
    case progress(url: String, TransferProgress)
    case preview(url: String, size: PixelSize, number: Int, path: String?)
    case finished(url: String, BatchResult)
    case failed(url: String, Problem, attempts: Int)
    /// An earlier run has saved the file.
    case skipped(url: String, path: String)

    /// The events that `--events` selects; `summary` is the last one.
    enum Name: String, CaseIterable {
        case progress, preview, finished, skipped, failed, summary
    }

    var name: Name {
        switch self {
        case .progress: .progress
        case .preview: .preview
        case .finished: .finished
        case .failed: .failed
        case .skipped: .skipped
        }
    }

    /// Whether it is the last event of its URL.
    var isFinal: Bool {
        switch self {
        case .progress, .preview: false
        case .finished, .failed, .skipped: true
        }
    }
}

/// One loaded image.
struct BatchResult: Sendable {
    var response: ImageResponse
    var seconds: Double
    var attempts: Int
    var path: String?
    /// What the conversion lost.
    var warnings: [String]
    /// The image as text for the terminal.
    var image: String?
}

/// Prints the events of a batch, and counts them.
struct BatchReport {
    private let call: Invocation
    private let total: Int
    private var bar: ProgressBar
    private let start = ContinuousClock.now
    private var sources: [ImageResponse.Source: Int] = [:]
    private var failed = 0
    private var skipped = 0
    private var bytes = 0
    private var received: [String: Int] = [:]
    private var receivedByEnded = 0
    /// The events that are printed; none without `--json`.
    private let names: Set<BatchEvent.Name>

    init(call: Invocation, total: Int) throws(UsageError) {
        self.call = call
        self.total = total
        names = try BatchReport.names(call)
        bar = ProgressBar(call.console)
    }

    private static func names(_ call: Invocation) throws(UsageError) -> Set<BatchEvent.Name> {
        guard let list = call.text("events") else { return call.wantsJSON ? Set(BatchEvent.Name.allCases) : [] }
        var names: Set<BatchEvent.Name> = []
        for word in list.split(separator: ",", omittingEmptySubsequences: false) {
            guard let name = BatchEvent.Name(rawValue: String(word)) else {
                let all = BatchEvent.Name.allCases.map(\.rawValue).joined(separator: ", ")
                throw UsageError("--events needs names separated by commas, of \(all), not '\(list)'")
            }
            names.insert(name)
        }
        guard call.wantsJSON else { throw UsageError("--events chooses what --json prints, and needs it") }
        return names
    }

    var wantsProgress: Bool { bar.isOn || names.contains(.progress) }
    private var loaded: Int { sources.values.reduce(0, +) }
    private var done: Int { loaded + failed + skipped }

    mutating func receive(_ event: BatchEvent) {
        let isPrinted = names.contains(event.name)
        switch event {
        case .progress(let url, let progress):
            received[url] = progress.received
            if isPrinted {
                call.console.print([
                    "event": "progress", "url": .string(url), "received": .integer(progress.received),
                    "total": .optional(progress.total),
                ])
            }
        case .preview(let url, let size, let number, let path):
            if isPrinted {
                call.console.print([
                    "event": "preview", "url": .string(url), "number": .integer(number), "width": .integer(size.width),
                    "height": .integer(size.height), "path": .optional(path),
                ])
            }
        case .finished(let url, let result):
            sources[result.response.source, default: 0] += 1
            bytes += result.response.byteCount
            end(url)
            bar.clear()
            if isPrinted {
                call.console.print(BatchReport.json(url, result))
            } else if !call.wantsJSON, call.text("output") != "-" {
                call.console.print(BatchReport.text(url, result))
                if let image = result.image { call.console.write(image, to: call.console.output) }
            }
            for warning in result.warnings { call.console.warn(warning, source: url) }
        case .failed(let url, let problem, let attempts):
            failed += 1
            end(url)
            bar.clear()
            if isPrinted {
                call.console.print([
                    "event": "failed", "url": .string(url), "error": problem.json, "attempts": .integer(attempts),
                ])
            }
            call.console.report(problem)
        case .skipped(let url, let path):
            skipped += 1
            bar.clear()
            if isPrinted {
                call.console.print(["event": "skipped", "url": .string(url), "path": .string(path)])
            } else if !call.wantsJSON {
                call.console.print("skipped  \(Problem.shortened(url)) -> \(path)")
            }
        }
        bar.update(done: done, of: total, bytes: receivedByEnded + received.values.reduce(0, +))
    }

    private mutating func end(_ url: String) { receivedByEnded += received.removeValue(forKey: url) ?? 0 }

    private static func json(_ url: String, _ result: BatchResult) -> JSONOutput {
        let response = result.response
        let warnings = result.warnings.map { JSONOutput.string($0) }
        return .object(
            [
                ("event", .string("finished")), ("url", .string(url)), ("source", .string(response.source.rawValue)),
                ("status", .optional(response.status)), ("revalidated", .boolean(response.isRevalidated)),
                ("stale", .boolean(response.isStale)), ("format", .string(response.format.rawValue)),
                ("width", .integer(response.image.bitmap.width)), ("height", .integer(response.image.bitmap.height)),
                ("bytes", .integer(response.byteCount)), ("seconds", .double(result.seconds)),
                ("attempts", .integer(result.attempts)), ("path", .optional(result.path)),
            ] + (warnings.isEmpty ? [] : [("warnings", .array(warnings))]))
    }

    private static func text(_ url: String, _ result: BatchResult) -> String {
        let response = result.response
        let source = response.source.rawValue
        let notes = (response.isRevalidated ? ", revalidated" : "") + (response.isStale ? ", stale" : "")
        return source + String(repeating: " ", count: max(1, 9 - source.count))
            + "\(Problem.shortened(url)) (\(response.format), \(response.image.bitmap.size), "
            + "\(Quantity.bytes(response.byteCount)), \(Quantity.seconds(result.seconds))\(notes))"
            + (result.path.map { " -> \($0)" } ?? "")
    }

    /// Prints the totals. Returns failure if a load failed, unless that is allowed.
    mutating func finish(networkBytes: Int) -> ExitStatus {
        bar.clear()
        let seconds = start.duration(to: .now).inSeconds
        func count(_ source: ImageResponse.Source) -> Int { sources[source] ?? 0 }
        let asked = count(.memory) + count(.disk) + count(.network)
        func ratio(_ hits: Int) -> JSONOutput { asked > 0 ? .double(Double(hits) / Double(asked)) : .null }
        if names.contains(.summary) {
            call.console.print([
                "event": "summary", "total": .integer(total), "loaded": .integer(loaded), "failed": .integer(failed),
                "skipped": .integer(skipped), "memory": .integer(count(.memory)), "disk": .integer(count(.disk)),
                "network": .integer(count(.network)), "bytes": .integer(bytes), "networkBytes": .integer(networkBytes),
                "memoryHitRatio": ratio(count(.memory)), "diskHitRatio": ratio(count(.disk)),
                "hitRatio": ratio(count(.memory) + count(.disk)), "seconds": .double(seconds),
            ])
        } else if !call.wantsJSON, total > 1, call.text("output") != "-" {
            call.console.note(
                "\(loaded) loaded (\(count(.memory)) memory, \(count(.disk)) disk, \(count(.network)) network), "
                    + "\(failed) failed, \(skipped) skipped; \(Quantity.bytes(networkBytes)) received in "
                    + Quantity.seconds(seconds))
        }
        return failed > 0 && !call.has("allow-failures") ? .failure : .success
    }
}
