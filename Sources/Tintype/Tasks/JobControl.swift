import TintypeBase

/// What the body of a job sees of its waiters: their merged interest, and every change of it.
final class JobControl: Sendable {
    private struct State {
        var interest: Interest
        var version: UInt64 = 0
        var observers: [UInt64: @Sendable (Interest, UInt64) -> Void] = [:]
        var nextObserver: UInt64 = 0
    }

    private let state: Locked<State>

    init(_ interest: Interest) { state = Locked(State(interest: interest)) }

    var interest: Interest { state.withLock { $0.interest } }

    /// Changes reach the observers in any order when several threads make them; the version says which is newer.
    func update(_ interest: Interest, version: UInt64) {
        let observers = state.withLock { state -> [@Sendable (Interest, UInt64) -> Void] in
            guard version > state.version else { return [] }
            state.version = version
            guard state.interest != interest else { return [] }
            state.interest = interest
            return Array(state.observers.values)
        }
        for observer in observers { observer(interest, version) }
    }

    /// Calls `body` with the interest of now, and again at each change, until `stopObserving`.
    func observe(_ body: @escaping @Sendable (Interest, UInt64) -> Void) -> UInt64 {
        let (id, interest, version) = state.withLock { state in
            let id = state.nextObserver
            state.nextObserver += 1
            state.observers[id] = body
            return (id, state.interest, state.version)
        }
        body(interest, version)
        return id
    }

    func stopObserving(_ id: UInt64) {
        state.withLock { state in _ = state.observers.removeValue(forKey: id) }
    }
}
