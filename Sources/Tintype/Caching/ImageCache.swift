import TintypeBase

/// Both cache tiers of a pipeline, asked by request: with the keys that the pipeline itself uses.
///
/// Memory answers at once; everything that touches the disk is `async`. Reads see what is still being written.
public struct ImageCache: Sendable {
    public struct Tiers: OptionSet, Sendable, Hashable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }

        public static let memory = Tiers(rawValue: 1)
        public static let disk = Tiers(rawValue: 2)
        public static let all: Tiers = [.memory, .disk]
    }

    let pipeline: ImagePipeline

    public var memory: ImageMemoryCache? { pipeline.memoryCache }
    public var disk: DiskCache? { pipeline.diskCache }

    // MARK: Keys

    /// The key of the result of a request, in memory and, for processed images, on disk.
    public func imageKey(for request: ImageRequest) -> ImageKey { pipeline.resolve(request).imageKey }

    /// The key of the original bytes on disk.
    public func dataKey(for request: ImageRequest) -> String { pipeline.resolve(request).originalKey }

    // MARK: Reading

    /// The image in memory.
    public func image(for request: ImageRequest) -> DecodedImage? { pipeline.cachedImage(for: request) }

    /// The image from the named tiers, decoded and processed if need be; nil if they do not hold it.
    public func image(for request: ImageRequest, in tiers: Tiers) async throws -> DecodedImage? {
        var request = request
        request.options.insert(.fromCacheOnly)
        request.options.remove([.fromLoaderOnly, .refreshCached])
        if !tiers.contains(.memory) { request.options.insert(.skipMemoryReads) }
        if !tiers.contains(.disk) { request.options.insert(.skipDiskReads) }
        do {
            return try await pipeline.response(for: request).image
        } catch PipelineError.notInCache {
            return nil
        }
    }

    /// The original bytes on disk; nil if they are not there.
    public func data(for request: ImageRequest) async -> Data? {
        let load = pipeline.resolve(request)
        guard let entry = await pipeline.entry(for: load.originalKey, load), !entry.isExpired,
            load.mayUse(entry.metadata)
        else { return nil }
        return entry.data
    }

    public func containsInMemory(_ request: ImageRequest) -> Bool {
        let load = pipeline.resolve(request)
        guard let memory = pipeline.memoryCache else { return false }
        return load.blocksPrivateAddresses ? pipeline.memory.image(for: load) != nil : memory.contains(load.imageKey)
    }

    /// Whether the disk, or a pending store, holds the result or the original bytes.
    public func containsOnDisk(_ request: ImageRequest) async -> Bool {
        let load = pipeline.resolve(request)
        if await pipeline.isOnDisk(load.originalKey, load) { return true }
        return await pipeline.isOnDisk(load.imageKey.string, load)
    }

    public func contains(_ request: ImageRequest) async -> Bool {
        if containsInMemory(request) { return true }
        return await containsOnDisk(request)
    }

    // MARK: Writing

    /// Puts an image into memory. Does nothing with a partial image.
    public func storeInMemory(_ image: DecodedImage, for request: ImageRequest) {
        guard !image.isPartial else { return }
        let load = pipeline.resolve(request)
        var details = ImageDetails()
        details.blocksPrivateAddresses = load.blocksPrivateAddresses
        pipeline.memory.store(CachedImage(image: image, details: details), for: load.imageKey)
    }

    /// Puts an image into the tiers; returns when it is there.
    ///
    /// - Parameters:
    ///   - image: what loads of the request shall get.
    ///   - data: the original bytes, stored as they are. Nil encodes the image: PNG if it has alpha or came as PNG, else
    ///     JPEG.
    ///   - request: names it.
    ///   - tiers: where to.
    /// - Throws: `ImagingError` if encoding fails, or for a partial image (`truncated`). A disk that cannot be written to
    ///   is no error.
    public func store(_ image: DecodedImage, data: Data? = nil, for request: ImageRequest, in tiers: Tiers = .all)
        async throws
    {
        guard !image.isPartial else { throw ImagingError.truncated(image.info.format) }
        if tiers.contains(.memory) { storeInMemory(image, for: request) }
        guard tiers.contains(.disk), let staged = pipeline.staged else { return }
        let load = pipeline.resolve(request)
        try await staged.gate.enter(JobControl(pipeline.interest(of: load)), holdsImage: true)
        defer { staged.gate.leave() }
        var bytes = data
        if bytes == nil {
            let serializer = request.serializer ?? pipeline.configuration.serializer
            bytes = try await staged.encode {
                try serializer.data(for: image, original: image.info, codecs: load.codecs)
            }
        }
        guard let bytes, !bytes.isEmpty else { return }
        let key = data == nil && request.isProcessed ? load.imageKey.string : load.originalKey
        let now = pipeline.configuration.now()
        var metadata = CacheEntryMetadata(storedAt: now, expiresAt: request.expiry?.date(from: now))
        metadata.blocksPrivateAddresses = load.blocksPrivateAddresses
        staged.stage(.store(bytes, metadata), for: key, origin: load.origin)
        await staged.wait(for: key)
    }

    // MARK: Removing

    /// Takes the result of a request and its original bytes out of the tiers. Other results of the same resource stay.
    public func remove(_ request: ImageRequest, from tiers: Tiers = .all) async {
        let load = pipeline.resolve(request)
        if tiers.contains(.memory) { pipeline.memoryCache?.remove(load.imageKey) }
        guard tiers.contains(.disk), let staged = pipeline.staged else { return }
        for key in [load.originalKey] + load.variantKeys { staged.stage(.remove, for: key, origin: load.origin) }
        staged.stage(.remove, for: load.imageKey.string, origin: load.origin)
        await staged.wait(for: load.originalKey)
        await staged.wait(for: load.imageKey.string)
    }

    /// Empties the tiers.
    public func removeAll(from tiers: Tiers = .all) async throws {
        if tiers.contains(.memory) { pipeline.memoryCache?.removeAll() }
        guard tiers.contains(.disk) else { return }
        await pipeline.staged?.dropAll()
        try await pipeline.diskCache?.removeAll()
    }

    // MARK: Files

    /// The original bytes as a file with the right extension, byte for byte as they came; for a local source, the source
    /// itself. Nil if the disk does not hold them.
    ///
    /// The file is made when it is asked for, and stays until the cache is cleaned: use it soon, or copy it.
    public func fileURL(for request: ImageRequest) async throws -> URL? {
        let load = pipeline.resolve(request)
        if case .file(let path) = load.resource.kind { return URL(filePath: path) }
        await pipeline.staged?.wait(for: load.originalKey)
        guard let disk = pipeline.diskCache, let entry = await pipeline.entry(for: load.originalKey, load),
            !entry.isExpired,
            load.mayUse(entry.metadata)
        else { return nil }
        let format = ImageFormat.sniff(entry.data)
        return try await disk.fileURL(forOriginalOf: load.originalKey, fileExtension: format?.fileExtension ?? "bin")
    }

    /// Returns when everything that loads have given to the disk so far is written.
    public func waitForStores() async { await pipeline.staged?.waitUntilIdle() }
}

extension ImagePipeline {
    /// The caches, with this pipeline's keys.
    public var cache: ImageCache { ImageCache(pipeline: self) }

    /// The processes of one user share one cache of images. Made at its first use.
    public static let defaultDiskCache: DiskCache? = {
        // The default namespace is valid: nothing is thrown for it.
        try? DiskCache()
    }()

    static var processorCount: Int { ProcessInfo.processInfo.activeProcessorCount }
}
