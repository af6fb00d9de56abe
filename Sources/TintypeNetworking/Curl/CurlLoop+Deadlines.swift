import CCurl
import TintypeBase

extension CurlLoop {
    /// Ends transfers past a deadline, and marks stalled ones. Does nothing before the earliest deadline.
    func checkDeadlines() {
        let now = monotonicNanoseconds()
        checkShutdown(now: now)
        guard now >= nextCheck else { return }
        nextCheck = .max
        let stall = configuration.stallTolerance.clampedNanoseconds
        let watchesStalls = queue.waitingCount > 0
        var late: [(TransferRun, NetworkingError)] = []
        for run in runs.values where run.startedAt != 0 {
            if now >= run.totalDeadline {
                late.append((run, .timedOut(.total, limit: run.request.timeouts.total?.inSeconds ?? 0)))
                continue
            }
            nextCheck = min(nextCheck, run.totalDeadline)
            guard run.stage == .running, let handle = run.handle else { continue }
            if watchesStalls { note(now - min(now, run.hop.lastActivity) >= stall, run) }
            // A paused transfer waits for its reader, not for the server.
            guard !run.hop.isPaused, run.hop.heldCode == nil, let idleSince = idleStart(run, handle, now: now) else {
                continue
            }
            let deadline = idleSince &+ run.request.timeouts.idle.clampedNanoseconds
            if now >= deadline {
                late.append((run, .timedOut(.idle, limit: run.request.timeouts.idle.inSeconds)))
            } else {
                nextCheck = min(nextCheck, deadline)
            }
        }
        if watchesStalls, !active.isEmpty { nextCheck = min(nextCheck, now + max(stall / 2, 1_000_000)) }
        // A transfer that is still connecting has no idle deadline yet.
        if !active.isEmpty { nextCheck = min(nextCheck, now + 250_000_000) }
        for (run, error) in late { endLate(run, error) }
    }

    private func note(_ isStalled: Bool, _ run: TransferRun) {
        guard run.hop.isStalled != isStalled else { return }
        run.hop.isStalled = isStalled
        stalledCount += isStalled ? 1 : -1
    }

    /// Returns when the time without a byte began; nil while connecting, which has a deadline of its own.
    private func idleStart(_ run: TransferRun, _ handle: CurlHandle, now: UInt64) -> UInt64? {
        let connected = handle.offset(CURLINFO_PRETRANSFER_TIME_T)
        guard connected > 0 else { return nil }
        if run.sendsBody {
            // While the server receives a body, it has no reason to send.
            let sent = handle.offset(CURLINFO_SIZE_UPLOAD_T)
            if sent != run.hop.sentCount {
                run.hop.sentCount = sent
                run.hop.lastActivity = now
            }
        }
        return max(run.hop.lastActivity, run.hop.startedAt &+ UInt64(connected) &* 1000)
    }

    private func endLate(_ run: TransferRun, _ error: NetworkingError) {
        switch run.stage {
        case .running:
            releaseHandle(run)
            settle(run, .failed(error))
        case .queued:
            queue.remove(run.transfer.id)
            end(run, error)
        case .deciding, .backingOff: end(run, error)
        }
    }
}
