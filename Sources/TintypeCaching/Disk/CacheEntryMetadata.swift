import TintypeBase

/// The metadata of an entry: dates, validators and directives of its response (RFC 9111 §3), and data of the caller.
///
/// The fields of ``Fields`` are members of the metadata: `metadata.etag`.
@dynamicMemberLookup
public struct CacheEntryMetadata: Sendable, Hashable {
    /// The time when the bytes were stored or last confirmed.
    public var storedAt: Date
    /// The time when the entry expires; nil: by the maximum age of the cache.
    public var expiresAt: Date?
    /// Nil while all fields are empty. Out of line, because an entry is passed on several times between the file and the
    /// caller, and each time would have to retain eight fields.
    private var details: Details?

    /// The optional fields of ``CacheEntryMetadata``.
    public struct Fields: Sendable, Hashable {
        /// The `ETag` of the response.
        public var etag: String?
        /// The `Last-Modified` of the response.
        public var lastModified: String?
        /// The `Date` of the response.
        public var responseDate: Date?
        /// The `Cache-Control` directives, names in lower case; a directive without a value has the value "".
        public var cacheDirectives: [String: String] = [:]
        /// The `Content-Type` of the response.
        public var contentType: String?
        /// The request header fields that `Vary` names, with the values of the request.
        public var vary: [String: String] = [:]
        /// The URL of the response.
        public var sourceURL: String?
        /// Data of the caller.
        public var extendedData: Data?
        /// Whether the bytes were loaded under a rule against private addresses, or not from a network.
        package var blocksPrivateAddresses = false
        /// The HTTP status of the response.
        package var status: Int?
        /// For a processed result: facts about its source.
        package var original: Original?
    }

    /// Facts about the encoded image that a processed result was made from.
    package struct Original: Sendable, Hashable {
        package var byteCount: Int
        /// The name of the format.
        package var format: String
        package var width: Int
        package var height: Int

        package init(byteCount: Int, format: String, width: Int, height: Int) {
            self.byteCount = byteCount
            self.format = format
            self.width = width
            self.height = height
        }
    }

    /// Creates metadata; all fields have a default.
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

    init(storedAt: Date, expiresAt: Date?, fields: Fields) {
        self.storedAt = storedAt
        self.expiresAt = expiresAt
        self.fields = fields
    }

    /// Reads or changes one of the ``Fields``.
    public subscript<Value>(dynamicMember field: WritableKeyPath<Fields, Value>) -> Value {
        get { fields[keyPath: field] }
        set { fields[keyPath: field] = newValue }
    }

    /// Immutable: a change makes another one.
    private final class Details: Sendable, Hashable {
        let fields: Fields

        init(_ fields: Fields) { self.fields = fields }

        static func == (left: Details, right: Details) -> Bool { left === right || left.fields == right.fields }

        func hash(into hasher: inout Hasher) { hasher.combine(fields) }
    }

    private static let none = Fields()

    var fields: Fields {
        get { details?.fields ?? Self.none }
        set { details = newValue == Self.none ? nil : Details(newValue) }
    }
}
