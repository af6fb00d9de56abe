/// What one waiter, or all waiters of a job together, want of it.
struct Interest: Sendable, Equatable {
    struct Demand: OptionSet, Sendable {
        let rawValue: UInt8
        /// The bytes received so far are to be reported.
        static let progress = Demand(rawValue: 1)
        /// Images are to be shown before all bytes are there.
        static let previews = Demand(rawValue: 2)
        /// The result of this very job is to be kept in memory.
        static let memory = Demand(rawValue: 4)
        /// The original bytes are to be kept on disk.
        static let originalOnDisk = Demand(rawValue: 8)
        /// The encoded result of this very job is to be kept on disk.
        static let resultOnDisk = Demand(rawValue: 16)
        static let count = 5
    }

    var priority: ImagePriority
    var demand: Demand
}

/// Counts the waiters of each kind, so that the merged interest is known without asking them all.
struct InterestCounter: Sendable {
    private var priorities = (0, 0, 0, 0, 0)
    private var demands = (0, 0, 0, 0, 0)

    mutating func add(_ interest: Interest) { change(interest, by: 1) }
    mutating func remove(_ interest: Interest) { change(interest, by: -1) }

    private mutating func change(_ interest: Interest, by step: Int) {
        switch interest.priority {
        case .veryLow: priorities.0 += step
        case .low: priorities.1 += step
        case .normal: priorities.2 += step
        case .high: priorities.3 += step
        case .veryHigh: priorities.4 += step
        }
        if interest.demand.contains(.progress) { demands.0 += step }
        if interest.demand.contains(.previews) { demands.1 += step }
        if interest.demand.contains(.memory) { demands.2 += step }
        if interest.demand.contains(.originalOnDisk) { demands.3 += step }
        if interest.demand.contains(.resultOnDisk) { demands.4 += step }
    }

    /// The highest priority and every demand of those counted.
    var merged: Interest {
        var demand: Interest.Demand = []
        if demands.0 > 0 { demand.insert(.progress) }
        if demands.1 > 0 { demand.insert(.previews) }
        if demands.2 > 0 { demand.insert(.memory) }
        if demands.3 > 0 { demand.insert(.originalOnDisk) }
        if demands.4 > 0 { demand.insert(.resultOnDisk) }
        let priority: ImagePriority =
            if priorities.4 > 0 { .veryHigh } else if priorities.3 > 0 { .high } else if priorities.2 > 0 {
                .normal
            } else if priorities.1 > 0 { .low } else { .veryLow }
        return Interest(priority: priority, demand: demand)
    }
}
