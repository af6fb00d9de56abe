import Tintype

/// An error as the tool tells it: a stable code and one sentence.
struct Problem: Error, Equatable {
    let code: String
    /// Without the source.
    let message: String
    /// What it happened to: a path, a URL.
    var source: String?

    init(_ code: String, _ message: String, source: String? = nil) {
        self.code = code
        self.message = message
        self.source = source
    }

    /// - Parameter source: named in front of the sentence.
    init(_ error: any Error, source: String?) {
        switch error {
        case let problem as Problem:
            self = problem
            self.source = problem.source ?? source
        case let error as PipelineError: self.init(error.code, error.description, source: source)
        case let error as ImagingError: self.init(error.code, error.description, source: source)
        case let error as NetworkingError: self.init(error.code, error.description, source: source)
        case let error as CachingError: self.init(error.code, error.description, source: source)
        case let error as ResponseCacheError: self.init(error.code, error.description, source: source)
        case is CancellationError: self.init("cancelled", "it was cancelled", source: source)
        default: self.init("ioFailed", "\(error)", source: source)
        }
    }

    /// Names the source once: some errors of the layers below do so themselves.
    var sentence: String {
        guard let source else { return message }
        let name = Problem.shortened(source)
        return !name.isEmpty && message.contains(name) ? message : name + ": " + message
    }

    /// `{"code":…,"message":…}`; the message names the source as the line on standard error does.
    var json: JSONOutput { .object([("code", .string(code)), ("message", .string(sentence))]) }

    /// `data:` URLs hold whole files; nobody wants to read them in a log.
    static func shortened(_ source: String) -> String {
        let limit = source.hasPrefix("data:") ? 48 : 2000
        let clean = source.unicodeScalars.map { scalar in
            scalar.value < 0x20 || scalar.value == 0x7F ? "\u{FFFD}" : scalar
        }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: clean.prefix(limit))
        return String(text) + (clean.count > limit ? "…" : "")
    }
}
