import TintypeBase

/// The formats that are decoded in sandboxed worker processes, and the bounds of a decode.
///
/// A worker is the running program itself, started again and stopped before `main`; nothing has to be installed. It can
/// open no file but fonts and libraries, make no connection and start no process. A fault, an endless loop or a lack of
/// memory in a decoder costs one call, which throws a typed error; the worker is replaced.
///
/// ```swift
/// import TintypeImaging
///
/// var codecs = ImageCodecs.standard
/// codecs.isolation = .all
/// ```
public struct DecodeIsolation: Sendable, Hashable {
    /// The formats that are decoded in workers.
    public enum Scope: Sendable, Hashable {
        /// No format: everything is decoded in this process.
        case none
        /// The formats whose libraries are large or whose cost cannot be bounded: SVG, HEIC, AVIF, JPEG XL and TIFF.
        case automatic
        /// Every format.
        case all
        /// These formats.
        case formats(Set<ImageFormat>)
    }

    /// The formats that are decoded in workers.
    public var scope: Scope
    /// The longest time for one call; 10 seconds by default. A worker that takes longer is killed, and the call throws
    /// `ImagingError.decodeTimedOut`.
    public var deadline: Duration = .seconds(10)
    /// The bytes of memory that one worker may take; 2 GiB by default.
    public var maximumMemoryByteCount = 2 << 30
    /// Whether a system that offers only a part of the sandbox is refused; false by default. See ``missingProtections()``.
    public var isStrict = false
    /// The program that is started as a worker; `nil`, the default, starts the running one. Such a program calls
    /// ``DecodeWorker/runIfRequested(codecs:)`` first, and may bring decoders of its own.
    public var workerPath: String?
    /// Creates a setting for a scope, with the default bounds.
    public init(scope: Scope) { self.scope = scope }

    /// Decodes everything in this process.
    public static let none = DecodeIsolation(scope: .none)
    /// Decodes SVG, HEIC, AVIF, JPEG XL and TIFF in workers.
    public static let automatic = DecodeIsolation(scope: .automatic)
    /// Decodes everything in workers.
    public static let all = DecodeIsolation(scope: .all)

    /// Returns whether a format is decoded in a worker.
    func includes(_ format: ImageFormat) -> Bool {
        switch scope {
        case .none: false
        case .automatic: [.svg, .heic, .avif, .jxl, .tiff].contains(format)
        case .all: true
        case .formats(let formats): formats.contains(format)
        }
    }

    /// Returns the parts of the sandbox that this system does not offer, each in a few words; empty if it is whole.
    ///
    /// Starts a worker to find out, and blocks until it is there.
    ///
    /// - Throws: `ImagingError` if no worker can be started.
    public func missingProtections() throws -> [String] { try DecodeWorkerPool.pool(for: self).missingProtections() }
}
