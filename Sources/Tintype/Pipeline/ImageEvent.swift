/// Something that happened to a load. For logging and metrics; see `ImagePipeline.Configuration.observer`.
public struct ImageEvent: Sendable {
    public enum Kind: Sendable {
        case started
        case memoryHit
        case diskHit(isStale: Bool)
        case downloadStarted(url: String)
        case downloaded(HTTPResponse, byteCount: Int)
        /// The origin answered that nothing has changed, or sent the same bytes again.
        case revalidated
        case decoded(PixelSize, seconds: Double)
        case processed(identifier: String, seconds: Double)
        case stored(key: String, byteCount: Int)
        /// The image was delivered all the same.
        case storeFailed(key: String, any Error)
        /// A cache entry whose bytes no decoder takes; it is fetched again.
        case removedUndecodable(key: String, any Error)
        case refreshFailed(any Error)
        case prioritySet(ImagePriority)
        case finished(ImageResponse)
        case failed(any Error)
        case cancelled
    }

    /// What the load is about: `ImageSource.name`.
    public let name: String
    /// The task, for events that belong to one; nil for those of work that tasks share.
    public let taskID: UInt64?
    public let kind: Kind
}
