import TintypeBase

/// Loads images: memory, disk, network, decode, process, store; each result exactly once.
///
///     let image = try await ImagePipeline.shared.image(for: "https://example.com/cat.jpg")
///
/// Loads of the same thing share their work: the download by resource, the decoded original by size, each processed
/// image by its list of processors. Several pipelines may live side by side, with caches of their own or shared.
public final class ImagePipeline: Sendable {
    public let configuration: Configuration

    let memoryCache: ImageMemoryCache?
    let memory: MemoryLookup
    let diskCache: DiskCache?
    let downloader: ImageDownloader
    let loader: any ImageLoader
    let staged: StoreQueue?
    let failures: FailureMemory
    let liveData = LiveData()
    let images: JobTable<ImageJobKey, LoadEvent, ImageJobResult>
    let fetches: JobTable<FetchKey, LoadEvent, FetchedData>
    /// Decodes and processes.
    let decodePool: WorkerPool
    /// Reads local files.
    let filePool: WorkerPool
    /// The `Accept` header of requests that bring none.
    let accept: String
    let registry = Locked(Registry())
    package let pressure: MemoryPressureResponse
    package let pressureMonitor: MemoryPressureMonitor?

    struct Registry {
        var tasks: [UInt64: ImageTask] = [:]
        /// How to cancel the loads that no `ImageTask` stands for.
        var otherLoads: [UInt64: @Sendable () -> Void] = [:]
        var nextOtherLoad: UInt64 = 0
        var isShutDown = false
        var isLowDataMode = false
        var idleWaiters: [CheckedContinuation<Void, Never>] = []
    }

    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        memoryCache = configuration.memoryCache
        memory = MemoryLookup(cache: configuration.memoryCache)
        diskCache = configuration.diskCache
        let downloader = configuration.downloader ?? ImageDownloader()
        self.downloader = downloader
        loader = configuration.loader ?? DownloaderLoader(downloader: downloader)
        let observer = configuration.observer
        let staged = configuration.diskCache.map { cache in
            StoreQueue(
                cache: cache,
                gate: StoreGate(
                    byteLimit: configuration.pendingStoreByteLimit, width: 2 * max(1, configuration.decodeThreads)),
                encodeThreads: configuration.decodeThreads,
                report: { origin, kind in observer?(ImageEvent(origin, kind)) })
        }
        self.staged = staged
        failures = FailureMemory(
            duration: configuration.failureMemory, capacity: configuration.failureMemoryCapacity,
            now: configuration.now)
        let decodePool = WorkerPool(name: "tintype-decode", width: configuration.decodeThreads)
        self.decodePool = decodePool
        accept = ImagePipeline.acceptHeader(configuration.codecs)
        filePool = WorkerPool(name: "tintype-file", width: 2)
        let results = ResultStore(memory: memory, queue: staged, now: configuration.now)
        images = JobTable { job, result, interest in results.store(result, key: job.key.image, interest: interest) }
        fetches = JobTable()
        pressure = MemoryPressureResponse(
            cache: configuration.memoryCache, downloader: downloader, quietTime: configuration.memoryPressureQuietTime)
        pressureMonitor =
            configuration.reactsToMemoryPressure ? ImagePipeline.startPressureMonitor(pressure) : nil
    }

    deinit { pressureMonitor?.stop() }

    // MARK: Shared

    private static let sharedPipeline = Locked<ImagePipeline?>(nil)

    /// The pipeline for those who need only one. Made at its first use; may be replaced at any time.
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

    /// The image of a request.
    ///
    /// - Throws: `PipelineError`, or `CancellationError` if the calling task was cancelled.
    public func image(for request: ImageRequest) async throws -> DecodedImage {
        guard mayBeQuick(request) else { return try await imageTask(with: request).response.image }
        if let image = cachedImage(for: request) { return image }
        return try await makeTask(request, isInMemory: false) { _ in }.response.image
    }

    /// The image of a request, and how it came about.
    ///
    /// - Throws: `PipelineError`, or `CancellationError` if the calling task was cancelled.
    public func response(for request: ImageRequest) async throws -> ImageResponse {
        try await imageTask(with: request).response
    }

    /// Starts a load. It goes on until it ends, whether or not anybody holds the task.
    public func imageTask(with request: ImageRequest) -> ImageTask { makeTask(request) { _ in } }

    /// - Parameters:
    ///   - isInMemory: false if it is known not to be.
    ///   - prepare: called with the task before it starts.
    func makeTask(_ request: ImageRequest, isInMemory: Bool = true, prepare: (ImageTask) -> Void) -> ImageTask {
        let id = ImageTask.makeID()
        let load = resolve(request, taskID: id)
        let task = ImageTask(id: id, request: request, interest: interest(of: load)) { [self] task, result in
            didEnd(task, result)
        }
        prepare(task)
        start(task, load, isInMemory: isInMemory)
        return task
    }

    /// The image from memory, at once, or nil. Never waits for anything but a lock; asks no interceptor.
    public func cachedImage(for request: ImageRequest) -> DecodedImage? {
        guard let memoryCache else { return nil }
        let blocksPrivateAddresses =
            request.fields.network.blocksPrivateAddresses ?? configuration.requestDefaults.blocksPrivateAddresses
        let cached =
            if hasPlainKeys, !blocksPrivateAddresses {
                memoryCache.value(for: request.keys.keys(for: request).image)
            } else {
                memory.image(for: resolve(request))
            }
        guard let cached, isUsable(cached, request) else { return nil }
        return cached.image
    }

    /// While true, requests with a `lowDataURL` load that, unless their own image is cached. False by default.
    public var isLowDataMode: Bool {
        get { registry.withLock { $0.isLowDataMode } }
        set { registry.withLock { $0.isLowDataMode = newValue } }
    }
}
