/// Something that happened to a load. For logging and metrics; see `ImagePipeline.Configuration.observer`.
public struct ImageEvent: Sendable {
    public enum Kind: Sendable {
        case started
        case memoryHit
        case diskHit(isStale: Bool)
        case downloadStarted(url: String)
        case downloaded(DownloadResponse, byteCount: Int)
        /// The server confirmed the cached image, or sent the same bytes again.
        case revalidated
        case decoded(PixelSize, seconds: Double)
        case processed(identifier: String, seconds: Double)
        case stored(key: String, byteCount: Int)
        /// The image was delivered all the same.
        case storeFailed(key: String, any Error)
        /// A cache entry whose bytes no decoder takes; it is fetched again.
        case removedUndecodable(key: String, any Error)
        case refreshFailed(any Error)
        /// The disk cache has removed expired or old entries by itself.
        case cleaned(CleanResult)
        case prioritySet(ImagePriority)
        case finished(ImageResponse)
        case failed(any Error)
        case cancelled
    }

    /// `ImageSource.name` of the request.
    public let name: String
    /// The task; for work that several loads share, the one that started it. Nil for events of no load.
    public let taskID: UInt64?
    /// `ImageRequest.userInfo` of that task's request.
    public let userInfo: [String: any Sendable]
    public let kind: Kind

    public init(
        _ kind: Kind, name: String, taskID: UInt64? = nil, userInfo: [String: any Sendable] = [:]
    ) {
        self.kind = kind
        self.name = name
        self.taskID = taskID
        self.userInfo = userInfo
    }
}

extension ImageEvent.Kind {
    init(_ result: Result<ImageResponse, any Error>) {
        switch result {
        case .success(let response): self = .finished(response)
        case .failure(is CancellationError): self = .cancelled
        case .failure(let error): self = .failed(error)
        }
    }
}

/// Reports to the observer of a pipeline. Builds no event without one.
struct EventReporter: Sendable {
    let observer: (@Sendable (ImageEvent) -> Void)?

    @inline(__always)
    func report(_ kind: @autoclosure () -> ImageEvent.Kind, _ origin: @autoclosure () -> EventOrigin) {
        guard let observer else { return }
        let origin = origin()
        observer(ImageEvent(kind(), name: origin.name, taskID: origin.taskID, userInfo: origin.userInfo))
    }
}

/// The load that an event belongs to.
struct EventOrigin: Sendable {
    let name: String
    var taskID: UInt64?
    var userInfo: [String: any Sendable] = [:]
}
