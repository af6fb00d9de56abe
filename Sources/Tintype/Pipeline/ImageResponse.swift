import TintypeBase

/// An image, and where it came from.
@dynamicMemberLookup
public struct ImageResponse: Sendable {
    /// Where this load got its image from.
    public enum Source: String, Sendable, Hashable {
        case memory, disk, network
        /// A file of this machine.
        case file
        /// A `data:` URL.
        case data
        /// A closure of the caller's.
        case closure
    }

    public var image: DecodedImage
    public var source: Source
    /// False only for the first of two results of `ImageTask.responses`.
    public var isFinal = true
    /// Pixels per point: the request's, else from `@2x` or `@3x` in the name of the resource, else 1.
    public var scale: Double
    /// Facts about the original bytes.
    public var details: ImageDetails
    /// With the option `includesData`, the original bytes that the image was made from. Nil for an image that a closure
    /// made.
    public var data: Data?
    /// Why the server could not be asked, where the cached image took the place of its response.
    public var refreshError: (any Error)?
    /// The same image as the first result of this load: `ImageTask.responses` does not repeat it.
    var isRepeated = false

    public init(
        image: DecodedImage, source: Source, scale: Double = 1, details: ImageDetails = ImageDetails(),
        data: Data? = nil
    ) {
        self.image = image
        self.source = source
        self.scale = scale
        self.details = details
        self.data = data
    }

    public var format: ImageFormat { image.info.format }

    /// The properties of ``ImageDetails`` are those of the response too.
    public subscript<Value>(dynamicMember path: KeyPath<ImageDetails, Value>) -> Value { details[keyPath: path] }
}

/// Facts about original bytes. Those of the transfer stay with the image in memory; a cache entry on disk has fewer.
public struct ImageDetails: Sendable {
    /// Of the original, encoded.
    public var byteCount = 0
    /// Nil without HTTP.
    public var status: Int?
    public var headers = HeaderFields()
    /// After redirects.
    public var finalURL: String?
    /// Transfers that were tried, 0 without any.
    public var attempts = 0
    public var metrics: TransferMetrics?
    /// The server confirmed that the image has not changed.
    public var isRevalidated = false
    /// The image is older than its HTTP headers allow, and was used because they allow that too
    /// (`stale-while-revalidate`, `stale-if-error`) or because a refresh failed.
    public var isStale = false
    /// When the bytes were stored, or came.
    public var date: Date?
    /// Loaded with `blocksPrivateAddresses`, or from no network at all.
    var blocksPrivateAddresses = false
    var freshness: FreshnessPolicy?
    /// The request header fields that the response varies with, and their values.
    var vary: [String: String] = [:]
    var fileStamp: LocalFile.Validator?
    /// Of the frames that were decoded in advance.
    var frameByteCount = 0

    public init(byteCount: Int = 0, date: Date? = nil) {
        self.byteCount = byteCount
        self.date = date
    }

    /// - Parameter metadata: what is stored of the response, after a 304 with the old header fields.
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

/// The original bytes of an image, as `ImagePipeline.data(for:)` returns them.
public struct DataResponse: Sendable {
    public var data: Data
    public var source: ImageResponse.Source
    public var details: ImageDetails

    public init(data: Data, source: ImageResponse.Source, details: ImageDetails = ImageDetails()) {
        self.data = data
        self.source = source
        self.details = details
    }
}
