import TintypeBase

/// Loads images: memory, disk, network, decode, process, store; each result exactly once.
///
///     let image = try await ImagePipeline.shared.image(for: "https://example.com/cat.jpg")
///
/// Loads of the same thing share their work: the download by resource, the decoded original by size, each processed
/// image by its list of processors. Several pipelines may live side by side, with caches of their own or shared.
public final class ImagePipeline: Sendable {
    public let configuration: Configuration

    let resolver: RequestResolver
    let memory: MemoryStage
    let disk: DiskStage
    let fetches: FetchStage
    let images: ImageStage
    let registry = TaskRegistry()
    package let pressure: MemoryPressureResponse
    package let pressureMonitor: MemoryPressureMonitor?
    private let loads: LoadStage
    private let events: EventReporter
    let downloader: ImageDownloader
    private let filePool = WorkerPool(name: "tintype-file", width: 2)

    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        downloader = configuration.downloader ?? ImageDownloader()
        resolver = RequestResolver(configuration)
        events = EventReporter(observer: configuration.observer)
        let policy = HTTPCachePolicy(configuration)
        memory = MemoryStage(cache: configuration.memoryCache, policy: policy)
        disk = DiskStage(configuration, policy: policy, events: events)
        let failures = FailureMemory(
            duration: configuration.failureMemory, capacity: configuration.failureMemoryCapacity,
            now: configuration.now, remembers: configuration.remembersFailure)
        let decoder = DecodeStage(threads: configuration.decodeThreads, gate: disk.queue?.gate, events: events)
        let download = DownloadStage(
            loader: configuration.loader ?? downloader, policy: policy, memory: memory, disk: disk,
            failures: failures, events: events)
        fetches = FetchStage(
            disk: disk, download: download, policy: policy, failures: failures, decoder: decoder, filePool: filePool,
            events: events)
        images = ImageStage(
            configuration, fetches: fetches, decoder: decoder, memory: memory, disk: disk, failures: failures,
            events: events)
        loads = LoadStage(
            configuration, resolver: resolver, memory: memory, disk: disk, images: images, fetches: fetches,
            decoder: decoder, policy: policy, failures: failures, registry: registry, events: events)
        let pressure = MemoryPressureResponse(
            cache: configuration.memoryCache, downloader: downloader, quietTime: configuration.memoryPressureQuietTime)
        self.pressure = pressure
        pressureMonitor = configuration.reactsToMemoryPressure ? MemoryPressureMonitor() : nil
        pressureMonitor?.start { pressure.handle($0) }
        guard configuration.observer != nil else { return }
        disk.cache?.observeCleaning(for: registry) { [events] result in
            events.report(.cleaned(result), EventOrigin(name: "disk"))
        }
    }

    deinit {
        pressureMonitor?.stop()
        disk.cache?.observeCleaning(for: registry, nil)
    }

    // MARK: Shared

    private static let sharedPipeline = Locked<ImagePipeline?>(nil)

    /// The pipeline for programs that need only one. Made at its first use; may be replaced at any time.
    public static var shared: ImagePipeline {
        get {
            if let pipeline = sharedPipeline.withLock({ $0 }) { return pipeline }
            let made = ImagePipeline()
            return sharedPipeline.withLock { pipeline in
                if let pipeline { return pipeline }
                pipeline = made
                return made
            }
        }
        set { sharedPipeline.withLock { $0 = newValue } }
    }

    // MARK: Loading

    /// Loads the image of a request.
    ///
    /// - Throws: `PipelineError`, or `CancellationError` if the calling task was cancelled.
    public func image(for request: ImageRequest) async throws -> DecodedImage {
        if isOnlyLookup(request), let image = cachedImage(for: request) { return image }
        return try await imageTask(with: request).response.image
    }

    /// Loads the image of a URL.
    ///
    /// - Throws: `PipelineError`, or `CancellationError` if the calling task was cancelled.
    public func image(for url: URL) async throws -> DecodedImage { try await image(for: ImageRequest(url: url)) }

    /// Loads the image of a URL or path; see ``ImageSource/url(_:)``.
    ///
    /// - Throws: `PipelineError`, or `CancellationError` if the calling task was cancelled.
    public func image(for string: String) async throws -> DecodedImage {
        try await image(for: ImageRequest(string: string))
    }

    /// Loads the image of a request, and returns where it came from with it.
    ///
    /// - Throws: `PipelineError`, or `CancellationError` if the calling task was cancelled.
    public func response(for request: ImageRequest) async throws -> ImageResponse {
        try await imageTask(with: request).response
    }

    /// Loads the original bytes of a request: from disk, else from the source. Nothing is decoded; the transfer and the
    /// disk cache are shared with loads of images. Bytes that do not begin like an image are returned, but not stored.
    ///
    /// - Throws: `PipelineError`, or `CancellationError` if the calling task was cancelled.
    public func data(for request: ImageRequest) async throws -> DataResponse {
        let taskID = ImageTask.makeID()
        return try await registry.run { [loads] in
            do {
                return try await loads.loadData(request, taskID: taskID)
            } catch {
                throw PipelineError.wrap(error, source: request.source.name)
            }
        }
    }

    /// Starts a load. It goes on until it ends, whether or not the task is held.
    public func imageTask(with request: ImageRequest) -> ImageTask { startTask(with: request) { _ in } }

    /// Loads an image and calls back. For callers without `async`.
    ///
    /// - Parameters:
    ///   - request: what to load.
    ///   - executor: where all callbacks run.
    ///   - progress: how far the transfer is; not called for images from a cache.
    ///   - preview: with the option `progressive`, the image as far as it has arrived.
    ///   - cached: with the option `refreshCached`, the cached image, at most once and before `completion`.
    ///   - completion: called exactly once, as the last of all, also for a cancelled load.
    @discardableResult
    public func loadImage(
        with request: ImageRequest, deliverOn executor: DeliveryExecutor = .immediate,
        progress: (@Sendable (TransferProgress) -> Void)? = nil,
        preview: (@Sendable (DecodedImage) -> Void)? = nil,
        cached: (@Sendable (ImageResponse) -> Void)? = nil,
        completion: @escaping @Sendable (Result<ImageResponse, any Error>) -> Void
    ) -> ImageTask {
        let gate = CallbackGate(executor: executor, progress: progress, preview: preview, cached: cached, completion)
        return startTask(with: request) { task in
            task.listen(gate.receive, wantsProgress: progress != nil)
        }
    }

    /// Returns the image in memory, or `nil`. Never waits for anything but a lock; runs no interceptor.
    public func cachedImage(for request: ImageRequest) -> DecodedImage? {
        memory.imageWithoutCheck(for: request, resolver)
    }

    /// While true, requests with a `lowDataURL` load that, unless their own image is cached. False by default.
    public var isLowDataMode: Bool {
        get { registry.isLowDataMode }
        set { registry.isLowDataMode = newValue }
    }

    /// - Parameter prepare: called with the task before it starts.
    private func startTask(with request: ImageRequest, prepare: (ImageTask) -> Void) -> ImageTask {
        let id = ImageTask.makeID()
        let resolved = resolver.resolve(request, taskID: id)
        let task = ImageTask(id: id, request: request, interest: resolved.interest) { [registry, events] task, result in
            registry.remove(task)
            events.report(ImageEvent.Kind(result), resolved.origin)
        }
        prepare(task)
        let isAccepted = registry.insert(task)
        events.report(.started, resolved.origin)
        if !isAccepted {
            task.end(.failure(PipelineError.shutDown))
        } else if let response = loads.memoryHit(resolved) {
            task.end(.success(response))
        } else {
            let control = WorkControl(task.interest)
            let work = Task { [loads] in
                do {
                    task.end(.success(try await loads.loadImage(task, control)))
                } catch {
                    task.end(.failure(PipelineError.wrap(error, source: resolved.name)))
                }
            }
            task.begin(
                ImageTask.Work(cancel: { work.cancel() }, setInterest: { control.update($0, version: $1) }))
        }
        return task
    }

    /// Whether an image in memory is all that a request wants: no observer or interceptor has to be told about it.
    private func isOnlyLookup(_ request: ImageRequest) -> Bool {
        configuration.interceptors.isEmpty && configuration.observer == nil
            && request.options.isDisjoint(with: [.fromLoaderOnly, .skipMemoryReads, .refreshCached, .includesData])
            && configuration.defaultOptions.isEmpty && !request.keys.keys(for: request).isFile
    }

    // MARK: Caches

    /// The caches, with this pipeline's keys.
    public var cache: ImageCache { ImageCache(pipeline: self) }

    /// The disk cache that the processes of one user share. Made at its first use.
    public static let defaultDiskCache: DiskCache? = {
        // The default namespace is valid: nothing is thrown for it.
        try? DiskCache()
    }()

    /// The bytes of memory that wait to be written to disk; see ``Configuration/pendingStoreByteLimit``.
    package var pendingStoreByteCount: Int { disk.queue?.gate.pendingByteCount ?? 0 }

    /// Returns when everything that loads have handed to the disk cache so far is written, or has failed to be. A process
    /// that exits after it loses nothing.
    public func flush() async {
        await disk.queue?.flush()
        guard let cache = disk.cache else { return }
        // The work throws nothing; only its thread is borrowed.
        _ = try? await filePool.run { cache.flush() }
    }

    // MARK: Ending

    /// Ends every load with `CancellationError`. What has been loaded is still written to disk.
    public func cancelAll() { registry.cancelAll() }

    /// Whether any load, or any work for one, has not ended yet; that of cancelled loads counts until it has stopped.
    public var isRunning: Bool { !registry.isEmpty || images.runningCount > 0 || fetches.runningCount > 0 }

    /// Returns when no load runs any more and everything that was to be stored is on disk.
    public func waitUntilIdle() async {
        await registry.waitUntilIdle()
        await images.waitUntilIdle()
        await fetches.waitUntilIdle()
        await disk.queue?.waitUntilIdle()
    }

    /// Ends the pipeline: no load begins any more (`PipelineError.shutDown`); loads with the option
    /// `continueInBackground` may go on for the grace period, all others are cancelled at once. Then pending stores are
    /// written, and expired entries are removed from the disk.
    ///
    /// Returns within the grace period. What is not done then is cancelled, and pending stores go on in the background
    /// while the process lives: call ``flush()`` to wait for them. A downloader that was given in the configuration is
    /// left alone; the pipeline's own ends with it.
    public func shutdown(grace: Duration) async {
        registry.shutDown()
        pressureMonitor?.stop()
        await registry.run(grace: grace) { [self] in
            await waitUntilIdle()
            if configuration.downloader == nil { await downloader.shutdown(grace: .zero) }
            do {
                _ = try await disk.cache?.removeExpired()
            } catch {
                events.report(.storeFailed(key: "", error), EventOrigin(name: "removeExpired"))
            }
        }
    }
}
