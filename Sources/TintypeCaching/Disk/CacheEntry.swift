import TintypeBase

/// An entry of a ``DiskCache``.
public struct CacheEntry: Sendable {
    /// The key.
    public var key: String
    /// The stored bytes. Large ones are a mapping of the file, which stays valid when the entry is removed.
    public var data: Data
    /// The metadata.
    public var metadata: CacheEntryMetadata
    /// Whether the entry had expired when it was read (only seen with `allowExpired`).
    public var isExpired: Bool

    package init(key: String, data: Data, metadata: CacheEntryMetadata, isExpired: Bool) {
        self.key = key
        self.data = data
        self.metadata = metadata
        self.isExpired = isExpired
    }
}

/// The summary of an entry in a listing of a ``DiskCache``.
public struct EntrySummary: Sendable, Hashable {
    /// The key; the file name for `.sdWebImage` files, which do not hold the key.
    public var key: String
    /// The bytes of the value.
    public var byteCount: Int
    /// The bytes on disk, with the header.
    public var fileByteCount: Int
    /// The time when the bytes were stored or last confirmed.
    public var storedAt: Date
    /// The time of the last use.
    public var lastAccess: Date
    /// The time when the entry expires by its own date or by the maximum age; nil: never.
    public var expiresAt: Date?
    /// The content type of the response.
    public var contentType: String?
    /// Whether the entry has expired.
    public var isExpired: Bool
}

/// The result of a clean-up of a ``DiskCache``.
public struct CleanResult: Sendable, Hashable {
    /// The number of removed expired entries.
    public var expired = 0
    /// The number of entries that the limit removed, least recently used first.
    public var evicted = 0
    /// The freed bytes.
    public var byteCount = 0
    /// The file names of the removed entries without their extensions, in the order of removal. See
    /// ``DiskCache/entryName(for:)``.
    public var names: [String] = []

    package init() {}
}

/// The result of a check of all entries of a ``DiskCache``.
public struct VerifyResult: Sendable, Hashable {
    /// The number of checked entries, with corrupt ones.
    public var checked = 0
    /// The removed files: corrupt, truncated, empty, or under a name that does not match their key.
    public var damaged: [String] = []
    /// The number of removed temporary files of processes that have ended.
    public var temporaries = 0
    /// The number of entries that were wrong or missing in the index.
    public var corrected = 0
    /// The bytes of all valid entries.
    public var byteCount = 0

    /// Whether nothing had to be repaired.
    public var isClean: Bool { damaged.isEmpty && temporaries == 0 && corrected == 0 }

    package init() {}
}
