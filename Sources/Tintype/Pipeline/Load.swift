/// A request with everything that the pipeline adds to it: resolved once for each load.
final class Load: Sendable {
    let request: ImageRequest
    let options: ImageOptions
    let resource: Resource
    /// After the key filter.
    let resourceKey: String
    /// Of the original bytes on disk.
    let originalKey: String
    /// Of the result.
    let imageKey: ImageKey
    let processors: [any ImageProcessor]
    let codecs: ImageCodecs
    let variant: FetchVariant
    /// Of the request, else of the configuration.
    let blocksPrivateAddresses: Bool
    /// The load that its events belong to.
    let origin: EventOrigin

    init(
        request: ImageRequest, resource: Resource, resourceKey: String, imageKey: ImageKey,
        processors: [any ImageProcessor], codecs: ImageCodecs, alternative: String?, blocksPrivateAddresses: Bool,
        taskID: UInt64?
    ) {
        self.request = request
        self.resource = resource
        self.resourceKey = resourceKey
        self.imageKey = imageKey
        self.processors = processors
        self.codecs = codecs
        self.blocksPrivateAddresses = blocksPrivateAddresses
        origin = EventOrigin(name: request.source.name, taskID: taskID, userInfo: request.userInfo)
        options = request.options
        originalKey = request.originalKey(resource: resourceKey)
        let mode: FetchVariant.Mode =
            if options.contains(.fromCacheOnly) {
                options.contains(.skipDiskReads) ? .memoryOnly : .cacheOnly
            } else if options.isDisjoint(with: [.fromLoaderOnly, .skipDiskReads]) { .normal } else { .ignoringDisk }
        variant = FetchVariant(
            mode: mode, options: options.intersection(FetchVariant.relevantOptions), network: request.network,
            alternative: alternative, blocksPrivateAddresses: blocksPrivateAddresses)
    }

    var name: String { origin.name }

    /// What the failure memory knows it by: the place itself, whatever key the caller gave. Failures behind a policy
    /// are kept apart, because they may tell about private addresses.
    var failureKey: String {
        guard case .web(let url) = resource.kind else { return originalKey }
        return blocksPrivateAddresses ? "blocks-private " + url.absoluteString : url.absoluteString
    }

    func readsMemory(in mode: FetchVariant.Mode) -> Bool {
        mode != .revalidating && options.isDisjoint(with: [.fromLoaderOnly, .skipMemoryReads, .includesData])
    }

    var readsDisk: Bool { options.isDisjoint(with: [.fromLoaderOnly, .skipDiskReads]) }

    /// Whether the images of this load move, if the file does.
    var wantsAnimation: Bool { !options.contains(.firstFrameOnly) && request.decodeOptions.frame == nil }

    func imageKey(processorCount count: Int) -> ImageKey {
        guard count < processors.count else { return imageKey }
        return request.imageKey(resource: resourceKey, processors: processors.prefix(count).map(\.identifier))
    }

    func jobKey(_ mode: FetchVariant.Mode, processorCount: Int) -> ImageJobKey {
        var variant = variant
        variant.mode = mode
        return ImageJobKey(
            image: imageKey(processorCount: processorCount), fetch: variant,
            includesData: options.contains(.includesData))
    }

    func fetchKey(_ mode: FetchVariant.Mode) -> FetchKey {
        var variant = variant
        variant.mode = mode
        return FetchKey(resource: originalKey, variant: variant)
    }
}

extension ImagePipeline {
    /// Whether a request's own key is its key here: no filter, delegate or default option changes it.
    var hasPlainKeys: Bool {
        configuration.keyFilter == nil && configuration.delegate == nil && configuration.defaultOptions.isEmpty
    }

    /// - Parameters:
    ///   - alternative: the URL, if it stands in for the request's own source under the same key.
    ///   - taskID: of the load, for its events.
    func resolve(_ request: ImageRequest, alternative: String? = nil, taskID: UInt64? = nil) -> Load {
        var request = request
        if !request.options.isSuperset(of: configuration.defaultOptions) {
            request.options.formUnion(configuration.defaultOptions)
        }
        let codecs = request.codecs?.codecs ?? configuration.codecs
        let keys = request.keys.keys(for: request)
        let resource = keys.resource
        let blocksPrivateAddresses =
            request.fields.network.blocksPrivateAddresses ?? configuration.requestDefaults.blocksPrivateAddresses
        if hasPlainKeys {
            return Load(
                request: request, resource: resource, resourceKey: resource.key, imageKey: keys.image,
                processors: request.processors, codecs: codecs, alternative: alternative,
                blocksPrivateAddresses: blocksPrivateAddresses, taskID: taskID)
        }
        var resourceKey = resource.key
        if resource.isFilterable, case .web = resource.kind, let filter = configuration.keyFilter {
            resourceKey = filter.cacheKey(for: resourceKey)
        }
        var processors = request.processors
        if let added = configuration.delegate?.pipeline(self, processorFor: request) { processors.insert(added, at: 0) }
        return Load(
            request: request, resource: resource, resourceKey: resourceKey,
            imageKey: request.imageKey(resource: resourceKey, processors: processors.map(\.identifier)),
            processors: processors, codecs: codecs, alternative: alternative,
            blocksPrivateAddresses: blocksPrivateAddresses, taskID: taskID)
    }

    /// What a load wants of the jobs that it joins.
    func interest(of load: Load) -> Interest {
        let options = load.options
        var demand: Interest.Demand = []
        if options.contains(.progressive) { demand.insert(.previews) }
        let isExpired = load.request.expiry.map { $0.date(from: configuration.now()) <= configuration.now() } ?? false
        if !isExpired, !options.contains(.skipMemoryWrites) { demand.insert(.memory) }
        if !isExpired, options.isDisjoint(with: [.skipDiskWrites, .cacheMemoryOnly]), !load.resource.isLocal {
            let policy = load.request.dataCachePolicy ?? configuration.dataCachePolicy
            let isProcessed = !load.processors.isEmpty || load.request.target != nil
            if policy.storesOriginal(isProcessed: isProcessed) { demand.insert(.originalOnDisk) }
            if policy.storesResult(isProcessed: isProcessed) { demand.insert(.resultOnDisk) }
        }
        return Interest(priority: load.request.priority, demand: demand)
    }
}
