import TintypeBase

/// When a cached image or entry may be used, and what is stored with new bytes.
///
/// Pure functions of what is cached, of the request and of the time. `FreshnessPolicy` knows the rules of RFC 9111.
struct HTTPCachePolicy: Sendable {
    enum Decision {
        case use(CacheEntry, isStale: Bool)
        /// Send a request, about this entry if there is one.
        case send(validating: CacheEntry?)
    }

    let builder: DownloadRequestBuilder
    let now: @Sendable () -> Date
    private let caching: HTTPCaching
    private let maximumAge: Duration?

    init(_ configuration: ImagePipeline.Configuration) {
        builder = DownloadRequestBuilder(configuration)
        now = configuration.now
        caching = configuration.httpCaching
        maximumAge = configuration.diskCache?.maximumAge
    }

    var respectsHeaders: Bool { caching == .respectHeaders }

    /// Seconds since 1970, as `FreshnessPolicy` counts.
    private var time: Double { now().timeIntervalSince1970 }

    // MARK: Entries on disk

    func decision(on entry: CacheEntry?, _ request: ResolvedRequest, _ mode: LoadMode) -> Decision {
        guard let entry, request.mayUse(entry.metadata) else { return .send(validating: nil) }
        guard respectsHeaders, case .web = request.resource.kind else {
            let isUsable = mode != .revalidating && !entry.isExpired
            return isUsable ? .use(entry, isStale: false) : .send(validating: entry)
        }
        let headers = builder.headers(request.base.headers)
        guard FreshnessPolicy.matches(headers, varyingFields: entry.metadata.vary) else {
            return .send(validating: nil)
        }
        guard mode != .revalidating, !entry.isExpired else { return .send(validating: entry) }
        let policy = FreshnessPolicy(entry.metadata)
        switch policy.state(now: time, request: CacheControl(headers)) {
        case .fresh: return .use(entry, isStale: false)
        case .staleWhileRevalidate: return .use(entry, isStale: true)
        case .stale:
            // Without the server an old image is better than none, unless its headers forbid that.
            let isForbidden = policy.mustRevalidate || policy.control.noCache
            return mode == .cacheOnly && !isForbidden ? .use(entry, isStale: true) : .send(validating: entry)
        }
    }

    /// Whether a stored result may be used: it is as old as the bytes that it was made from.
    func isFresh(_ entry: CacheEntry, _ request: ResolvedRequest) -> Bool {
        if case .use(_, isStale: false) = decision(on: entry, request, .normal) { true } else { false }
    }

    /// Whether an entry takes the place of a response that could not be had.
    func mayReplace(_ entry: CacheEntry, _ mode: LoadMode, after error: any Error) -> Bool {
        respectsHeaders && mode == .normal && allowsStale(FreshnessPolicy(entry.metadata), after: error)
    }

    // MARK: Images in memory

    /// Whether an image in memory may be shown without asking the server.
    func isFresh(_ cached: CachedImage, for headers: HeaderFields) -> Bool {
        guard respectsHeaders, let policy = cached.details.freshness else { return true }
        guard matches(cached, headers) else { return false }
        let control = headers.isEmpty ? CacheControl() : CacheControl(headers)
        return policy.state(now: time, request: control) == .fresh
    }

    /// Whether an image in memory came with the same values of the header fields that its response varies with.
    func matches(_ cached: CachedImage, _ headers: HeaderFields) -> Bool {
        cached.details.vary.isEmpty
            || FreshnessPolicy.matches(builder.headers(headers), varyingFields: cached.details.vary)
    }

    /// Whether the server itself said that an image is good until later than now.
    func isExplicitlyFresh(_ details: ImageDetails) -> Bool {
        guard let policy = details.freshness, !policy.isHeuristic else { return false }
        return policy.state(now: time) == .fresh
    }

    /// Whether a stale image may be shown while the server is asked about it.
    func allowsStaleWhileRevalidating(_ details: ImageDetails) -> Bool {
        details.freshness?.state(now: time) == .staleWhileRevalidate
    }

    /// Whether a stale image may be shown because of an error.
    ///
    /// `stale-if-error` covers failures of the connection and server errors (RFC 5861 §4). Without the directive an old
    /// response is used only where there is no connection at all (RFC 9111 §4.2.4).
    func allowsStale(_ policy: FreshnessPolicy, after error: any Error) -> Bool {
        var networkError = error as? NetworkingError
        if case .networking(let error)? = error as? PipelineError { networkError = error }
        switch networkError {
        case .badStatus(let status, _):
            return [500, 502, 503, 504].contains(status) && policy.mayBeUsedOnError(now: time)
        case .connectionFailed(.resolve, _, _), .connectionFailed(.connect, _, _):
            if policy.control.staleIfError == nil { return !policy.mustRevalidate && !policy.control.noCache }
            return policy.mayBeUsedOnError(now: time)
        case .connectionFailed, .timedOut, .truncated, .tlsFailed: return policy.mayBeUsedOnError(now: time)
        default: return false
        }
    }

    // MARK: Metadata

    func mayStore(_ exchange: Exchange) -> Bool {
        exchange.response.status != 206 && (!respectsHeaders || exchange.freshness.isStorable)
    }

    /// What is stored with the bytes of a response, or of a closure.
    func metadata(_ request: ResolvedRequest, _ exchange: Exchange?) -> CacheEntryMetadata {
        let date = exchange?.receivedAt ?? now()
        var metadata = CacheEntryMetadata(storedAt: date, expiresAt: request.base.expiry?.date(from: date))
        // Without an exchange the bytes come from no network.
        metadata.blocksPrivateAddresses = exchange == nil || request.blocksPrivateAddresses
        guard let exchange else { return metadata }
        metadata.contentType = exchange.response.headers.first("Content-Type")
        metadata.sourceURL = exchange.response.finalURL
        metadata.status = exchange.response.status
        set(&metadata, exchange.freshness, exchange.response.headers, exchange)
        return metadata
    }

    /// After a 304: the stored header fields with those of the response in their place (RFC 9111 §4.3.4).
    func updated(_ metadata: CacheEntryMetadata, by exchange: Exchange, _ request: ResolvedRequest)
        -> CacheEntryMetadata
    {
        var result = metadata
        result.storedAt = exchange.receivedAt
        result.blocksPrivateAddresses = request.blocksPrivateAddresses
        result.expiresAt = request.base.expiry?.date(from: exchange.receivedAt)
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
        // An entry that its headers keep fresh for longer than the maximum age stays for as long as they say.
        guard respectsHeaders, metadata.expiresAt == nil, !policy.isHeuristic, let maximumAge, maximumAge >= .zero
        else { return }
        let end = Date(timeIntervalSince1970: policy.expirationTime)
        if end > metadata.storedAt.addingTimeInterval(maximumAge.inSeconds) { metadata.expiresAt = end }
    }
}

/// Builds the HTTP requests of image requests.
struct DownloadRequestBuilder: Sendable {
    private let defaults: DownloadRequest
    private let cookies: CookieJar
    private let accept: String

    init(_ configuration: ImagePipeline.Configuration) {
        defaults = configuration.requestDefaults
        cookies = configuration.cookies
        accept = DownloadRequestBuilder.acceptHeader(configuration.codecs)
    }

    var maximumBodyByteCount: Int { defaults.maximumBodyByteCount }

    func downloadRequest(_ url: WebURL, _ request: ResolvedRequest, priority: ImagePriority) -> DownloadRequest {
        var result = defaults
        result.setURL(url)
        request.base.network.apply(to: &result)
        result.headers = headers(request.base.headers)
        result.priority = priority
        if request.options.contains(.handleCookies) { result.cookies = cookies }
        if request.options.contains(.allowInvalidCertificates) { result.allowsInvalidCertificates = true }
        if request.options.contains(.continueInBackground) { result.continuesInBackground = true }
        return result
    }

    /// The header fields that are sent for a request with header fields of its own.
    func headers(_ own: HeaderFields) -> HeaderFields {
        var headers = defaults.headers.replacing(with: own)
        if !headers.contains("Accept") { headers.add("Accept", accept) }
        return headers
    }

    /// The value of `Accept`: the formats that these codecs decode, then anything, since servers mislabel images.
    static func acceptHeader(_ codecs: ImageCodecs) -> String {
        var types: [String] = []
        for decoder in codecs.decoders where !types.contains(decoder.format.mimeType) {
            types.append(decoder.format.mimeType)
        }
        return (types + ["image/*;q=0.8", "*/*;q=0.5"]).joined(separator: ",")
    }
}

/// A request and its response.
struct Exchange {
    let request: DownloadRequest
    let response: DownloadResponse
    let sentAt: Date
    let receivedAt: Date
    let freshness: FreshnessPolicy

    init(_ request: DownloadRequest, _ response: DownloadResponse, sentAt: Date, receivedAt: Date) {
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

extension FreshnessPolicy {
    init(_ metadata: CacheEntryMetadata) {
        self.init(
            storedFields: metadata.cacheDirectives, responseTime: metadata.storedAt.timeIntervalSince1970)
    }

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
