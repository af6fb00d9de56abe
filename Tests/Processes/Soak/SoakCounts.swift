import Foundation
import TintypeBase

/// How the calls of a run ended.
final class SoakCounts: Sendable {
    struct Values: Sendable {
        var started = 0
        var ended = 0
        /// Callbacks after the first of a call.
        var endedAgain = 0
        var checked = 0
        /// Calls by treatment and code; the code of success is "".
        var ends: [String: [String: Int]] = [:]
        var sources: [String: Int] = [:]
        /// Wrong pixels, and ends that a treatment does not allow. Only the first are kept.
        var faults: [String] = []
        var faultCount = 0
    }

    private let state = Locked(Values())

    var values: Values { state.withLock { $0 } }

    func start() { state.withLock { $0.started += 1 } }

    func endAgain() { state.withLock { $0.endedAgain += 1 } }

    func end(_ what: String, code: String, source: String = "") {
        state.withLock { values in
            values.ended += 1
            values.ends[what, default: [:]][code, default: 0] += 1
            if !source.isEmpty { values.sources[source, default: 0] += 1 }
        }
    }

    func check(fault: String?) {
        state.withLock { $0.checked += 1 }
        if let fault { add(fault: fault) }
    }

    func add(fault: String) {
        state.withLock { values in
            values.faultCount += 1
            if values.faults.count < 20 { values.faults.append(fault) }
        }
    }
}
