import CGTK
import Tintype

/// Runs results on the main thread in portions, so that a burst does not drop frames.
///
/// The queue of the main actor is drained completely at each wake-up: 800 results of 3 ms block the screen for 2.4 s. This queue
/// works for `budget` at a time and lets the loop draw in between.
public final class DeliveryQueue: Sendable {
    /// The queue of all bindings of this process.
    public static let shared = DeliveryQueue()

    private struct State {
        /// Jobs before `next` have run.
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

    /// - Parameter budget: the time for jobs before the main loop continues; 4 ms by default, a quarter of a frame at 60 Hz.
    public init(budget: Duration = .milliseconds(4)) {
        let (seconds, attoseconds) = budget.components
        budgetNanoseconds = UInt64(max(0, seconds)) * 1_000_000_000 + UInt64(max(0, attoseconds)) / 1_000_000_000
    }

    /// Runs `job` on the main thread after the jobs that were submitted before it. May be called on any thread.
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

    /// Returns whether jobs remain.
    @MainActor private func runPortion() -> Bool {
        let start = monotonicNanoseconds()
        repeat {
            guard let job = state.withLock({ $0.takeNext() }) else { return false }
            job()
        } while monotonicNanoseconds() - start < budgetNanoseconds
        return true
    }
}
