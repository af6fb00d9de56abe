import TintypeBase

/// Both cache tiers of a pipeline, by request: with the keys that the pipeline itself uses.
///
/// Memory returns at once; everything that touches the disk is `async`. Reads see what is still being written.
public struct ImageCache: Sendable {
    public struct Tiers: OptionSet, Sendable, Hashable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }

        public static let memory = Tiers(rawValue: 1)
        public static let disk = Tiers(rawValue: 2)
        public static let all: Tiers = [.memory, .disk]
    }

    let pipeline: ImagePipeline

    public var memory: ImageMemoryCache? { pipeline.memory.cache }
    public var disk: DiskCache? { pipeline.disk.cache }

    // MARK: Keys

    /// The key of the result of a request, in memory and, for processed images, on disk.
    public func imageKey(for request: ImageRequest) -> ImageKey { pipeline.resolver.resolve(request).imageKey }

    /// The key of the original bytes on disk.
    public func dataKey(for request: ImageRequest) -> String { pipeline.resolver.resolve(request).originalKey }

    // MARK: Reading

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
        await pipeline.disk.usableOriginal(pipeline.resolver.resolve(request))?.data
    }

    public func containsInMemory(_ request: ImageRequest) -> Bool {
        pipeline.memory.contains(pipeline.resolver.resolve(request))
    }

    /// Whether the disk, or a pending store, holds the result or the original bytes.
    public func containsOnDisk(_ request: ImageRequest) async -> Bool {
        await pipeline.disk.contains(pipeline.resolver.resolve(request))
    }

    public func contains(_ request: ImageRequest) async -> Bool {
        if containsInMemory(request) { return true }
        return await containsOnDisk(request)
    }

    // MARK: Writing

    /// Puts an image into memory. Does nothing with a partial image.
    public func storeInMemory(_ image: DecodedImage, for request: ImageRequest) {
        guard !image.isPartial else { return }
        let resolved = pipeline.resolver.resolve(request)
        var details = ImageDetails()
        details.blocksPrivateAddresses = resolved.blocksPrivateAddresses
        pipeline.memory.store(CachedImage(image: image, details: details), for: resolved.imageKey)
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
        guard tiers.contains(.disk), let queue = pipeline.disk.queue else { return }
        let resolved = pipeline.resolver.resolve(request)
        try await queue.gate.enter(WorkControl(resolved.interest), holdsImage: true)
        defer { queue.gate.leave() }
        var bytes = data
        if bytes == nil {
            let serializer = request.serializer ?? pipeline.configuration.serializer
            bytes = try await queue.encode {
                try serializer.data(for: image, original: image.info, codecs: resolved.codecs)
            }
        }
        guard let bytes, !bytes.isEmpty else { return }
        let key = data == nil && request.isProcessed ? resolved.imageKey.string : resolved.originalKey
        let now = pipeline.configuration.now()
        var metadata = CacheEntryMetadata(storedAt: now, expiresAt: request.expiry?.date(from: now))
        metadata.blocksPrivateAddresses = resolved.blocksPrivateAddresses
        queue.stage(.store(bytes, metadata), for: key, origin: resolved.origin)
        await queue.wait(for: key)
    }

    // MARK: Removing

    /// Removes the result of a request and its original bytes from the tiers. Other results of the same resource stay.
    public func remove(_ request: ImageRequest, from tiers: Tiers = .all) async {
        let resolved = pipeline.resolver.resolve(request)
        if tiers.contains(.memory) { pipeline.memory.remove(resolved) }
        if tiers.contains(.disk) { await pipeline.disk.remove(resolved) }
    }

    /// Empties the tiers.
    public func removeAll(from tiers: Tiers = .all) async throws {
        if tiers.contains(.memory) { pipeline.memory.cache?.removeAll() }
        guard tiers.contains(.disk) else { return }
        await pipeline.disk.queue?.dropAll()
        try await pipeline.disk.cache?.removeAll()
    }

    // MARK: Files

    /// The original bytes as a file with the right extension, byte for byte as they came; for a local source, the source
    /// itself. Nil if the disk does not hold them.
    ///
    /// The file is made when it is asked for, and stays until the cache is cleaned: use it soon, or copy it.
    public func fileURL(for request: ImageRequest) async throws -> URL? {
        let resolved = pipeline.resolver.resolve(request)
        if case .file(let path) = resolved.resource.kind { return URL(filePath: path) }
        await pipeline.disk.queue?.wait(for: resolved.originalKey)
        guard let disk = pipeline.disk.cache, let entry = await pipeline.disk.usableOriginal(resolved) else {
            return nil
        }
        let format = ImageFormat.sniff(entry.data)
        return try await disk.fileURL(
            forOriginalOf: resolved.originalKey, fileExtension: format?.fileExtension ?? "bin")
    }
}
