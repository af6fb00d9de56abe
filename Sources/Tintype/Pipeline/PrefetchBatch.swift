import TintypeBase

/// One list of an `ImagePrefetcher`.
public final class PrefetchBatch: Sendable {
    typealias Summary = ImagePrefetcher.Summary

    private struct State {
        var summary: Summary
        var isFinished = false
        var running: [Int: @Sendable () -> Void] = [:]
    }

    private let state: Locked<State>
    /// How often each first item is in the list again.
    private let repetitions: [Int: Int]
    private weak let prefetcher: ImagePrefetcher?
    private let progress: (@Sendable (Summary) -> Void)?
    private let completion: @Sendable (Summary) -> Void
    /// Runs what starts the loads in the context of the caller that started the batch.
    private let starts: AsyncStream<@Sendable () -> Void>.Continuation

    init(
        total: Int, repetitions: [Int: Int], prefetcher: ImagePrefetcher, progress: (@Sendable (Summary) -> Void)?,
        completion: @escaping @Sendable (Summary) -> Void
    ) {
        state = Locked(State(summary: Summary(total: total)))
        self.repetitions = repetitions
        self.prefetcher = prefetcher
        self.progress = progress
        self.completion = completion
        let (stream, starts) = AsyncStream.makeStream(of: (@Sendable () -> Void).self)
        self.starts = starts
        // Not detached: the loads see the task-local values of the caller.
        Task {
            for await start in stream { start() }
        }
    }

    /// The counts so far.
    public var summary: ImagePrefetcher.Summary { state.withLock { $0.summary } }
    public var isFinished: Bool { state.withLock { $0.isFinished } }

    /// Cancels running and waiting loads. The completion is called before this returns, with these loads counted as
    /// cancelled.
    public func stop() {
        // In one step: a load that begins in between would go on.
        let stopped = state.withLock { state -> (Summary, [@Sendable () -> Void])? in
            guard !state.isFinished else { return nil }
            state.isFinished = true
            state.summary.cancelled += state.summary.total - state.summary.finished
            defer { state.running = [:] }
            return (state.summary, Array(state.running.values))
        }
        guard let (summary, running) = stopped else { return }
        for cancel in running { cancel() }
        end(summary)
    }

    func finishEmpty() {
        state.withLock { $0.isFinished = true }
        starts.finish()
        completion(summary)
    }

    private enum Outcome {
        case loaded, skipped, cancelled
        case failed(any Error)
    }

    /// Loads one item; `done` is called when it has ended.
    func run(_ item: ImagePrefetcher.Item, done: @escaping @Sendable () -> Void) {
        if case .terminated = starts.yield({ [self] in load(item, done: done) }) { done() }
    }

    private func load(_ item: ImagePrefetcher.Item, done: @escaping @Sendable () -> Void) {
        guard let prefetcher else { return done() }
        let (pipeline, destination) = (prefetcher.pipeline, prefetcher.configuration.destination)
        let request = item.request
        let resolved = pipeline.resolver.resolve(request)
        let needsImage = destination != .disk || resolved.interest.demand.contains(.resultOnDisk)
        let task = Task { [self] in
            guard await !PrefetchBatch.isCached(resolved, destination, pipeline) else {
                record(.skipped, item)
                return done()
            }
            do {
                let source: ImageResponse.Source
                if needsImage {
                    source = try await pipeline.response(for: request).source
                } else {
                    source = try await pipeline.data(for: request).source
                }
                record(source == .memory || source == .disk ? .skipped : .loaded, item)
            } catch is CancellationError {
                record(.cancelled, item)
            } catch {
                record(.failed(error), item)
            }
            done()
        }
        let mayRun = state.withLock { state in
            guard !state.isFinished else { return false }
            if state.summary.finished < state.summary.total { state.running[item.index] = { task.cancel() } }
            return true
        }
        if !mayRun { task.cancel() }
    }

    private static func isCached(
        _ request: ResolvedRequest, _ destination: ImagePrefetcher.Destination, _ pipeline: ImagePipeline
    ) async -> Bool {
        guard request.options.isDisjoint(with: [.fromLoaderOnly, .refreshCached]) else { return false }
        switch destination {
        case .memory: return pipeline.memory.contains(request)
        case .disk: return await pipeline.disk.contains(request)
        case .both:
            guard pipeline.memory.contains(request) else { return false }
            return request.writesDisk ? await pipeline.disk.contains(request) : true
        }
    }

    private func record(_ outcome: Outcome, _ item: ImagePrefetcher.Item) {
        let again = repetitions[item.index] ?? 0
        let (summary, isLast) = state.withLock { state -> (Summary?, Bool) in
            state.running[item.index] = nil
            guard !state.isFinished else { return (nil, false) }
            switch outcome {
            case .loaded:
                state.summary.loaded += 1
                state.summary.skipped += again
            case .skipped: state.summary.skipped += 1 + again
            case .cancelled: state.summary.cancelled += 1 + again
            case .failed(let error):
                state.summary.failed += 1 + again
                state.summary.failures.append((item.request.source.name, error))
            }
            state.isFinished = state.summary.finished >= state.summary.total
            return (state.summary, state.isFinished)
        }
        guard let summary else { return }
        progress?(summary)
        if isLast { end(summary) }
    }

    private func end(_ summary: Summary) {
        starts.finish()
        prefetcher?.didFinish(self)
        completion(summary)
    }
}
