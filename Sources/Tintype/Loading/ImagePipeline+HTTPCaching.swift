import TintypeBase

/// When an entry may be used, and what is written with new bytes. `FreshnessPolicy` knows the rules of RFC 9111.
extension ImagePipeline {
    enum CacheAnswer {
        case use(CacheEntry, isStale: Bool)
        /// Ask the origin, about this entry if there is one.
        case ask(CacheEntry?)
    }

    /// Seconds since 1970, as `FreshnessPolicy` counts.
    var nowInSeconds: Double { configuration.now().timeIntervalSince1970 }

    func cacheAnswer(_ entry: CacheEntry?, _ load: Load, _ mode: FetchVariant.Mode) -> CacheAnswer {
        guard let entry, load.mayUse(entry.metadata) else { return .ask(nil) }
        guard configuration.httpCaching == .respectHeaders, case .web(let url) = load.resource.kind else {
            return mode == .revalidating || entry.isExpired ? .ask(entry) : .use(entry, isStale: false)
        }
        let headers = httpRequest(url, load, priority: .normal).headers
        guard FreshnessPolicy.matches(headers, varyingFields: entry.metadata.vary) else { return .ask(nil) }
        guard mode != .revalidating, !entry.isExpired else { return .ask(entry) }
        let policy = FreshnessPolicy(entry.metadata)
        switch policy.state(now: nowInSeconds, request: CacheControl(headers)) {
        case .fresh: return .use(entry, isStale: false)
        case .staleWhileRevalidate: return .use(entry, isStale: true)
        case .stale:
            // Without the origin an old image is better than none, unless its headers forbid that.
            let isForbidden = policy.mustRevalidate || policy.control.noCache
            return mode == .cacheOnly && !isForbidden ? .use(entry, isStale: true) : .ask(entry)
        }
    }

    /// Whether a stored result may be used: it is as old as the bytes that it was made from.
    func isUsable(_ entry: CacheEntry, _ load: Load) -> Bool {
        if case .use(_, isStale: false) = cacheAnswer(entry, load, .normal) { true } else { false }
    }

    /// Whether an image in memory may be shown without asking the origin.
    func isUsable(_ cached: CachedImage, _ request: ImageRequest) -> Bool {
        guard configuration.httpCaching == .respectHeaders, let policy = cached.details.freshness else { return true }
        let headers = request.headers
        guard matches(cached, headers) else { return false }
        let control = headers.isEmpty ? CacheControl() : CacheControl(headers)
        return policy.state(now: nowInSeconds, request: control) == .fresh
    }

    /// Whether an image in memory came with the same values of the header fields that its answer varies with.
    func matches(_ cached: CachedImage, _ headers: HeaderFields) -> Bool {
        guard !cached.details.vary.isEmpty else { return true }
        let sent = configuration.requestDefaults.headers.replacing(with: headers)
        return FreshnessPolicy.matches(withAccept(sent), varyingFields: cached.details.vary)
    }

    /// A known entry in place of an answer that could not be had; nil if its headers do not allow that.
    func staleAnswer(_ known: CacheEntry, _ load: Load, _ mode: FetchVariant.Mode, _ error: any Error) -> FetchedData? {
        guard configuration.httpCaching == .respectHeaders, mode == .normal,
            allowsStale(FreshnessPolicy(known.metadata), after: error)
        else { return nil }
        report(.refreshFailed(error), load)
        return fetchedData(known, isStale: true)
    }

    /// `stale-if-error` covers failures of the connection and server errors (RFC 5861 §4). Without the directive an old
    /// answer is used only where there is no connection at all (RFC 9111 §4.2.4).
    func allowsStale(_ policy: FreshnessPolicy, after error: any Error) -> Bool {
        let networkError = (error as? PipelineError)?.networkingError ?? error as? NetworkingError
        switch networkError {
        case .badStatus(let status, _):
            return [500, 502, 503, 504].contains(status) && policy.mayBeUsedOnError(now: nowInSeconds)
        case .connectionFailed(.resolve, _, _), .connectionFailed(.connect, _, _):
            if policy.control.staleIfError == nil { return !policy.mustRevalidate && !policy.control.noCache }
            return policy.mayBeUsedOnError(now: nowInSeconds)
        case .connectionFailed, .timedOut, .truncated, .tlsFailed: return policy.mayBeUsedOnError(now: nowInSeconds)
        default: return false
        }
    }

    func mayStore(_ exchange: Exchange) -> Bool {
        guard exchange.response.status != 206 else { return false }
        return configuration.httpCaching == .ignoreHeaders || exchange.freshness.isStorable
    }

    // MARK: Metadata

    /// What is stored with the bytes of an answer, or of a closure.
    func metadata(_ load: Load, _ exchange: Exchange?) -> CacheEntryMetadata {
        let now = exchange?.receivedAt ?? configuration.now()
        var metadata = CacheEntryMetadata(storedAt: now, expiresAt: load.request.expiry?.date(from: now))
        // Without an exchange the bytes come from no network.
        metadata.blocksPrivateAddresses = exchange == nil || load.blocksPrivateAddresses
        guard let exchange else { return metadata }
        metadata.contentType = exchange.response.headers.first("Content-Type")
        metadata.sourceURL = exchange.response.finalURL
        metadata.status = exchange.response.status
        set(&metadata, exchange.freshness, exchange.response.headers, exchange)
        return metadata
    }

    /// After a 304: the stored header fields with those of the answer in their place (RFC 9111 §4.3.4).
    func updated(_ metadata: CacheEntryMetadata, by exchange: Exchange, _ load: Load) -> CacheEntryMetadata {
        var result = metadata
        result.storedAt = exchange.receivedAt
        result.blocksPrivateAddresses = load.blocksPrivateAddresses
        result.expiresAt = load.request.expiry?.date(from: exchange.receivedAt)
        let headers = FreshnessPolicy.updating(metadata.headers, with: exchange.response.headers)
        let policy = FreshnessPolicy(
            headers: headers, requestTime: exchange.sentAt.timeIntervalSince1970,
            responseTime: exchange.receivedAt.timeIntervalSince1970,
            redirectLifetime: exchange.freshness.redirectLifetime)
        set(&result, policy, headers, exchange)
        return result
    }

    private func set(
        _ metadata: inout CacheEntryMetadata, _ policy: FreshnessPolicy, _ headers: HeaderFields, _ exchange: Exchange
    ) {
        metadata.etag = policy.etag
        metadata.lastModified = policy.lastModified
        metadata.responseDate = headers.first("Date").flatMap { HTTPDate.parse($0) }
            .map { Date(timeIntervalSince1970: Double($0)) }
        metadata.cacheDirectives = FreshnessPolicy.storedFields(of: headers)
        metadata.cacheDirectives[FreshnessPolicy.redirectField] = policy.redirectLifetime.map { "\($0)" }
        metadata.vary = policy.varyingFields(of: exchange.request.headers) ?? [:]
        // What its headers keep fresh for longer than the cache keeps anything stays for as long as they say.
        guard configuration.httpCaching == .respectHeaders, metadata.expiresAt == nil, !policy.isHeuristic,
            let maximumAge = diskCache?.maximumAge, maximumAge >= .zero
        else { return }
        let end = Date(timeIntervalSince1970: policy.expirationTime)
        if end > metadata.storedAt.addingTimeInterval(maximumAge.inSeconds) { metadata.expiresAt = end }
    }
}

extension FreshnessPolicy {
    init(_ metadata: CacheEntryMetadata) {
        self.init(
            storedFields: metadata.cacheDirectives, responseTime: metadata.storedAt.timeIntervalSince1970)
    }

    /// The origin itself said that the image is good until later than now.
    func isExplicitlyFresh(at now: Double) -> Bool { !isHeuristic && state(now: now) == .fresh }
}

extension CacheEntryMetadata {
    /// The header fields that are stored with an entry.
    var headers: HeaderFields {
        var headers = HeaderFields(
            self.cacheDirectives.filter { $0.key != FreshnessPolicy.redirectField }.sorted { $0.key < $1.key }
                .map { ($0.key, $0.value) })
        if let contentType = self.contentType { headers["Content-Type"] = contentType }
        if let etag = self.etag { headers["ETag"] = etag }
        if let lastModified = self.lastModified { headers["Last-Modified"] = lastModified }
        return headers
    }
}

extension PipelineError {
    var networkingError: NetworkingError? {
        if case .networking(let error) = self { error } else { nil }
    }
}
