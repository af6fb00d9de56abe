import TintypeBase

/// Why a load failed. A cancelled load throws `CancellationError` instead.
public enum PipelineError: Error, Sendable {
    case networking(NetworkingError)
    case imaging(ImagingError)
    case caching(CachingError)
    /// No cache holds it, and the request forbids loading it.
    case notInCache(String)
    /// A loader or an interceptor refused the load.
    case blocked(String)
    /// The resource failed permanently a moment ago, with `failure`. The option `retryFailed` sends a request all the same.
    case failedRecently(String, failure: any Error, secondsLeft: Double)
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
        case .sourceFailed(_, let error): PipelineError.code(of: error)
        case .processorFailed: "processorFailed"
        case .allSourcesFailed(let errors): errors.last.map(PipelineError.code(of:)) ?? "invalidURL"
        case .shutDown: "shutDown"
        }
    }

    /// The code of anything that a load throws; "cancelled" for `CancellationError`.
    public static func code(of error: any Error) -> String {
        switch error {
        case let error as any CodedError: error.code
        case is CancellationError: "cancelled"
        default: "ioFailed"
        }
    }

    /// The HTTP status of the failed response, where there was one; for `failedRecently`, that of the first failure.
    public var status: Int? {
        switch self {
        case .networking(let error): error.status
        case .failedRecently(_, let failure, _): (failure as? PipelineError)?.status
        case .allSourcesFailed(let errors): (errors.last as? PipelineError)?.status
        default: nil
        }
    }
}

extension PipelineError: Equatable {
    /// Returns whether two errors say the same. The errors inside are compared by their codes and sentences.
    public static func == (left: PipelineError, right: PipelineError) -> Bool {
        left.code == right.code && left.description == right.description
    }
}

extension PipelineError: CodedError, LocalizedError {
    public var errorDescription: String? { description }

    /// What an error of the caller's says about itself.
    private static func sentence(of error: any Error) -> String {
        (error as? any LocalizedError)?.errorDescription ?? "\(error)"
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
        case .failedRecently(let name, let failure, let seconds):
            "\(name) failed a moment ago: \(PipelineError.sentence(of: failure)); no request is sent for "
                + "\(Int(seconds.rounded(.up))) s, unless the option retryFailed is set"
        case .sourceFailed(let name, let error): "the source of \(name) failed: \(PipelineError.sentence(of: error))"
        case .processorFailed(let identifier, let error):
            "the processor \(identifier) failed: \(PipelineError.sentence(of: error))"
        case .allSourcesFailed(let errors):
            "all \(errors.count) sources failed: "
                + errors.map { PipelineError.sentence(of: $0) }.joined(separator: "; ")
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
