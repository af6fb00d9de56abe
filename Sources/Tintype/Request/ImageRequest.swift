import TintypeBase

/// What to load, and how: a value that can be stored, compared and sent anywhere.
///
///     var request: ImageRequest = "https://example.com/cat.jpg"
///     request.target = ResizeTarget(width: 128, height: 128, fit: .cover)
///     let image = try await pipeline.image(for: request)
///
/// One pointer wide; copies share their storage until one of them changes. The cache key is computed at its first use
/// and kept, so a request that is used again costs no more than the look-up.
public struct ImageRequest: Sendable, ExpressibleByStringLiteral {
    struct Fields: Sendable {
        var source: ImageSource
        var processors: [any ImageProcessor] = []
        var decoding = DecodeOptions()
        var scale: Double?
        var priority = ImagePriority.normal
        var options: ImageOptions = []
        var cacheKey: String?
        var network = NetworkOptions()
        var alternatives: [String] = []
        var lowDataURL: String?
        var expiry: CacheExpiry?
        var dataCachePolicy: DataCachePolicy?
        var codecs: RequestCodecs?
        var loader: (any ImageLoader)?
        var serializer: (any CacheSerializer)?
        var userInfo: [String: any Sendable] = [:]
    }

    private final class Storage: @unchecked Sendable {
        // Changed only while one request alone holds it and no key has been computed from it.
        var fields: Fields
        let keys = RequestKeys()

        init(_ fields: Fields) { self.fields = fields }
    }

    private var storage: Storage

    public init(source: ImageSource) { storage = Storage(Fields(source: source)) }

    /// - Parameter string: what `ImageSource.url` takes. A URL that cannot be used fails when it is loaded, not here.
    public init(string: String) { self.init(source: .url(string)) }
    public init(stringLiteral string: String) { self.init(source: .url(string)) }

    /// Creates a request in one expression; every parameter is a property too.
    public init(
        url: URL, processors: [any ImageProcessor] = [], target: ResizeTarget? = nil,
        priority: ImagePriority = .normal, options: ImageOptions = [], userInfo: [String: any Sendable] = [:]
    ) {
        // A file URL stays a text: it may be untrusted input, which `blocksPrivateAddresses` refuses.
        var fields = Fields(source: .url(url.absoluteString))
        fields.processors = processors
        fields.decoding.target = target
        fields.priority = priority
        fields.options = options
        fields.userInfo = userInfo
        storage = Storage(fields)
    }

    /// An image whose bytes a closure loads. The closure runs on no particular thread and may be cancelled.
    public init(id: String, data: @escaping @Sendable () async throws -> Data) {
        self.init(source: .data(id: id, load: data))
    }

    /// An image that a closure makes.
    public init(id: String, image: @escaping @Sendable () async throws -> DecodedImage) {
        self.init(source: .image(id: id, make: image))
    }

    var fields: Fields { _read { yield storage.fields } }
    var keys: RequestKeys { storage.keys }

    private mutating func edit(_ change: (inout Fields) -> Void) {
        if !isKnownUniquelyReferenced(&storage) || storage.keys.isComputed { storage = Storage(storage.fields) }
        change(&storage.fields)
    }
}

extension ImageRequest {
    public var source: ImageSource {
        get { fields.source }
        set { edit { $0.source = newValue } }
    }

    /// Run over the decoded pixels, in order. Each one's identifier is a part of the key.
    public var processors: [any ImageProcessor] {
        get { fields.processors }
        set { edit { $0.processors = newValue } }
    }

    /// How bytes become pixels: limits, leniency, frame, target size.
    public var decodeOptions: DecodeOptions {
        get { fields.decoding }
        set { edit { $0.decoding = newValue } }
    }

    /// The size to decode to, which costs less than decoding and resizing. The same as `decodeOptions.target`.
    public var target: ResizeTarget? {
        get { fields.decoding.target }
        set { edit { $0.decoding.target = newValue } }
    }

    /// Pixels per point; nil, the default, takes it from `@2x` or `@3x` in the name of the resource, else 1.
    public var scale: Double? {
        get { fields.scale }
        set { edit { $0.scale = newValue } }
    }

    /// `.normal` by default; the options `lowPriority` and `highPriority` replace `.normal`.
    public var priority: ImagePriority {
        get {
            let fields = storage.fields
            guard fields.priority == .normal else { return fields.priority }
            if fields.options.contains(.highPriority) { return .high }
            return fields.options.contains(.lowPriority) ? .low : .normal
        }
        set { edit { $0.priority = newValue } }
    }

    public var options: ImageOptions {
        get { fields.options }
        set { edit { $0.options = newValue } }
    }

    /// Names the resource in the caches and among the running loads, in place of the URL and of the key filter's result.
    /// For URLs with a part that changes, such as a signature.
    public var cacheKey: String? {
        get { fields.cacheKey }
        set { edit { $0.cacheKey = newValue } }
    }

    /// How this request is sent, where it differs from the pipeline's configuration. Leaves ``headers`` as they are.
    public var network: NetworkOptions {
        get { fields.network }
        set {
            edit { fields in
                let headers = fields.network.headers
                fields.network = newValue
                if newValue.headers.isEmpty { fields.network.headers = headers }
            }
        }
    }

    /// Header fields of this request, in place of those of `ImagePipeline.Configuration.requestDefaults` with the same
    /// name. Not a part of the key.
    public var headers: HeaderFields {
        get { fields.network.headers }
        set { edit { $0.network.headers = newValue } }
    }

    /// Loaded in order if the source fails, each under its own key (or under `cacheKey`, if that is set).
    /// Never after a cancellation.
    public var alternatives: [String] {
        get { fields.alternatives }
        set { edit { $0.alternatives = newValue } }
    }

    /// Loaded in place of the source while `ImagePipeline.isLowDataMode` is on and the source is in no cache.
    public var lowDataURL: String? {
        get { fields.lowDataURL }
        set { edit { $0.lowDataURL = newValue } }
    }

    /// How long what this load stores stays valid; nil, the default, leaves it to the caches.
    public var expiry: CacheExpiry? {
        get { fields.expiry }
        set { edit { $0.expiry = newValue } }
    }

    /// What this load writes to disk; nil, the default, is the pipeline's policy.
    public var dataCachePolicy: DataCachePolicy? {
        get { fields.dataCachePolicy }
        set { edit { $0.dataCachePolicy = newValue } }
    }

    /// Decoders and encoders for this load alone. The identifier is a part of the key.
    public var codecs: RequestCodecs? {
        get { fields.codecs }
        set { edit { $0.codecs = newValue } }
    }

    /// Loads the bytes in place of the pipeline's loader. The identifier is a part of the key.
    public var loader: (any ImageLoader)? {
        get { fields.loader }
        set { edit { $0.loader = newValue } }
    }

    /// Turns processed images into bytes for the disk, in place of the pipeline's.
    public var serializer: (any CacheSerializer)? {
        get { fields.serializer }
        set { edit { $0.serializer = newValue } }
    }

    /// Values of the caller's; passed to interceptors and events, without any effect.
    public var userInfo: [String: any Sendable] {
        get { fields.userInfo }
        set { edit { $0.userInfo = newValue } }
    }
}

extension ImageRequest: Hashable {
    /// What tells requests apart beside their key.
    private struct Settings: Hashable {
        let source: String
        let options: ImageOptions
        let priority: ImagePriority
        let network: NetworkOptions
        let alternatives: [String]
        let lowDataURL: String?
        let expiry: CacheExpiry?
        let dataCachePolicy: DataCachePolicy?

        init(_ request: ImageRequest) {
            let fields = request.fields
            source = fields.source.name
            options = fields.options
            priority = fields.priority
            network = fields.network
            alternatives = fields.alternatives
            lowDataURL = fields.lowDataURL
            expiry = fields.expiry
            dataCachePolicy = fields.dataCachePolicy
        }
    }

    /// Returns whether two requests load the same image in the same way. Processors, codecs and loaders are compared by
    /// their identifiers, closures by their ids; serializers and `userInfo` are not compared.
    public static func == (left: ImageRequest, right: ImageRequest) -> Bool {
        left.storage === right.storage
            || (left.keys.keys(for: left).image == right.keys.keys(for: right).image
                && Settings(left) == Settings(right))
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(keys.keys(for: self).image) }
}

/// The codecs of one request.
public struct RequestCodecs: Sendable {
    /// Equal identifiers must mean equal pixels.
    public var identifier: String
    public var codecs: ImageCodecs

    public init(identifier: String, codecs: ImageCodecs) {
        self.identifier = identifier
        self.codecs = codecs
    }
}
