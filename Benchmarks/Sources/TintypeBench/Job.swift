import Foundation

/// Something to measure, done by one contender. A process does one job, in the turns that it is given.
struct Job: Sendable {
    /// What is done, and by whom: the first two arguments of the command line.
    var name: String
    var by: String
    /// Makes everything ready; not measured.
    var prepare: @Sendable (Parameters) throws -> Work
}

/// What a turn runs.
struct Work {
    /// How many operations one run is; times are given for one operation.
    var operations = 1
    /// One run. Gives figures of its own, if it has any; `wall` and `cpu` among them, in seconds for the whole run,
    /// stand in place of what was measured around it.
    var run: () throws -> [String: Double]

    init(operations: Int = 1, _ run: @escaping () throws -> Void) {
        self.operations = operations
        self.run = {
            try run()
            return [:]
        }
    }

    /// Work that has figures of its own.
    static func withFigures(operations: Int = 1, _ run: @escaping () throws -> [String: Double]) -> Work {
        var work = Work(operations: operations) {}
        work.run = run
        return work
    }
}

/// The arguments KEY=VALUE.
struct Parameters: Sendable {
    var values: [String: String] = [:]

    struct Missing: Error { var key: String }

    func text(_ key: String) throws -> String {
        guard let value = values[key] else { throw Missing(key: key) }
        return value
    }

    func number(_ key: String) throws -> Int {
        guard let value = Int(try text(key)) else { throw Missing(key: key) }
        return value
    }

    /// Nil if it is not given.
    func optionalNumber(_ key: String) -> Int? { values[key].flatMap { Int($0) } }

    func data(_ key: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: text(key))) }
}
