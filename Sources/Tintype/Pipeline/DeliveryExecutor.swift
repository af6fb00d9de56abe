import TintypeBase

/// Where callbacks run.
public struct DeliveryExecutor: Sendable {
    let run: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// - Parameter run: gets each callback and runs it soon, in the order given: on the main loop of a toolkit, a
    ///   queue, an actor.
    public init(_ run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.run = run }

    /// On whichever thread brings the news, at once; the callback must be quick. A memory hit calls back before the call
    /// returns.
    public static let immediate = DeliveryExecutor { $0() }

    /// On the main actor, one after the other.
    public static let mainActor: DeliveryExecutor = {
        let (stream, continuation) = AsyncStream.makeStream(of: (@Sendable () -> Void).self)
        Task { @MainActor in
            for await callback in stream { callback() }
        }
        return DeliveryExecutor { continuation.yield($0) }
    }()
}
