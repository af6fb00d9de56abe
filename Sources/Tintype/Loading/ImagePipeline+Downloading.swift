#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One question to the origin, and what its answer means for the caches.
extension ImagePipeline {
    /// - Parameter known: an entry that the origin is asked about; its answer may be that nothing has changed.
    func download(_ job: FetchJob, _ load: Load, _ known: CacheEntry?, _ mode: FetchVariant.Mode) async throws
        -> FetchedData
    {
        guard case .web(let url) = load.resource.kind else { throw PipelineError.notInCache(load.name) }
        var request = httpRequest(url, load, priority: job.control.interest.priority)
        let memory = mode == .revalidating ? memoryCache?.value(for: load.imageKey) : nil
        let validators = known.map { Validators($0.metadata) } ?? memory.map { Validators($0.details.headers) }
        let isConditional = validators?.add(to: &request.headers) ?? false
        if let delegate = configuration.delegate {
            request = try await delegate.pipeline(self, willSend: request, for: load.request)
        }
        report(.downloadStarted(url: request.url), load)
        let context = LoadContext(control: job.control, send: { job.send($0) }, body: PartialBody())
        let sentAt = configuration.now()
        let (received, response) = try await (load.request.fields.loader ?? loader).load(request, context: context)
        report(.downloaded(response, byteCount: received.count), load)
        failures.clear(load.originalKey)
        let exchange = Exchange(request: request, response: response, sentAt: sentAt, receivedAt: configuration.now())
        if response.status == 304 {
            guard isConditional else { throw NetworkingError.badStatus(304, headers: response.headers) }
            return try notModified(load, known, memory, exchange, mode)
        }
        var data = received
        if let delegate = configuration.delegate {
            data = try await delegate.pipeline(self, didReceive: data, response, for: load.request)
        }
        guard !data.isEmpty else { throw NetworkingError.emptyBody }
        if mode == .revalidating, let known, known.data == data {
            let metadata = metadata(load, exchange, known.data)
            if let metadata { staged?.stage(.metadata(metadata), for: load.originalKey) }
            report(.revalidated, load)
            return unchanged(load, exchange, byteCount: data.count)
        }
        // Final whether or not anybody listened all the time.
        job.send(.progress(TransferProgress(received: data.count, total: data.count)))
        var details = ImageDetails(exchange, byteCount: data.count)
        details.freshness = freshness(exchange)
        let isStorable = mayStore(exchange)
        if !isStorable { staged?.stage(.remove, for: load.originalKey) }
        return FetchedData(
            data: data, diskKey: load.originalKey, source: .network, details: details,
            metadata: isStorable ? metadata(load, exchange, data) : nil, isStorable: isStorable)
    }

    private func httpRequest(_ url: WebURL, _ load: Load, priority: ImagePriority) -> HTTPRequest {
        var request = configuration.requestDefaults
        let target = HTTPRequest(url)
        request.url = target.url
        request.credential = target.credential ?? request.credential
        load.request.network.apply(to: &request)
        request.priority = TransferPriority(priority)
        if load.options.contains(.handleCookies) { request.cookies = configuration.cookies }
        if load.options.contains(.allowInvalidCertificates) { request.allowsInvalidCertificates = true }
        if load.options.contains(.continueInBackground) { request.continuesInBackground = true }
        return request
    }

    /// 304: the bytes stay, the headers of the answer take the place of the old ones (RFC 9111 §4.3.4).
    private func notModified(
        _ load: Load, _ known: CacheEntry?, _ memory: CachedImage?, _ exchange: Exchange, _ mode: FetchVariant.Mode
    ) throws -> FetchedData {
        report(.revalidated, load)
        guard let known else { return unchanged(load, exchange, byteCount: memory?.details.byteCount ?? 0) }
        let metadata = updated(known.metadata, by: exchange, load)
        staged?.stage(.metadata(metadata), for: load.originalKey)
        if mode == .revalidating { return unchanged(load, exchange, byteCount: known.data.count) }
        var details = ImageDetails(exchange, byteCount: known.data.count)
        details.isRevalidated = true
        details.freshness = freshness(of: metadata)
        return FetchedData(data: known.data, diskKey: load.originalKey, source: .disk, details: details)
    }

    private func unchanged(_ load: Load, _ exchange: Exchange, byteCount: Int) -> FetchedData {
        var details = ImageDetails(exchange, byteCount: byteCount)
        details.isRevalidated = true
        details.freshness = freshness(exchange)
        return FetchedData(
            data: Data(), diskKey: load.originalKey, source: .disk, details: details, isUnchanged: true)
    }

    func fetchedData(_ entry: CacheEntry, isStale: Bool) -> FetchedData {
        var details = details(of: entry)
        details.isStale = isStale
        return FetchedData(data: entry.data, diskKey: entry.key, source: .disk, details: details)
    }

    func details(of entry: CacheEntry) -> ImageDetails {
        let metadata = entry.metadata
        var details = ImageDetails(byteCount: entry.data.count, date: metadata.storedAt)
        details.finalURL = metadata.sourceURL
        if let type = metadata.contentType { details.headers.add("Content-Type", type) }
        if let etag = metadata.etag { details.headers.add("ETag", etag) }
        if let date = metadata.lastModified { details.headers.add("Last-Modified", date) }
        details.freshness = freshness(of: metadata)
        return details
    }
}

/// A request that was answered.
struct Exchange {
    let request: HTTPRequest
    let response: HTTPResponse
    let sentAt: Date
    let receivedAt: Date
}

extension ImageDetails {
    init(_ exchange: Exchange, byteCount: Int) {
        self.byteCount = byteCount
        status = exchange.response.status
        headers = exchange.response.headers
        finalURL = exchange.response.finalURL
        attempts = exchange.response.attempts
        metrics = exchange.response.metrics
        date = exchange.receivedAt
    }
}

/// What the origin gave to recognise its bytes by (RFC 9110 §8.8).
struct Validators {
    let etag: String?
    let lastModified: String?

    init(_ metadata: CacheEntryMetadata) {
        etag = metadata.etag
        lastModified = metadata.lastModified
    }

    init(_ headers: HTTPHeaders) {
        etag = headers.first("ETag")
        lastModified = headers.first("Last-Modified")
    }

    /// Makes the request conditional; false if there is nothing to make it so, or the caller has done it.
    func add(to headers: inout HTTPHeaders) -> Bool {
        if headers.contains("If-None-Match") || headers.contains("If-Modified-Since") { return false }
        if let etag { headers.add("If-None-Match", etag) }
        if let lastModified { headers.add("If-Modified-Since", lastModified) }
        return etag != nil || lastModified != nil
    }
}
