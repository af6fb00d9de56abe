import Foundation

/// Runs a body again and again and prints one JSON line with the median and the least of its times.
struct Measurement {
    /// For how long a case is repeated.
    var secondsForCase = 0.5
    /// Only cases whose names contain this are run.
    var filter = ""
    var subject = ""
    /// Where the request traces for `hitratio` lie.
    var traces: String?
    /// Where `disk` puts its files.
    var folder: String?

    /// Times `body` after one warming run. `wall` is what a user waits, `cpu` the time of this thread: on a busy machine
    /// the second one is what can be compared.
    mutating func measure(_ name: String, _ body: () throws -> Void) rethrows {
        guard filter.isEmpty || name.contains(filter) else { return }
        try body()
        var walls: [Double] = []
        var cpus: [Double] = []
        let end = now(CLOCK_MONOTONIC) + secondsForCase
        while walls.count < 5 || now(CLOCK_MONOTONIC) < end {
            let wall = now(CLOCK_MONOTONIC)
            let cpu = now(CLOCK_THREAD_CPUTIME_ID)
            try body()
            cpus.append(now(CLOCK_THREAD_CPUTIME_ID) - cpu)
            walls.append(now(CLOCK_MONOTONIC) - wall)
        }
        let line =
            """
            {"subject":"\(subject)","case":"\(name)","by":"tintype","runs":\(walls.count),\
            "wall_ms":\(median(walls)),"wall_min_ms":\(least(walls)),"cpu_ms":\(median(cpus)),\
            "cpu_min_ms":\(least(cpus))}
            """
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    private func now(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private func median(_ seconds: [Double]) -> String { milliseconds(seconds.sorted()[seconds.count / 2]) }

    private func least(_ seconds: [Double]) -> String { milliseconds(seconds.min() ?? 0) }

    private func milliseconds(_ seconds: Double) -> String { String(format: "%.4f", seconds * 1000) }
}
