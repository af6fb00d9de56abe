import TintypeBase

/// How a pipeline treats the HTTP headers about caching.
public enum HTTPCaching: String, Sendable, Hashable {
    /// A URL names one image for as long as the caches keep it: seven days by default.
    case ignoreHeaders
    /// The rules of RFC 9111 for a private cache: freshness, revalidation, `no-store`, `Vary`, and the stale answers
    /// that RFC 5861 allows.
    case respectHeaders
}

extension ImagePipeline {
    /// Everything that can be chosen about a pipeline. Read once, when the pipeline is made.
    public struct Configuration: Sendable {
        // MARK: Parts

        /// Decoders and encoders: all of this build by default.
        public var codecs = ImageCodecs.standard
        /// The formats that are decoded in sandboxed workers, and the deadline of a decode: SVG, HEIC, AVIF, JPEG XL and
        /// TIFF within ten seconds by default. The same as `codecs.isolation`.
        public var isolation: DecodeIsolation {
            get { codecs.isolation }
            set { codecs.isolation = newValue }
        }
        /// The first tier; nil for none. One of its own for each pipeline by default.
        public var memoryCache: ImageMemoryCache? = ImageMemoryCache()
        /// The second tier; nil for none. `DiskCache.shared` of the process by default.
        public var diskCache: DiskCache?
        /// What speaks HTTP. Nil, the default, gives the pipeline one of its own, which `shutdown(grace:)` ends with it.
        public var downloader: ImageDownloader?
        /// Brings the bytes of `http:` and `https:` URLs in place of the downloader.
        public var loader: (any ImageLoader)?
        /// Turns processed images into bytes for the disk.
        public var serializer: any CacheSerializer = StandardCacheSerializer()

        // MARK: Hooks

        public var delegate: (any ImagePipelineDelegate)?
        /// Applied to every URL that becomes a key: look-up, prefetch, removal and the table of running loads.
        public var keyFilter: (any CacheKeyFilter)?
        /// Asked for every load, in order.
        public var interceptors: [any ImageInterceptor] = []
        /// Told everything that happens, on the thread where it happens; must be quick. Costs nothing while nil.
        public var observer: (@Sendable (ImageEvent) -> Void)?

        // MARK: Policies

        /// `ignoreHeaders` by default.
        public var httpCaching = HTTPCaching.ignoreHeaders
        /// `original` by default.
        public var dataCachePolicy = DataCachePolicy.original
        /// Added to the options of every request.
        public var defaultOptions: ImageOptions = []
        /// What requests are sent with: timeouts, retries, limits, proxy, `blocksPrivateAddresses`. Its URL, headers
        /// and priority come from the image request.
        public var requestDefaults = DownloadRequest(url: "")
        /// Used by requests with the option `handleCookies`.
        public var cookies = CookieJar()
        /// How long failures that will not pass (404, 410, bytes that no decoder takes) are remembered; 60 s by default,
        /// zero for not at all.
        public var failureMemory: Duration = .seconds(60)
        /// How many failures are remembered; 10,000 by default.
        public var failureMemoryCapacity = 10_000

        // MARK: Work

        /// Results and original bytes that wait to be written to disk, in bytes of memory; 64 MiB by default. Beyond it,
        /// work whose result is to be stored waits before it is decoded.
        public var pendingStoreByteLimit = 64 << 20
        /// Threads that decode and process: one for each core, at most 4, by default. As many encode for the disk.
        public var decodeThreads = min(4, ImagePipeline.processorCount)
        /// The least time between two previews of one image. Half a second by default.
        public var progressivePreviewInterval: Duration = .milliseconds(500)
        /// When the system is short of memory, drops frames of animations, trims or clears the memory cache, and holds back
        /// prefetches and queued downloads of low priority until it is over. True by default.
        public var reactsToMemoryPressure = true
        /// The pressure is over when the system has not reported any for this long.
        package var memoryPressureQuietTime = Duration.seconds(10)
        /// The time for everything that compares dates. For tests.
        public var now: @Sendable () -> Date = { Date() }

        public init() { diskCache = ImagePipeline.defaultDiskCache }

        /// With a disk cache of your own, or none. The default one is not opened, and its folder not made.
        public init(diskCache: DiskCache?) { self.diskCache = diskCache }
    }
}
