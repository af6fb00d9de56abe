/// Something that happened to a load. For logging and metrics; see `ImagePipeline.Configuration.observer`.
public struct ImageEvent: Sendable {
    public enum Kind: Sendable {
        case started
        case memoryHit
        case diskHit(isStale: Bool)
        case downloadStarted(url: String)
        case downloaded(DownloadResponse, byteCount: Int)
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
    /// The task; for work that several loads share, the one that started it. Nil for events of no load.
    public let taskID: UInt64?
    /// `ImageRequest.userInfo` of that task's request.
    public let userInfo: [String: any Sendable]
    public let kind: Kind

    init(_ origin: EventOrigin, _ kind: Kind) {
        name = origin.name
        taskID = origin.taskID
        userInfo = origin.userInfo
        self.kind = kind
    }
}

/// The load that an event belongs to.
struct EventOrigin: Sendable {
    let name: String
    var taskID: UInt64?
    var userInfo: [String: any Sendable] = [:]
}
