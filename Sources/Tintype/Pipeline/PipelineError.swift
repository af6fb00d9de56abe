/// Why a load failed. A cancelled load throws `CancellationError` instead.
public enum PipelineError: Error, Sendable {
    case networking(NetworkingError)
    case imaging(ImagingError)
    case caching(CachingError)
    /// No cache holds it, and the request forbids asking the origin.
    case notInCache(String)
    /// The delegate or an interceptor said no.
    case blocked(String)
    /// The resource failed for good a moment ago; `code` says how. `retryFailed` asks again.
    case failedRecently(String, code: String, secondsLeft: Double)
    /// A closure of the caller's (source, loader, interceptor) threw an error of its own.
    case sourceFailed(String, any Error)
    /// A processor threw an error of its own.
    case processorFailed(identifier: String, any Error)
    /// The source and all its alternatives failed; one error for each, in order.
    case allSourcesFailed([any Error])
    /// The pipeline was shut down before the load began.
    case shutDown

    /// Stable across versions; the command line prints it.
    public var code: String {
        switch self {
        case .networking(let error): error.code
        case .imaging(let error): error.code
        case .caching(let error): error.code
        case .notInCache: "notInCache"
        case .blocked: "blocked"
        case .failedRecently: "failedRecently"
        case .sourceFailed: "ioFailed"
        case .processorFailed: "processorFailed"
        case .allSourcesFailed(let errors): errors.last.map(PipelineError.code(of:)) ?? "invalidURL"
        case .shutDown: "cancelled"
        }
    }

    /// The code of anything that a load throws; "cancelled" for `CancellationError`.
    public static func code(of error: any Error) -> String {
        switch error {
        case let error as PipelineError: error.code
        case let error as NetworkingError: error.code
        case let error as ImagingError: error.code
        case let error as CachingError: error.code
        case is CancellationError: "cancelled"
        default: "ioFailed"
        }
    }
}

extension PipelineError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .networking(let error): error.description
        case .imaging(let error): error.description
        case .caching(let error): error.description
        case .notInCache(let name): "\(name) is in no cache, and the request does not allow loading it"
        case .blocked(let reason): "the load was not allowed: \(reason)"
        case .failedRecently(let name, let code, let seconds):
            "\(name) failed a moment ago (\(code)); it is not asked again for \(Int(seconds.rounded(.up))) s, "
                + "unless the option retryFailed is set"
        case .sourceFailed(let name, let error): "the source of \(name) failed: \(error)"
        case .processorFailed(let identifier, let error): "the processor \(identifier) failed: \(error)"
        case .allSourcesFailed(let errors):
            "all \(errors.count) sources failed: " + errors.map { "\($0)" }.joined(separator: "; ")
        case .shutDown: "the pipeline has been shut down"
        }
    }
}

extension PipelineError {
    /// The error as a load throws it: `CancellationError` for every way of being cancelled, else a `PipelineError`.
    static func wrap(_ error: any Error, source: @autoclosure () -> String) -> any Error {
        switch error {
        case is CancellationError, NetworkingError.cancelled: CancellationError()
        case is PipelineError: error
        case let error as NetworkingError: PipelineError.networking(error)
        case let error as ImagingError: PipelineError.imaging(error)
        case let error as CachingError: PipelineError.caching(error)
        default: PipelineError.sourceFailed(source(), error)
        }
    }
}
