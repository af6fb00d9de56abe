import TintypeBase

/// Fills the caches with images that will be needed soon, a few at a time and after all other loads.
///
/// A load of an image that is being prefetched joins that work, which then runs at the load's priority.
public final class ImagePrefetcher: Sendable {
    /// What is filled.
    public enum Destination: String, Sendable, Hashable, CaseIterable {
        /// Decoded and processed images; nothing is written to disk.
        case memory
        /// Files, without decoding. (Images that are stored processed are decoded for it, and not kept.)
        case disk
        case both
    }

    public struct Configuration: Sendable {
        /// Loads at a time, beside those of others. 3 by default.
        public var maximumConcurrentLoads = 3
        /// `low` by default.
        public var priority = ImagePriority.low
        /// `both` by default.
        public var destination = Destination.both

        public init() {}
    }

    /// How a batch ended, or how far it is. `loaded + failed + skipped + cancelled` is what has ended.
    public struct Summary: Sendable {
        public var total = 0
        /// Came from their source.
        public var loaded = 0
        public var failed = 0
        /// Were in a cache already, or twice in the list.
        public var skipped = 0
        /// Were stopped before they ended.
        public var cancelled = 0
        /// One for each failure, in the order in which they happened.
        public var failures: [(source: String, error: any Error)] = []

        public var finished: Int { loaded + failed + skipped + cancelled }
    }

    struct Item {
        let request: ImageRequest
        let batch: PrefetchBatch
        let index: Int
    }

    private struct State {
        var queue: [Item] = []
        /// The queue's first `head` items have been taken.
        var head = 0
        var runningCount = 0
        var isPaused = false
        var pressureObserver: UInt64?
        var batches: [ObjectIdentifier: PrefetchBatch] = [:]
    }

    let pipeline: ImagePipeline
    let configuration: Configuration
    private let state = Locked(State())

    public init(pipeline: ImagePipeline = .shared, configuration: Configuration = Configuration()) {
        self.pipeline = pipeline
        self.configuration = configuration
        let observer = pipeline.pressure.observe { [weak self] isActive in
            if !isActive { self?.pump() }
        }
        state.withLock { $0.pressureObserver = observer }
    }

    deinit {
        if let observer = state.withLock({ $0.pressureObserver }) { pipeline.pressure.stopObserving(observer) }
        stop()
    }

    // MARK: Starting and stopping

    /// Starts a batch. Batches are independent; each ends once. Its loads see the task-local values of the caller.
    ///
    /// - Parameters:
    ///   - requests: loaded in this order; repetitions count as skipped.
    ///   - progress: called after each image that has ended, on no particular thread.
    ///   - completion: called exactly once, with the counts: when all have ended, when the batch is stopped, and for
    ///     an empty list before this returns.
    @discardableResult
    public func start(
        _ requests: [ImageRequest], progress: (@Sendable (Summary) -> Void)? = nil,
        completion: @escaping @Sendable (Summary) -> Void
    ) -> PrefetchBatch {
        var seen: [ImageKey: Int] = [:]
        var repetitions: [Int: Int] = [:]
        var first: [(index: Int, request: ImageRequest)] = []
        for (index, request) in requests.enumerated() {
            let request = prepared(request)
            let key = pipeline.cache.imageKey(for: request)
            if let original = seen[key] {
                repetitions[original, default: 0] += 1
            } else {
                seen[key] = index
                first.append((index, request))
            }
        }
        let batch = PrefetchBatch(
            total: requests.count, repetitions: repetitions, prefetcher: self, progress: progress,
            completion: completion)
        guard !requests.isEmpty else {
            batch.finishEmpty()
            return batch
        }
        state.withLock { state in
            state.batches[ObjectIdentifier(batch)] = batch
            state.queue += first.map { Item(request: $0.request, batch: batch, index: $0.index) }
        }
        pump()
        return batch
    }

    /// Starts a batch without a completion.
    @discardableResult
    public func start(_ requests: [ImageRequest]) -> PrefetchBatch { start(requests) { _ in } }

    /// Prefetches a list and waits for its end. Cancelling the calling task stops it.
    public func prefetch(_ requests: [ImageRequest]) async -> Summary {
        let stop = Locked<PrefetchBatch?>(nil)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let batch = start(requests) { continuation.resume(returning: $0) }
                stop.withLock { $0 = batch }
                if Task.isCancelled { batch.stop() }
            }
        } onCancel: {
            stop.withLock { $0 }?.stop()
        }
    }

    /// While true nothing new starts; what runs goes on. The same holds while the system is short of memory.
    public var isPaused: Bool {
        get { state.withLock { $0.isPaused } }
        set {
            state.withLock { $0.isPaused = newValue }
            if !newValue { pump() }
        }
    }

    /// Stops every batch; each ends with its counts.
    public func stop() {
        for batch in state.withLock({ Array($0.batches.values) }) { batch.stop() }
    }

    // MARK: Work

    private func prepared(_ request: ImageRequest) -> ImageRequest {
        var request = request
        request.priority = configuration.priority
        switch configuration.destination {
        case .memory: request.options.insert(.skipDiskWrites)
        case .disk: request.options.insert(.skipMemoryWrites)
        case .both: break
        }
        return request
    }

    private func pump() {
        while let item = takeNext() {
            item.batch.run(item) { [weak self] in
                guard let self else { return }
                state.withLock { $0.runningCount -= 1 }
                pump()
            }
        }
    }

    private func takeNext() -> Item? {
        guard !pipeline.pressure.isActive else { return nil }
        return state.withLock { state in
            guard !state.isPaused, state.runningCount < max(1, configuration.maximumConcurrentLoads) else { return nil }
            while state.head < state.queue.count {
                let item = state.queue[state.head]
                state.head += 1
                if state.head > 1024, 2 * state.head > state.queue.count {
                    state.queue.removeFirst(state.head)
                    state.head = 0
                }
                guard !item.batch.isFinished else { continue }
                state.runningCount += 1
                return item
            }
            state.queue = []
            state.head = 0
            return nil
        }
    }

    func didFinish(_ batch: PrefetchBatch) {
        state.withLock { state in _ = state.batches.removeValue(forKey: ObjectIdentifier(batch)) }
    }
}
