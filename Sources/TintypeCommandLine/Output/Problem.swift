import Tintype
import TintypeBase
import TintypeResponses

/// An error as the tool prints it: a stable code and one sentence.
struct Problem: Error, Equatable {
    let code: String
    /// Without the source.
    let message: String
    /// The path or URL that failed.
    var source: String?

    init(_ code: String, _ message: String, source: String? = nil) {
        self.code = code
        self.message = message
        self.source = source
    }

    /// - Parameter source: named in front of the sentence.
    init(_ error: any Error, source: String?) {
        let (code, message): (String, String)
        switch error {
        case let problem as Problem, PipelineError.sourceFailed(_, let problem as Problem):
            self = problem
            self.source = problem.source ?? source
            return
        case let error as PipelineError: (code, message) = (error.code, error.description)
        case let error as ImagingError: (code, message) = (error.code, error.description)
        case let error as NetworkingError: (code, message) = (error.code, error.description)
        case let error as CachingError: (code, message) = (error.code, error.description)
        case let error as ResponseCacheError: (code, message) = (error.code, error.description)
        case is CancellationError: (code, message) = ("cancelled", "it was cancelled")
        case let error as any LocalizedError:
            (code, message) = ("ioFailed", error.errorDescription ?? Problem.unforeseen(error))
        default: (code, message) = ("ioFailed", Problem.unforeseen(error))
        }
        // The layers below always name a server.
        let isEmptyFile = code == "emptyBody" && source.map(InputSource.isLocal) == true
        self.init(code, isEmptyFile ? "the file is empty" : message, source: source)
    }

    /// The description of an unknown error is not for users.
    private static func unforeseen(_ error: any Error) -> String { "it failed with \(type(of: error))" }

    /// The message with the source in front, unless the message names it.
    var sentence: String {
        guard let source else { return message }
        let name = Problem.shortened(source)
        // A short name may be a word of the sentence.
        let isNamed = message.hasPrefix(name + " ") || (name.contains { "/.".contains($0) } && message.contains(name))
        return isNamed ? message : name + ": " + message
    }

    /// `{"code":…,"message":…}`; the message names the source as the line on standard error does.
    var json: JSONOutput { ["code": .string(code), "message": .string(sentence)] }

    /// Returns the source, without the end of long ones: `data:` URLs hold whole files.
    static func shortened(_ source: String) -> String {
        let limit = source.hasPrefix("data:") ? 48 : 2000
        let scalars = source.unicodeScalars
        guard let end = scalars.index(scalars.startIndex, offsetBy: limit, limitedBy: scalars.endIndex),
            end < scalars.endIndex
        else { return source }
        return String(scalars[..<end]) + "…"
    }
}
