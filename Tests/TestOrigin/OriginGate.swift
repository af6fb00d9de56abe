import TintypeBase

/// Holds responses back until a test opens it.
public final class OriginGate: Sendable {
    private let isOpenNow = Locked(false)

    public init() {}

    public func open() { isOpenNow.withLock { $0 = true } }

    public var isOpen: Bool { isOpenNow.withLock { $0 } }
}
