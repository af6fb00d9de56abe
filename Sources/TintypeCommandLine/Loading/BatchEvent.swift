import Tintype

/// What happens while a list of URLs is loaded.
enum BatchEvent: Sendable {
    case progress(url: String, TransferProgress)
    case preview(url: String, size: PixelSize, number: Int, path: String?)
    case finished(url: String, BatchResult)
    case failed(url: String, Problem, attempts: Int)
    /// There is a file for it already.
    case skipped(url: String, path: String)

    /// What `--events` chooses from; `summary` comes last.
    enum Name: String, CaseIterable {
        case progress, preview, finished, skipped, failed, summary
    }

    var name: Name {
        switch self {
        case .progress: .progress
        case .preview: .preview
        case .finished: .finished
        case .failed: .failed
        case .skipped: .skipped
        }
    }

    /// Whether it is the last one of its URL.
    var isFate: Bool {
        switch self {
        case .progress, .preview: false
        case .finished, .failed, .skipped: true
        }
    }
}

/// One image that came.
struct BatchResult: Sendable {
    var response: ImageResponse
    var seconds: Double
    var attempts: Int
    var path: String?
    /// What was lost on the way.
    var warnings: [String]
    /// What a terminal could show of it.
    var image: String?
}
