import Synchronization

/// A flag that tells blocking work that it is cancelled.
package final class CancellationFlag: Sendable {
    private let flag = Atomic(false)

    package init() {}

    /// Whether the work is cancelled.
    package var isSet: Bool { flag.load(ordering: .relaxed) }

    /// Throws `CancellationError` if the work is cancelled.
    package func check() throws(CancellationError) { if isSet { throw CancellationError() } }

    /// Cancels the work.
    package func set() { flag.store(true, ordering: .relaxed) }
}
