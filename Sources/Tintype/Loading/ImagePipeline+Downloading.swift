import TintypeBase

/// One question to the origin, and what its answer means for the caches.
extension ImagePipeline {
    /// - Parameter known: an entry that the origin is asked about; its answer may be that nothing has changed.
    func download(_ job: FetchJob, _ load: Load, _ known: CacheEntry?, _ mode: FetchVariant.Mode) async throws
        -> FetchedData
    {
        guard case .web(let url) = load.resource.kind else { throw PipelineError.notInCache(load.name) }
        var request = httpRequest(url, load, priority: job.control.interest.priority)
        let memory = mode == .revalidating ? self.memory.image(for: load) : nil
        let policy = known.map { FreshnessPolicy($0.metadata) } ?? memory?.details.freshness
        let validatedURL = known.map(\.metadata.sourceURL) ?? memory?.details.finalURL
        let isConditional = policy?.addConditions(to: &request, of: validatedURL ?? url.absoluteString) ?? false
        if let delegate = configuration.delegate {
            request = try await delegate.pipeline(self, willSend: request, for: load.request)
        }
        report(.downloadStarted(url: request.url), load)
        let context = LoadContext(control: job.control, send: { job.send($0) }, body: PartialBody())
        let sentAt = configuration.now()
        let chosen = load.request.fields.loader ?? loader
        let (received, response) =
            if chosen is DownloaderLoader {
                try await chosen.load(request, context: context)
            } else { try await GuardedLoader(base: chosen).load(request, context: context) }
        report(.downloaded(response, byteCount: received.count), load)
        if response.status == 304 { failures.clear(load.failureKey) }
        let exchange = Exchange(request: request, response: response, sentAt: sentAt, receivedAt: configuration.now())
        if response.status == 304 {
            guard isConditional else { throw NetworkingError.badStatus(304, headers: response.headers) }
            return notModified(load, known, memory, exchange, mode)
        }
        var data = received
        if let delegate = configuration.delegate {
            data = try await delegate.pipeline(self, didReceive: data, response, for: load.request)
        }
        guard !data.isEmpty else { throw NetworkingError.emptyBody }
        let isStorable = mayStore(exchange)
        if !isStorable, let known { staged?.stage(.remove, for: known.key, origin: load.origin) }
        if mode == .revalidating, let known, known.data == data {
            return unchanged(
                load, metadata(load, exchange), exchange, byteCount: data.count, diskKey: isStorable ? known.key : nil)
        }
        // Final whether or not anybody listened all the time.
        job.send(.progress(TransferProgress(received: data.count, total: data.count)))
        let metadata = metadata(load, exchange)
        return FetchedData(
            data: data, diskKey: await storageKey(load, metadata), source: .network,
            details: ImageDetails(exchange, metadata, byteCount: data.count),
            metadata: metadata, needsStore: isStorable, isStorable: isStorable)
    }

    func httpRequest(_ url: WebURL, _ load: Load, priority: ImagePriority) -> DownloadRequest {
        var request = configuration.requestDefaults
        request.setURL(url)
        load.request.network.apply(to: &request)
        request.headers = withAccept(request.headers)
        request.priority = TransferPriority(priority)
        if load.options.contains(.handleCookies) { request.cookies = configuration.cookies }
        if load.options.contains(.allowInvalidCertificates) { request.allowsInvalidCertificates = true }
        if load.options.contains(.continueInBackground) { request.continuesInBackground = true }
        return request
    }

    /// Offers what the decoders read, unless the caller says otherwise.
    func withAccept(_ headers: HeaderFields) -> HeaderFields {
        guard !headers.contains("Accept") else { return headers }
        var headers = headers
        headers.add("Accept", accept)
        return headers
    }

    /// 304: the bytes stay, the headers of the answer take the place of the old ones.
    private func notModified(
        _ load: Load, _ known: CacheEntry?, _ memory: CachedImage?, _ exchange: Exchange, _ mode: FetchVariant.Mode
    ) -> FetchedData {
        guard let known else {
            let old = CacheEntryMetadata(
                cacheDirectives: FreshnessPolicy.storedFields(of: memory?.details.headers ?? [:]),
                contentType: memory?.details.headers.first("Content-Type"))
            let metadata = updated(old, by: exchange, load)
            return unchanged(
                load, metadata, exchange, byteCount: memory?.details.byteCount ?? 0, diskKey: nil)
        }
        let metadata = updated(known.metadata, by: exchange, load)
        let unchanged = unchanged(load, metadata, exchange, byteCount: known.data.count, diskKey: known.key)
        if mode == .revalidating { return unchanged }
        return FetchedData(
            data: known.data, diskKey: known.key, source: .disk, details: unchanged.details,
            metadata: metadata)
    }

    private func unchanged(
        _ load: Load, _ metadata: CacheEntryMetadata, _ exchange: Exchange, byteCount: Int, diskKey: String?
    ) -> FetchedData {
        report(.revalidated, load)
        if let diskKey { staged?.stage(.metadata(metadata), for: diskKey, origin: load.origin) }
        var details = ImageDetails(exchange, metadata, byteCount: byteCount)
        details.isRevalidated = true
        return FetchedData(
            data: Data(), diskKey: diskKey ?? load.originalKey, source: .disk, details: details, isUnchanged: true)
    }

    func fetchedData(_ entry: CacheEntry, isStale: Bool) -> FetchedData {
        var details = ImageDetails(entry)
        details.isStale = isStale
        return FetchedData(
            data: entry.data, diskKey: entry.key, source: .disk, details: details, metadata: entry.metadata)
    }

    /// What `Accept` says: the formats that these codecs decode, then anything, since servers mislabel images.
    static func acceptHeader(_ codecs: ImageCodecs) -> String {
        var types: [String] = []
        for decoder in codecs.decoders where !types.contains(decoder.format.mimeType) {
            types.append(decoder.format.mimeType)
        }
        return (types + ["image/*;q=0.8", "*/*;q=0.5"]).joined(separator: ",")
    }
}

/// A request that was answered.
struct Exchange {
    let request: DownloadRequest
    let response: DownloadResponse
    let sentAt: Date
    let receivedAt: Date
    let freshness: FreshnessPolicy

    init(request: DownloadRequest, response: DownloadResponse, sentAt: Date, receivedAt: Date) {
        self.request = request
        self.response = response
        self.sentAt = sentAt
        self.receivedAt = receivedAt
        freshness = FreshnessPolicy(
            status: response.status, headers: response.headers, requestTime: sentAt.timeIntervalSince1970,
            responseTime: receivedAt.timeIntervalSince1970,
            redirectLifetime: FreshnessPolicy.redirectLifetime(
                of: response.redirects, requestTime: sentAt.timeIntervalSince1970,
                responseTime: receivedAt.timeIntervalSince1970))
    }
}

extension ImageDetails {
    /// - Parameter metadata: what is stored of the answer, after a 304 with the header fields of before.
    init(_ exchange: Exchange, _ metadata: CacheEntryMetadata, byteCount: Int) {
        self.byteCount = byteCount
        let response = exchange.response
        status = response.status
        headers = response.status == 304 ? metadata.headers : response.headers
        finalURL = response.finalURL
        attempts = response.attempts
        metrics = response.metrics
        date = exchange.receivedAt
        freshness = response.status == 304 ? FreshnessPolicy(metadata) : exchange.freshness
        vary = metadata.vary
        blocksPrivateAddresses = metadata.blocksPrivateAddresses
    }

    init(_ entry: CacheEntry) {
        byteCount = entry.metadata.original?.byteCount ?? entry.data.count
        status = entry.metadata.status
        date = entry.metadata.storedAt
        finalURL = entry.metadata.sourceURL
        headers = entry.metadata.headers
        freshness = FreshnessPolicy(entry.metadata)
        vary = entry.metadata.vary
        blocksPrivateAddresses = entry.metadata.blocksPrivateAddresses
    }
}

extension FreshnessPolicy {
    /// Makes a request conditional; false if there is nothing to make it so, or the caller has done it.
    ///
    /// - Parameter url: where the stored response came from, after its redirects; no other URL gets its validators.
    func addConditions(to request: inout DownloadRequest, of url: String) -> Bool {
        if request.headers.contains("If-None-Match") || request.headers.contains("If-Modified-Since") { return false }
        let conditions = conditionalHeaders
        guard !conditions.isEmpty else { return false }
        if url == request.url {
            // Where every loader sees them.
            request.headers = request.headers.replacing(with: conditions)
        } else {
            request.validators = CacheValidators(url: url, headers: conditions)
        }
        return true
    }
}
