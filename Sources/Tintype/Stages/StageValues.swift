import TintypeBase

// The values that stages hand to one another.

/// What jobs report while they run.
enum LoadEvent: WorkEvent {
    case progress(TransferProgress)
    /// More bytes of a transfer have arrived; for decoders that show a partial image.
    case partialBody(PartialBody)
    case preview(DecodedImage)

    var kind: Int {
        switch self {
        case .progress: 0
        case .partialBody: 1
        case .preview: 2
        }
    }
}

/// The bytes of a transfer that have arrived so far. Collected only while there is a waiter that wants previews.
final class PartialBody: Sendable {
    private let data = Locked(Data())

    func append(_ chunk: Data) { data.withLock { $0.append(chunk) } }

    var count: Int { data.withLock { $0.count } }

    /// The bytes after the first `count`.
    func bytes(after count: Int) -> Data {
        data.withLock { count < $0.count ? $0.suffix(from: $0.startIndex + count) : Data() }
    }
}

/// How the jobs that make images end.
enum ImageResult: Sendable {
    case image(LoadedImage)
    /// Only in mode `revalidating`: the image that the caller holds is still right.
    case unchanged(ImageDetails)
}

/// A finished image on its way to the caches and to its waiters.
struct LoadedImage: Sendable {
    var image: DecodedImage
    var source: ImageResponse.Source
    var details: ImageDetails
    /// The bytes that it was made from; nil if it came from a cache as a result.
    var fetched: FetchedData?
    /// Facts about the original, for the serializer.
    var originalInfo: ImageInfo
    /// Encodes the image for the disk; nil for results that are not stored or came from there.
    var serialize: (@Sendable () throws -> Data?)?
    /// False for results that must not be cached (`no-store`, partial images).
    var isStorable = true
    /// The request's own rule for what is stored.
    var expiry: CacheExpiry?
    /// The load that made it.
    let origin: EventOrigin
}

/// A result that waits to be encoded and written. Until then a load that wants it gets `image`.
struct PendingResult: Sendable {
    let image: DecodedImage
    let details: ImageDetails
    let originalInfo: ImageInfo
    var metadata: CacheEntryMetadata
    let encode: @Sendable () throws -> Data?
}

/// Original bytes, and the right to put them on disk once a decoder has taken them: what does not decode is not stored.
///
/// While they are in use, other loads of the same resource get these bytes and no request is sent for them.
final class FetchedData: Sendable {
    let data: Data
    let diskKey: String
    let source: ImageResponse.Source
    let details: ImageDetails
    /// Only in mode `revalidating`: the caller's image is still right, `data` is empty.
    let isUnchanged: Bool
    /// What is stored on disk beside the bytes; nil for local sources.
    let metadata: CacheEntryMetadata?
    /// False for bytes that are on disk already or must not be there.
    let needsStore: Bool
    /// False for responses that may be in no cache at all (`no-store`).
    let isStorable: Bool

    private struct State {
        var isClaimed = false
        var isUndecodable = false
        var needsRefresh: Bool
    }

    private let state: Locked<State>

    /// - Parameter needsRefresh: whether the bytes may be used although they are stale, if they are refreshed meanwhile.
    init(
        _ data: Data, diskKey: String, source: ImageResponse.Source, details: ImageDetails,
        metadata: CacheEntryMetadata? = nil, needsStore: Bool = false, isStorable: Bool = true,
        isUnchanged: Bool = false, needsRefresh: Bool = false
    ) {
        self.data = data
        self.diskKey = diskKey
        self.source = source
        self.details = details
        self.metadata = metadata
        self.needsStore = needsStore
        self.isStorable = isStorable
        self.isUnchanged = isUnchanged
        state = Locked(State(needsRefresh: needsRefresh))
    }

    /// An entry of the disk cache.
    convenience init(_ entry: CacheEntry, isStale: Bool, needsRefresh: Bool = false) {
        var details = ImageDetails(entry)
        details.isStale = isStale
        self.init(
            entry.data, diskKey: entry.key, source: .disk, details: details, metadata: entry.metadata,
            needsRefresh: needsRefresh)
    }

    /// True for the first caller: it writes the bytes.
    func claimStore() -> Bool {
        guard needsStore, isStorable else { return false }
        return state.withLock { state in
            defer { state.isClaimed = true }
            return !state.isClaimed && !state.isUndecodable
        }
    }

    /// True for the first caller, if the bytes are to be refreshed.
    func claimRefresh() -> Bool {
        state.withLock { state in
            defer { state.needsRefresh = false }
            return state.needsRefresh
        }
    }

    func markUndecodable() { state.withLock { $0.isUndecodable = true } }
    var isUndecodable: Bool { state.withLock { $0.isUndecodable } }
}

/// Where a load may look.
enum LoadMode: Sendable, Hashable {
    /// Disk first, then the server.
    case normal
    /// The server, without looking at the disk.
    case ignoringDisk
    /// The server, about an image that the caller holds.
    case revalidating
    /// Disk only.
    case cacheOnly
    /// Memory only.
    case memoryOnly
}

/// Names one job that makes an image.
struct ImageJobKey: Hashable, Sendable {
    let image: ImageKey
    let fetch: FetchVariant
    /// Whether the original bytes come with the image.
    let includesData: Bool
}

/// Names one job that fetches bytes.
struct FetchKey: Hashable, Sendable {
    let resource: String
    let variant: FetchVariant
}

/// Everything beside the resource in which two requests must agree to share a transfer.
struct FetchVariant: Hashable, Sendable {
    var mode: LoadMode
    /// Those of the options that change what is sent.
    let options: ImageOptions
    let network: NetworkOptions
    /// The URL, where it is not the request's own but an alternative under the same key.
    let alternative: String?
    /// What was loaded without this rule must not reach a request that has it.
    let blocksPrivateAddresses: Bool
}
