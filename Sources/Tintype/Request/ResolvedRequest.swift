import TintypeBase

/// A request with everything that the pipeline adds to it. Resolved once for each load.
final class ResolvedRequest: Sendable {
    /// The caller's request with the pipeline's default options.
    let base: ImageRequest
    let options: ImageOptions
    let resource: Resource
    /// Of the original bytes on disk.
    let originalKey: String
    /// Of the result.
    let imageKey: ImageKey
    /// With the one that the configuration adds.
    let processors: [any ImageProcessor]
    let codecs: ImageCodecs
    /// Of the request, else of the configuration.
    let blocksPrivateAddresses: Bool
    /// What the load wants of the work that it joins.
    let interest: Interest
    /// The load that its events belong to.
    let origin: EventOrigin
    private let resourceKey: String
    private let variant: FetchVariant

    fileprivate init(
        _ base: ImageRequest, resource: Resource, resourceKey: String, imageKey: ImageKey,
        processors: [any ImageProcessor], codecs: ImageCodecs, alternative: String?, blocksPrivateAddresses: Bool,
        interest: Interest, taskID: UInt64?
    ) {
        self.base = base
        self.resource = resource
        self.resourceKey = resourceKey
        self.imageKey = imageKey
        self.processors = processors
        self.codecs = codecs
        self.blocksPrivateAddresses = blocksPrivateAddresses
        self.interest = interest
        origin = EventOrigin(name: base.source.name, taskID: taskID, userInfo: base.userInfo)
        options = base.options
        originalKey = base.originalKey(resource: resourceKey)
        let mode: LoadMode =
            if options.contains(.fromCacheOnly) {
                options.contains(.skipDiskReads) ? .memoryOnly : .cacheOnly
            } else if options.isDisjoint(with: [.fromLoaderOnly, .skipDiskReads]) { .normal } else { .ignoringDisk }
        variant = FetchVariant(
            mode: mode, options: options.intersection([.handleCookies, .allowInvalidCertificates]),
            network: base.network, alternative: alternative, blocksPrivateAddresses: blocksPrivateAddresses)
    }

    var name: String { origin.name }
    var mode: LoadMode { variant.mode }

    // MARK: What it may read

    func readsMemory(in mode: LoadMode) -> Bool {
        mode != .revalidating && options.isDisjoint(with: [.fromLoaderOnly, .skipMemoryReads, .includesData])
    }

    var readsDisk: Bool { options.isDisjoint(with: [.fromLoaderOnly, .skipDiskReads]) }

    /// Whether a cached image is revalidated.
    var refreshesCached: Bool {
        guard case .web = resource.kind, options.contains(.refreshCached) else { return false }
        return options.isDisjoint(with: [.fromLoaderOnly, .fromCacheOnly])
    }

    /// Whether anything of this load goes to disk.
    var writesDisk: Bool { !interest.demand.isDisjoint(with: [.originalOnDisk, .resultOnDisk]) }

    /// A request with `blocksPrivateAddresses` never gets what was loaded without that rule.
    func mayUse(_ details: ImageDetails) -> Bool {
        !blocksPrivateAddresses || (details.blocksPrivateAddresses && !isUntrustedFile)
    }

    /// The same for an entry on disk; entries of versions without the mark count as loaded without the rule.
    func mayUse(_ metadata: CacheEntryMetadata) -> Bool { !blocksPrivateAddresses || metadata.blocksPrivateAddresses }

    /// Whether untrusted text names a file of this machine. ``ImageSource/file(path:)`` is the caller's own choice and
    /// stays allowed.
    var isUntrustedFile: Bool {
        guard blocksPrivateAddresses, case .file = resource.kind, case .url = base.source else { return false }
        return true
    }

    // MARK: Keys

    /// The key of the failure memory: the URL, whatever key the caller gave. Failures behind a policy are kept apart,
    /// because they may tell about private addresses.
    var failureKey: String {
        guard case .web(let url) = resource.kind else { return originalKey }
        return blocksPrivateAddresses ? "blocks-private " + url.absoluteString : url.absoluteString
    }

    /// The key of the job that makes the image after the first `count` processors.
    func jobKey(_ mode: LoadMode, processorCount count: Int) -> ImageJobKey {
        let key =
            count < processors.count
            ? base.imageKey(resource: resourceKey, processors: processors.prefix(count).map(\.identifier)) : imageKey
        return ImageJobKey(image: key, fetch: variant(mode), includesData: options.contains(.includesData))
    }

    func fetchKey(_ mode: LoadMode) -> FetchKey { FetchKey(resource: originalKey, variant: variant(mode)) }

    private func variant(_ mode: LoadMode) -> FetchVariant {
        var variant = variant
        variant.mode = mode
        return variant
    }
}

/// Adds to requests what the pipeline's configuration says.
struct RequestResolver: Sendable {
    private let defaultOptions: ImageOptions
    private let codecs: ImageCodecs
    private let keyFilter: (@Sendable (String) -> String)?
    private let addedProcessor: (@Sendable (ImageRequest) -> (any ImageProcessor)?)?
    private let blocksPrivateAddresses: Bool
    private let dataCachePolicy: DataCachePolicy
    private let now: @Sendable () -> Date
    /// Whether the keys of a request are the pipeline's too.
    private let hasPlainKeys: Bool

    init(_ configuration: ImagePipeline.Configuration) {
        defaultOptions = configuration.defaultOptions
        codecs = configuration.codecs
        keyFilter = configuration.keyFilter
        addedProcessor = configuration.addedProcessor
        blocksPrivateAddresses = configuration.requestDefaults.blocksPrivateAddresses
        dataCachePolicy = configuration.dataCachePolicy
        now = configuration.now
        hasPlainKeys = keyFilter == nil && addedProcessor == nil && defaultOptions.isEmpty
    }

    /// The key of the result where it follows from the request alone and every cached image may be used; else `nil`.
    func plainKey(for request: ImageRequest) -> ImageKey? {
        guard hasPlainKeys, !(request.fields.network.blocksPrivateAddresses ?? blocksPrivateAddresses) else {
            return nil
        }
        return request.keys.keys(for: request).image
    }

    /// - Parameters:
    ///   - request: without its alternatives.
    ///   - alternative: the URL, if it stands in for the request's own source under the same key.
    ///   - taskID: of the load, for its events.
    func resolve(_ request: ImageRequest, alternative: String? = nil, taskID: UInt64? = nil) -> ResolvedRequest {
        var request = request
        if !request.options.isSuperset(of: defaultOptions) { request.options.formUnion(defaultOptions) }
        let keys = request.keys.keys(for: request)
        let resource = keys.resource
        var (resourceKey, imageKey, processors) = (resource.key, keys.image, request.processors)
        if !hasPlainKeys {
            if resource.isFilterable, case .web = resource.kind, let keyFilter {
                resourceKey = keyFilter(resourceKey)
            }
            if let added = addedProcessor?(request) { processors.insert(added, at: 0) }
            imageKey = request.imageKey(resource: resourceKey, processors: processors.map(\.identifier))
        }
        return ResolvedRequest(
            request, resource: resource, resourceKey: resourceKey, imageKey: imageKey, processors: processors,
            codecs: request.codecs?.codecs ?? codecs, alternative: alternative,
            blocksPrivateAddresses: request.fields.network.blocksPrivateAddresses ?? blocksPrivateAddresses,
            interest: interest(of: request, resource, isProcessed: !processors.isEmpty || request.target != nil),
            taskID: taskID)
    }

    private func interest(of request: ImageRequest, _ resource: Resource, isProcessed: Bool) -> Interest {
        let options = request.options
        var demand: Interest.Demand = []
        if options.contains(.progressive) { demand.insert(.previews) }
        let isStored = request.expiry.map { $0.date(from: now()) > now() } ?? true
        if isStored, !options.contains(.skipMemoryWrites) { demand.insert(.memory) }
        if isStored, options.isDisjoint(with: [.skipDiskWrites, .cacheMemoryOnly]), !resource.isLocal {
            let policy = request.dataCachePolicy ?? dataCachePolicy
            if policy.storesOriginal(isProcessed: isProcessed) { demand.insert(.originalOnDisk) }
            if policy.storesResult(isProcessed: isProcessed) { demand.insert(.resultOnDisk) }
        }
        return Interest(priority: request.priority, demand: demand)
    }
}
