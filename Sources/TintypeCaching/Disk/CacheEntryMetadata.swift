import TintypeBase

/// What is kept beside the bytes of an entry: dates, validators and directives of the answer they came with
/// (RFC 9111 §3), and the caller's own data.
public struct CacheEntryMetadata: Sendable, Hashable, Codable {
    /// When the bytes were stored or last confirmed.
    public var storedAt: Date
    /// When the entry expires; nil: by the maximum age of the cache.
    public var expiresAt: Date?
    /// Nil while all of it is empty. Out of line, because an entry passes through many hands on its way from the file
    /// to the caller, and each would have to retain eight fields.
    private var details: Details?

    public init(
        storedAt: Date = Date(),
        expiresAt: Date? = nil,
        etag: String? = nil,
        lastModified: String? = nil,
        responseDate: Date? = nil,
        cacheDirectives: [String: String] = [:],
        contentType: String? = nil,
        vary: [String: String] = [:],
        sourceURL: String? = nil,
        extendedData: Data? = nil
    ) {
        self.init(
            storedAt: storedAt, expiresAt: expiresAt,
            fields: Fields(
                etag: etag, lastModified: lastModified, responseDate: responseDate, cacheDirectives: cacheDirectives,
                contentType: contentType, vary: vary, sourceURL: sourceURL, extendedData: extendedData))
    }

    init(storedAt: Date, expiresAt: Date?, fields: Fields?) {
        self.storedAt = storedAt
        self.expiresAt = expiresAt
        if let fields, fields != Self.none { details = Details(fields) }
    }

    public var etag: String? {
        get { details?.fields.etag }
        set { change { $0.etag = newValue } }
    }

    public var lastModified: String? {
        get { details?.fields.lastModified }
        set { change { $0.lastModified = newValue } }
    }

    /// The `Date` header of the answer.
    public var responseDate: Date? {
        get { details?.fields.responseDate }
        set { change { $0.responseDate = newValue } }
    }

    /// `Cache-Control` directives, names in lower case; a directive without a value has the value "".
    public var cacheDirectives: [String: String] {
        get { fields.cacheDirectives }
        set { change { $0.cacheDirectives = newValue } }
    }

    public var contentType: String? {
        get { details?.fields.contentType }
        set { change { $0.contentType = newValue } }
    }

    /// Request header fields that `Vary` names, with the values of the request.
    public var vary: [String: String] {
        get { fields.vary }
        set { change { $0.vary = newValue } }
    }

    public var sourceURL: String? {
        get { details?.fields.sourceURL }
        set { change { $0.sourceURL = newValue } }
    }

    /// Anything that the caller wants to find again with the bytes.
    public var extendedData: Data? {
        get { details?.fields.extendedData }
        set { change { $0.extendedData = newValue } }
    }

    /// Whether the bytes were loaded under a rule against private addresses, or from no network at all. Entries that
    /// do not say so count as loaded without it.
    public var blocksPrivateAddresses: Bool {
        get { details?.fields.blocksPrivateAddresses ?? false }
        set { change { $0.blocksPrivateAddresses = newValue } }
    }

    /// The HTTP status of the response that the bytes came with.
    public var status: Int? {
        get { details?.fields.status }
        set { change { $0.status = newValue } }
    }

    /// For a processed result: what it was made from.
    public var original: Original? {
        get { details?.fields.original }
        set { change { $0.original = newValue } }
    }

    /// Facts about the encoded image that a processed result was made from.
    public struct Original: Sendable, Hashable, Codable {
        public var byteCount: Int
        /// The name of the format.
        public var format: String
        public var width: Int
        public var height: Int

        public init(byteCount: Int, format: String, width: Int, height: Int) {
            self.byteCount = byteCount
            self.format = format
            self.width = width
            self.height = height
        }
    }

    // MARK: Out of line

    struct Fields: Sendable, Hashable {
        var etag: String?
        var lastModified: String?
        var responseDate: Date?
        var cacheDirectives: [String: String] = [:]
        var contentType: String?
        var vary: [String: String] = [:]
        var sourceURL: String?
        var extendedData: Data?
        var blocksPrivateAddresses = false
        var status: Int?
        var original: Original?
    }

    /// Immutable: a change makes another one.
    private final class Details: Sendable, Hashable {
        let fields: Fields

        init(_ fields: Fields) { self.fields = fields }

        static func == (left: Details, right: Details) -> Bool { left === right || left.fields == right.fields }

        func hash(into hasher: inout Hasher) { hasher.combine(fields) }
    }

    private static let none = Fields()

    var fields: Fields { details?.fields ?? Self.none }

    private mutating func change(_ body: (inout Fields) -> Void) {
        var fields = self.fields
        body(&fields)
        details = fields == Self.none ? nil : Details(fields)
    }

    // MARK: Codable

    private enum CodingKeys: String, CodingKey {
        case storedAt, expiresAt, etag, lastModified, responseDate, cacheDirectives, contentType, vary, sourceURL
        case extendedData, blocksPrivateAddresses, status, original
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            storedAt: try values.decode(Date.self, forKey: .storedAt),
            expiresAt: try values.decodeIfPresent(Date.self, forKey: .expiresAt),
            etag: try values.decodeIfPresent(String.self, forKey: .etag),
            lastModified: try values.decodeIfPresent(String.self, forKey: .lastModified),
            responseDate: try values.decodeIfPresent(Date.self, forKey: .responseDate),
            cacheDirectives: try values.decode([String: String].self, forKey: .cacheDirectives),
            contentType: try values.decodeIfPresent(String.self, forKey: .contentType),
            vary: try values.decode([String: String].self, forKey: .vary),
            sourceURL: try values.decodeIfPresent(String.self, forKey: .sourceURL),
            extendedData: try values.decodeIfPresent(Data.self, forKey: .extendedData))
        blocksPrivateAddresses = try values.decodeIfPresent(Bool.self, forKey: .blocksPrivateAddresses) ?? false
        status = try values.decodeIfPresent(Int.self, forKey: .status)
        original = try values.decodeIfPresent(Original.self, forKey: .original)
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(storedAt, forKey: .storedAt)
        try values.encodeIfPresent(expiresAt, forKey: .expiresAt)
        let fields = self.fields
        try values.encodeIfPresent(fields.etag, forKey: .etag)
        try values.encodeIfPresent(fields.lastModified, forKey: .lastModified)
        try values.encodeIfPresent(fields.responseDate, forKey: .responseDate)
        try values.encode(fields.cacheDirectives, forKey: .cacheDirectives)
        try values.encodeIfPresent(fields.contentType, forKey: .contentType)
        try values.encode(fields.vary, forKey: .vary)
        try values.encodeIfPresent(fields.sourceURL, forKey: .sourceURL)
        try values.encodeIfPresent(fields.extendedData, forKey: .extendedData)
        if fields.blocksPrivateAddresses { try values.encode(true, forKey: .blocksPrivateAddresses) }
        try values.encodeIfPresent(fields.status, forKey: .status)
        try values.encodeIfPresent(fields.original, forKey: .original)
    }
}
