import TintypeBase

/// One entry as it was read from a ``DiskCache``: whole and checked.
public struct CacheEntry: Sendable {
    public var key: String
    /// The stored bytes. Big ones are a mapping of the file, not a copy; it stays valid when the entry is removed.
    public var data: Data
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

/// One line of a listing of a ``DiskCache``.
public struct EntrySummary: Sendable, Hashable {
    /// The key; for `.sdWebImage` files, which do not hold it, the file name.
    public var key: String
    /// Bytes of the value.
    public var byteCount: Int
    /// Bytes on disk, header included.
    public var fileByteCount: Int
    public var storedAt: Date
    public var lastAccess: Date
    /// When the entry expires by its own date or by the age rule of the cache; nil: never.
    public var expiresAt: Date?
    public var contentType: String?
    public var isExpired: Bool
}

/// What a clean-up of a ``DiskCache`` did.
public struct CleanResult: Sendable, Hashable {
    /// Entries removed because they had expired.
    public var expired = 0
    /// Entries removed for room, least recently used first.
    public var evicted = 0
    /// Bytes given back.
    public var byteCount = 0
    /// The file names of the removed entries without their extensions, in the order of removal. See
    /// ``DiskCache/entryName(for:)``.
    public var names: [String] = []

    package init() {}
}

/// What a check of every entry of a ``DiskCache`` found.
public struct VerifyResult: Sendable, Hashable {
    /// Entries that were read and checked, the damaged ones included.
    public var checked = 0
    /// Files that were removed: damaged, cut short, empty, or under a name that is not their key's.
    public var damaged: [String] = []
    /// Left-over temporary files of dead processes that were removed.
    public var temporaries = 0
    /// Entries that the index did not know or knew wrongly.
    public var corrected = 0
    /// Bytes of all good entries.
    public var byteCount = 0

    /// Whether nothing had to be repaired.
    public var isClean: Bool { damaged.isEmpty && temporaries == 0 && corrected == 0 }

    package init() {}
}
