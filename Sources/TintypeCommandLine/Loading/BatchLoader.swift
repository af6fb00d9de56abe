import Tintype
import TintypeBase

/// Loads a list of URLs, a few at a time, and reports the result of each exactly once.
struct BatchLoader: Sendable {
    let pipeline: ImagePipeline
    let records: TransferRecords
    let urls: [String]
    /// The number of concurrent loads: enough to keep the transfers busy, few enough to bound memory.
    let window: Int
    let wantsProgress: Bool
    let request: @Sendable (String) throws -> ImageRequest
    let output: OutputTarget
    let gate: BatchGate
    let console: Console

    func run(_ deliver: @escaping @Sendable (BatchEvent) -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            var next = urls.startIndex
            var active = 0
            while true {
                while next < urls.endIndex, active < window, gate.mayStart, !Task.isCancelled {
                    let index = next
                    group.addTask { await load(index, deliver) }
                    next += 1
                    active += 1
                }
                guard active > 0 else { break }
                await group.next()
                active -= 1
            }
            // Loads that were not started are not failures; the exit status says that the list was interrupted.
        }
        await pipeline.waitUntilIdle()
    }

    private func load(_ index: Int, _ deliver: @escaping @Sendable (BatchEvent) -> Void) async {
        let url = urls[index]
        defer { records.release(url) }
        if let path = output.existingFile(for: index) {
            deliver(.skipped(url: url, path: path))
            return
        }
        let start = ContinuousClock.now
        do {
            var wanted = try request(url)
            if output.wantsOriginals { wanted.options.insert(.includesData) }
            let (response, request) = try await authorized(wanted, url, index, deliver)
            let written = try await output.write(response, index: index, console: console) {
                if let data = response.data ?? records.record(of: url).data { return data }
                var cached = request
                cached.options.insert(.fromCacheOnly)
                do {
                    return try await pipeline.data(for: cached).data
                } catch PipelineError.notInCache {
                    return try await pipeline.data(for: request).data
                }
            }
            let image = try await output.image(of: response.image)
            deliver(
                .finished(
                    url: url,
                    BatchResult(
                        response: response, seconds: start.duration(to: .now).inSeconds,
                        attempts: response.source == .network ? max(1, response.attempts) : response.attempts,
                        path: written.path, warnings: written.warnings, image: image)))
        } catch {
            deliver(.failed(url: url, Problem(error, source: url), attempts: records.record(of: url).attempts))
        }
    }

    /// The response, and the request that got it.
    private func authorized(
        _ request: ImageRequest, _ url: String, _ index: Int, _ deliver: @escaping @Sendable (BatchEvent) -> Void
    ) async throws -> (ImageResponse, ImageRequest) {
        do {
            return (try await response(request, url, index, deliver), request)
        } catch PipelineError.networking(.badStatus(401, let headers)) {
            // A 401 without a challenge can only mean Basic.
            guard var credential = request.network.credential, credential.scheme == .any,
                !headers.contains("WWW-Authenticate")
            else { throw PipelineError.networking(.badStatus(401, headers: headers)) }
            credential.scheme = .basic
            var again = request
            again.network.credential = credential
            again.options.insert(.retryFailed)
            return (try await response(again, url, index, deliver), again)
        }
    }

    private func response(
        _ request: ImageRequest, _ url: String, _ index: Int, _ deliver: @escaping @Sendable (BatchEvent) -> Void
    ) async throws -> ImageResponse {
        let task = pipeline.imageTask(with: request)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            if wantsProgress {
                group.addTask {
                    var reports = ProgressReports()
                    for await progress in task.progress {
                        if let due = reports.due(progress) { deliver(.progress(url: url, due)) }
                    }
                    if let last = reports.last() { deliver(.progress(url: url, last)) }
                }
            }
            if output.wantsPreviews {
                group.addTask {
                    var number = 0
                    for await preview in task.previews {
                        number += 1
                        let path = try await output.write(preview: preview, index: index, number: number)
                        deliver(.preview(url: url, size: preview.bitmap.size, number: number, path: path))
                    }
                }
            }
            let result: Result<ImageResponse, any Error>
            do { result = .success(try await task.response) } catch { result = .failure(error) }
            // The streams end with the load, so their reports come before it.
            try await group.waitForAll()
            return try result.get()
        }
    }
}

/// Limits progress reports to twenty a second. The last one is always reported.
private struct ProgressReports {
    private var lastTime: ContinuousClock.Instant?
    private var held: TransferProgress?

    mutating func due(_ progress: TransferProgress) -> TransferProgress? {
        let now = ContinuousClock.now
        if let lastTime, lastTime.duration(to: now) < .milliseconds(50) {
            held = progress
            return nil
        }
        lastTime = now
        held = nil
        return progress
    }

    mutating func last() -> TransferProgress? {
        defer { held = nil }
        return held
    }
}

/// A gate that is closed when the process is told to end, after which no load starts.
final class BatchGate: Sendable {
    private let isClosed = Locked(false)
    var mayStart: Bool { isClosed.withLock { !$0 } }
    func close() { isClosed.withLock { $0 = true } }
}
