import TintypeBase

/// A cached value that can free its content while it is not in use, like `NSDiscardableContent`.
///
/// Users call `beginContentAccess` before and `endContentAccess` after their work. A ``MemoryCache`` calls
/// `discardContentIfPossible` on memory pressure, before it evicts anything. A value whose content is gone is a miss: the
/// entry is removed with the reason ``EvictionReason/discarded``. All members may be called from any thread, never under
/// the lock of the cache.
public protocol DiscardableContent: AnyObject, Sendable {
    /// Returns false when the content is already gone.
    func beginContentAccess() -> Bool
    func endContentAccess()
    /// Frees the content unless it is in use.
    func discardContentIfPossible()
    var isContentDiscarded: Bool { get }
}

/// A counted ``DiscardableContent`` around any value.
///
/// The content is in use from `beginContentAccess` to the matching `endContentAccess`; a new box starts unused.
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
