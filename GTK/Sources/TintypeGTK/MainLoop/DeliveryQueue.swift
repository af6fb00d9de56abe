import CGTK
import Tintype

/// Hands results to the main thread in portions, so that a burst of them never costs frames.
///
/// The main actor's own queue is drained whole at each wake-up: 800 results of 3 ms stop the screen for 2.4 s. This queue
/// works for `budget` at a time and lets the loop draw in between.
public final class DeliveryQueue: Sendable {
    /// What the bindings of this process use.
    public static let shared = DeliveryQueue()

    private struct State {
        /// Those before `next` have run and are given up.
        var jobs: [(@MainActor () -> Void)?] = []
        var next = 0
        var isScheduled = false

        mutating func takeNext() -> (@MainActor () -> Void)? {
            guard next < jobs.count else {
                jobs.removeAll(keepingCapacity: jobs.count < 1024)
                next = 0
                isScheduled = false
                return nil
            }
            defer {
                jobs[next] = nil
                next += 1
            }
            return jobs[next]
        }
    }

    private let state = Locked(State())
    private let budgetNanoseconds: UInt64

    /// - Parameter budget: time for jobs before the loop gets its turn; 4 ms by default, a quarter of a frame at 60 Hz.
    public init(budget: Duration = .milliseconds(4)) {
        let (seconds, attoseconds) = budget.components
        budgetNanoseconds = UInt64(max(0, seconds)) * 1_000_000_000 + UInt64(max(0, attoseconds)) / 1_000_000_000
    }

    /// Runs `job` on the main thread soon, after the jobs that were submitted before it. Any thread may call it.
    public func submit(_ job: @escaping @MainActor () -> Void) {
        let schedules = state.withLock { state in
            state.jobs.append(job)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if schedules { schedule() }
    }

    private func schedule() {
        let run: @convention(c) (gpointer?) -> gboolean = { data in
            guard let data else { return gboolean(0) }
            let queue = Unmanaged<DeliveryQueue>.fromOpaque(data).takeUnretainedValue()
            return MainActor.assumeIsolated { queue.runPortion() } ? gboolean(1) : gboolean(0)
        }
        // Just below redrawing: a frame that is due is drawn before the next portion.
        g_idle_add_full(
            Int32(121), run, Unmanaged.passRetained(self).toOpaque(),
            { data in
                if let data { Unmanaged<DeliveryQueue>.fromOpaque(data).release() }
            })
    }

    /// Returns true while jobs are left.
    @MainActor private func runPortion() -> Bool {
        let start = monotonicNanoseconds()
        repeat {
            guard let job = state.withLock({ $0.takeNext() }) else { return false }
            job()
        } while monotonicNanoseconds() - start < budgetNanoseconds
        return true
    }
}
