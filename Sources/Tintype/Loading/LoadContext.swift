import TintypeBase

/// What a loader tells the pipeline while it works, and learns from it.
public struct LoadContext: Sendable {
    let control: JobControl
    let send: @Sendable (LoadEvent) -> Void
    let body: PartialBody

    /// The highest priority of all who wait.
    public var priority: ImagePriority { control.interest.priority }

    /// Whether anybody wants progress reports now.
    public var wantsProgress: Bool { !control.interest.demand.isDisjoint(with: [.progress, .previews]) }

    /// Whether anybody wants previews now, for which `didReceive(_:)` must be called with every byte from the first on.
    public var wantsPartialData: Bool { control.interest.demand.contains(.previews) }

    /// Calls `body` with the priority and whether progress and partial data are wanted, now and at each change, on any
    /// thread, until `stopObserving`.
    public func observe(_ body: @escaping @Sendable (ImagePriority, _ wantsProgress: Bool, _ wantsData: Bool) -> Void)
        -> UInt64
    {
        control.observe { interest, _ in
            body(
                interest.priority, !interest.demand.isDisjoint(with: [.progress, .previews]),
                interest.demand.contains(.previews))
        }
    }

    public func stopObserving(_ id: UInt64) { control.stopObserving(id) }

    /// Reports how far the transfer is.
    public func didMakeProgress(_ progress: TransferProgress) { send(.progress(progress)) }

    /// Hands over the next bytes for previews, in order and without gaps.
    public func didReceive(_ chunk: Data) {
        body.append(chunk)
        send(.partialBody(body))
    }
}
