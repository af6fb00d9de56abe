/// Switches of one load. Those that SDWebImage has too have its bits and meaning; unknown bits are ignored.
public struct ImageOptions: OptionSet, Sendable, Hashable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    // MARK: Those of SDWebImage

    /// Sends a request for a URL that failed a moment ago, instead of failing at once from the failure memory.
    public static let retryFailed = ImageOptions(rawValue: 1 << 0)
    /// Loads after everything of normal priority.
    public static let lowPriority = ImageOptions(rawValue: 1 << 1)
    /// Nothing of this load is written to disk. What is on disk is still read; add `skipDiskReads` to change that.
    public static let cacheMemoryOnly = ImageOptions(rawValue: 1 << 2)
    /// Delivers previews while the bytes arrive; see `ImageTask.previews`.
    public static let progressive = ImageOptions(rawValue: 1 << 3)
    /// Asks the server even if the image is cached, unless its HTTP headers say that it is still fresh.
    ///
    /// `ImageTask.responses` gives the cached image at once, and a second one only if the server has another image.
    /// `image(for:)` and `ImageTask.response` wait for the server's response; if it cannot be had, they return the cached
    /// image and `ImageResponse.refreshError` says why.
    public static let refreshCached = ImageOptions(rawValue: 1 << 4)
    /// `ImagePipeline.shutdown(grace:)` lets this load run until the grace is over; others it cancels at once.
    public static let continueInBackground = ImageOptions(rawValue: 1 << 5)
    /// Sends and stores cookies, in the cookie jar of the pipeline.
    public static let handleCookies = ImageOptions(rawValue: 1 << 6)
    /// Accepts any TLS certificate. For tests only.
    public static let allowInvalidCertificates = ImageOptions(rawValue: 1 << 7)
    /// Loads before everything of normal priority.
    public static let highPriority = ImageOptions(rawValue: 1 << 8)
    /// Runs the processors over every frame of an animation. Without it, images that move are not processed at all.
    public static let transformAnimatedImages = ImageOptions(rawValue: 1 << 10)

    // MARK: Where from and where to

    /// Never sends a request; an image that no cache holds fails with `notInCache`.
    public static let fromCacheOnly = ImageOptions(rawValue: 1 << 12)
    /// Reads no cache. The result is still stored.
    public static let fromLoaderOnly = ImageOptions(rawValue: 1 << 13)
    public static let skipMemoryReads = ImageOptions(rawValue: 1 << 14)
    public static let skipMemoryWrites = ImageOptions(rawValue: 1 << 15)
    public static let skipDiskReads = ImageOptions(rawValue: 1 << 16)
    public static let skipDiskWrites = ImageOptions(rawValue: 1 << 17)
    /// Ends the load only when what it stores is on disk. A write that fails does not fail the load.
    public static let waitForStore = ImageOptions(rawValue: 1 << 18)

    /// Puts the original bytes into `ImageResponse.data`, from the same load as the image. The image is then decoded from
    /// these bytes, even if it is in memory.
    public static let includesData = ImageOptions(rawValue: 1 << 23)

    // MARK: Animation

    /// Decodes an animation as a still: the poster only.
    public static let firstFrameOnly = ImageOptions(rawValue: 1 << 19)
    /// Decodes every frame before the load ends, so that the first loop never waits. Costs the memory of all frames.
    public static let preloadAllFrames = ImageOptions(rawValue: 1 << 20)

    /// Neither reads nor writes memory.
    public static let skipMemory: ImageOptions = [.skipMemoryReads, .skipMemoryWrites]
    /// Neither reads nor writes the disk.
    public static let skipDisk: ImageOptions = [.skipDiskReads, .skipDiskWrites]
}
