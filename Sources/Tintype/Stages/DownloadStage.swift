import TintypeBase

/// One request to the server, and what its response means for the caches.
struct DownloadStage: Sendable {
    let loader: any ImageLoader
    let policy: HTTPCachePolicy
    let memory: MemoryStage
    let disk: DiskStage
    let failures: FailureMemory
    let events: EventReporter

    /// - Parameters:
    ///   - known: an entry that may be confirmed by the server.
    ///   - control: of the waiters, for priority and progress.
    ///   - send: called with progress and partial bodies.
    func download(
        _ url: WebURL, _ request: ResolvedRequest, known: CacheEntry?, _ mode: LoadMode, control: WorkControl,
        send: @escaping @Sendable (LoadEvent) -> Void
    ) async throws -> FetchedData {
        var download = policy.builder.downloadRequest(url, request, priority: control.interest.priority)
        let cached = mode == .revalidating ? memory.image(for: request) : nil
        let freshness = known.map { FreshnessPolicy($0.metadata) } ?? cached?.details.freshness
        let validatedURL = known.map(\.metadata.sourceURL) ?? cached?.details.finalURL
        let isConditional = freshness?.addConditions(to: &download, of: validatedURL ?? url.absoluteString) ?? false
        events.report(.downloadStarted(url: download.url), request.origin)
        let sentAt = policy.now()
        let (data, response) = try await load(
            download, request, LoadContext(control: control, send: send, body: PartialBody()))
        events.report(.downloaded(response, byteCount: data.count), request.origin)
        let exchange = Exchange(download, response, sentAt: sentAt, receivedAt: policy.now())
        if response.status == 304 {
            failures.clear(request)
            guard isConditional else { throw NetworkingError.badStatus(304, headers: response.headers) }
            return notModified(request, known, cached, exchange, mode)
        }
        guard !data.isEmpty else { throw NetworkingError.emptyBody }
        let isStorable = policy.mayStore(exchange)
        let metadata = policy.metadata(request, exchange)
        if !isStorable, let known { disk.remove(known.key, request.origin) }
        if mode == .revalidating, let known, known.data == data {
            return unchanged(
                request, metadata, exchange, byteCount: data.count, diskKey: isStorable ? known.key : nil)
        }
        // The last report, even if no one has listened all the time.
        send(.progress(TransferProgress(received: data.count, total: data.count)))
        return FetchedData(
            data, diskKey: await disk.storageKey(request, metadata), source: .network,
            details: ImageDetails(exchange, metadata, byteCount: data.count), metadata: metadata,
            needsStore: isStorable, isStorable: isStorable)
    }

    private func load(_ download: DownloadRequest, _ request: ResolvedRequest, _ context: LoadContext) async throws
        -> (Data, DownloadResponse)
    {
        let chosen = request.base.fields.loader ?? loader
        // The downloader has the guards itself.
        if chosen is DownloaderLoader || chosen is ImageDownloader {
            return try await chosen.load(download, context: context)
        }
        return try await GuardedLoader(base: chosen).load(download, context: context)
    }

    /// 304: the bytes stay, the headers of the response take the place of the old ones.
    private func notModified(
        _ request: ResolvedRequest, _ known: CacheEntry?, _ cached: CachedImage?, _ exchange: Exchange,
        _ mode: LoadMode
    ) -> FetchedData {
        guard let known else {
            let old = CacheEntryMetadata(
                cacheDirectives: FreshnessPolicy.storedFields(of: cached?.details.headers ?? [:]),
                contentType: cached?.details.headers.first("Content-Type"))
            return unchanged(
                request, policy.updated(old, by: exchange, request), exchange,
                byteCount: cached?.details.byteCount ?? 0, diskKey: nil)
        }
        let metadata = policy.updated(known.metadata, by: exchange, request)
        let unchanged = unchanged(request, metadata, exchange, byteCount: known.data.count, diskKey: known.key)
        if mode == .revalidating { return unchanged }
        return FetchedData(
            known.data, diskKey: known.key, source: .disk, details: unchanged.details, metadata: metadata)
    }

    private func unchanged(
        _ request: ResolvedRequest, _ metadata: CacheEntryMetadata, _ exchange: Exchange, byteCount: Int,
        diskKey: String?
    ) -> FetchedData {
        events.report(.revalidated, request.origin)
        if let diskKey { disk.update(metadata, for: diskKey, request.origin) }
        var details = ImageDetails(exchange, metadata, byteCount: byteCount)
        details.isRevalidated = true
        return FetchedData(
            Data(), diskKey: diskKey ?? request.originalKey, source: .disk, details: details, isUnchanged: true)
    }
}
