import TintypeBase

/// What jobs report while they run.
enum LoadEvent: JobEvent {
    case progress(TransferProgress)
    /// More bytes of a transfer have come; for decoders that show what is there.
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

/// What the jobs that make images end with.
enum ImageJobResult: Sendable {
    case image(LoadedImage)
    /// Only where the origin was asked about an image that the caller holds: it is still the same.
    case unchanged(ImageDetails)
}

/// A finished image on its way to the caches and to those who wait for it.
struct LoadedImage: Sendable {
    var image: DecodedImage
    var source: ImageResponse.Source
    var details: ImageDetails
    /// The bytes that it was made from; nil if it came from a cache as a result.
    var fetched: FetchedData?
    /// Facts about the original, for the serializer.
    var originalInfo: ImageInfo
    /// Encodes the image for the disk; nil for results that are not worth it or came from there.
    var serialize: (@Sendable () throws -> Data?)?
    /// False for results that must not be kept (`no-store`, partial images).
    var isStorable = true
    /// The request's own rule for what is stored.
    var expiry: CacheExpiry?
    /// The load that made it.
    let origin: EventOrigin
}

/// Names one job that makes an image.
struct ImageJobKey: Hashable, Sendable {
    let image: ImageKey
    let fetch: FetchVariant
    /// Whether the original bytes come with the image.
    let includesData: Bool
}

/// Names one job that brings bytes.
struct FetchKey: Hashable, Sendable {
    let resource: String
    let variant: FetchVariant
}

/// Everything beside the resource in which two requests must agree to share a transfer.
struct FetchVariant: Hashable, Sendable {
    enum Mode: Sendable, Hashable {
        /// Disk first, then the origin.
        case normal
        /// The origin, without looking at the disk.
        case ignoringDisk
        /// The origin, about an image that the caller holds.
        case revalidating
        /// Disk only.
        case cacheOnly
        /// Memory only.
        case memoryOnly
    }

    var mode: Mode
    /// Those of the options that change what is sent.
    let options: ImageOptions
    let network: NetworkOptions
    /// The URL, where it is not the request's own but an alternative under the same key.
    let alternative: String?
    /// What was loaded without this rule must not reach a request that has it.
    let blocksPrivateAddresses: Bool

    static let relevantOptions: ImageOptions = [.handleCookies, .allowInvalidCertificates]
}
