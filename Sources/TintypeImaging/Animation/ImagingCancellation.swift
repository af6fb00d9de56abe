/// A check that ends work on many frames: it runs before each frame is decoded or encoded.
///
/// ```swift
/// import TintypeImaging
///
/// func encode(_ animation: AnimatedImage, isCancelled: @escaping @Sendable () -> Bool) throws -> Data {
///     try ImagingCancellation.withCheck {
///         if isCancelled() { throw CancellationError() }
///     } operation: {
///         try ImageCodecs.standard.encode(animation, as: .gif)
///     }
/// }
/// ```
public enum ImagingCancellation {
    @TaskLocal private static var current: (@Sendable () throws -> Void)?

    /// Runs `operation` on this thread; an error that `check` throws ends it.
    public static func withCheck<Result>(
        _ check: @escaping @Sendable () throws -> Void, operation: () throws -> Result
    ) rethrows -> Result {
        try $current.withValue(check, operation: operation)
    }

    /// Runs the caller's check.
    package static func check() throws { try current?() }
}
