import Synchronization

/// Tells work that runs on a thread of its own that nobody waits for it any more.
final class CancellationFlag: Sendable {
    private let flag = Atomic(false)

    var isSet: Bool { flag.load(ordering: .relaxed) }
    func check() throws(CancellationError) { if isSet { throw CancellationError() } }
    func set() { flag.store(true, ordering: .relaxed) }
}
