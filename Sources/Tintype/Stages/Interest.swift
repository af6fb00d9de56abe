import TintypeBase

/// What one waiter, or all waiters of a job together, want of it.
struct Interest: Sendable, Equatable {
    struct Demand: OptionSet, Sendable {
        let rawValue: UInt8
        /// The bytes received so far are to be reported.
        static let progress = Demand(rawValue: 1)
        /// Images are to be shown before all bytes are there.
        static let previews = Demand(rawValue: 2)
        /// The result of this very job is to be cached in memory.
        static let memory = Demand(rawValue: 4)
        /// The original bytes are to be stored on disk.
        static let originalOnDisk = Demand(rawValue: 8)
        /// The encoded result of this very job is to be stored on disk.
        static let resultOnDisk = Demand(rawValue: 16)
        static let count = 5
    }

    var priority: ImagePriority
    var demand: Demand
}

/// Counts the waiters of each kind, so that the merged interest is known without a look at all of them.
struct InterestCounter: Sendable {
    private var priorities = SIMD8<Int32>()
    private var demands = SIMD8<Int32>()

    mutating func add(_ interest: Interest) { change(interest, by: 1) }
    mutating func remove(_ interest: Interest) { change(interest, by: -1) }

    private mutating func change(_ interest: Interest, by step: Int32) {
        priorities[interest.priority.rawValue] += step
        for bit in 0..<Interest.Demand.count where interest.demand.rawValue & (1 << bit) != 0 { demands[bit] += step }
    }

    /// The highest priority and every demand of those counted.
    var merged: Interest {
        var demand: Interest.Demand = []
        for bit in 0..<Interest.Demand.count where demands[bit] > 0 {
            demand.insert(Interest.Demand(rawValue: 1 << bit))
        }
        let highest = ImagePriority.allCases.last { priorities[$0.rawValue] > 0 }
        return Interest(priority: highest ?? .veryLow, demand: demand)
    }
}

/// What running work sees of its waiters: their merged interest, and every change of it.
final class WorkControl: Sendable {
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

    /// Calls `body` with the current interest, and again at each change, until `stopObserving`.
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
