import TintypeBase

/// A value that can give up its content while it lies in a ``MemoryCache`` and nobody uses it
/// (the idea of `NSDiscardableContent`).
///
/// A user brackets its work with `beginContentAccess` and `endContentAccess`. The cache calls
/// `discardContentIfPossible` on memory pressure, before it evicts anything, and treats a value whose content
/// is gone as a miss: the entry is removed with the reason ``EvictionReason/discarded``.
/// All members may be called from any thread, never under the lock of the cache.
public protocol DiscardableContent: AnyObject, Sendable {
    /// Returns false when the content is already gone.
    func beginContentAccess() -> Bool
    func endContentAccess()
    /// Gives up the content unless somebody is using it.
    func discardContentIfPossible()
    var isContentDiscarded: Bool { get }
}

/// A counted ``DiscardableContent`` around any value.
///
/// The content counts as used from `beginContentAccess` to the matching `endContentAccess`;
/// a new box starts unused.
public final class DiscardableBox<Content: Sendable>: DiscardableContent {
    private let state: Locked<(content: Content?, users: Int)>

    public init(_ content: Content) {
        state = Locked((content, 0))
    }

    public func beginContentAccess() -> Bool {
        state.withLock { state in
            guard state.content != nil else { return false }
            state.users += 1
            return true
        }
    }

    public func endContentAccess() {
        state.withLock { $0.users = max(0, $0.users - 1) }
    }

    public func discardContentIfPossible() {
        // The content is released after the lock.
        let released = state.withLock { state -> Content? in
            guard state.users == 0 else { return nil }
            defer { state.content = nil }
            return state.content
        }
        withExtendedLifetime(released) {}
    }

    public var isContentDiscarded: Bool { state.withLock { $0.content == nil } }

    /// Runs `body` with the content held, or returns nil when it is gone.
    public func withContent<Result>(_ body: (Content) throws -> Result) rethrows -> Result? {
        guard beginContentAccess() else { return nil }
        defer { endContentAccess() }
        guard let content = state.withLock({ $0.content }) else { return nil }
        return try body(content)
    }
}
