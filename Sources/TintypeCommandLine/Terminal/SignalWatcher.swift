import TintypeBase

/// Turns SIGINT, SIGTERM and SIGHUP into calls on a dedicated thread.
///
/// Signal handlers may call few functions, a thread in sigtimedwait(2) any. The signals are blocked before
/// any other thread starts, so that all threads inherit the mask.
///
/// The process ends within two seconds after a signal, even if a decoder or an `open` cannot be cancelled.
enum SignalWatcher {
    enum Request: Sendable {
        /// Cancel all work.
        case interrupt
        /// Finish running work, start no more.
        case terminate
        /// Report the results without waiting for the rest.
        case abandon
    }

    /// The steps after the first signal.
    private static let gracePeriod = Duration.milliseconds(700)
    private static let cancellationPeriod = Duration.milliseconds(700)
    private static let reportPeriod = Duration.milliseconds(300)

    private static let handler = Locked<(@Sendable (Request) -> Void)?>(nil)

    /// Call once, first thing in `main`.
    static func start() {
        var signals = sigset_t()
        sigemptyset(&signals)
        // Shells and nohup ignore signals on purpose for background jobs.
        for number in [SIGINT, SIGTERM, SIGHUP] where !isIgnored(number) { sigaddset(&signals, number) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        let watched = signals
        startDetachedThread(name: "tintype-signals", stackSize: 256 << 10) { watch(watched) }
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        let handler = action.__sigaction_handler.sa_handler
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Sets the handler. Without one, and at the second signal, the process ends at once and leaves no partial files.
    static func handle(_ body: (@Sendable (Request) -> Void)?) { handler.withLock { $0 = body } }

    private static func watch(_ signals: sigset_t) -> Never {
        let first = wait(signals, nil) ?? SIGTERM
        let status: ExitStatus = first == SIGINT ? .interrupted : .terminated
        var steps: [(Request, Duration)] = [(.interrupt, cancellationPeriod), (.abandon, reportPeriod)]
        if first != SIGINT { steps.insert((.terminate, gracePeriod), at: 0) }
        for (request, period) in steps {
            guard let handler = handler.withLock({ $0 }) else { break }
            handler(request)
            if wait(signals, period) != nil { break }
        }
        Cleanup.leave(status)
    }

    /// Returns the signal that came, or nil after the time.
    private static func wait(_ signals: sigset_t, _ period: Duration?) -> Int32? {
        var signals = signals
        let end = period.map { ContinuousClock.now.advanced(by: $0) }
        while true {
            var number: Int32 = -1
            if let end {
                let seconds = max(0, ContinuousClock.now.duration(to: end).inSeconds)
                var time = timespec(tv_sec: Int(seconds), tv_nsec: Int((seconds - seconds.rounded(.down)) * 1e9))
                number = sigtimedwait(&signals, nil, &time)
                if number < 0, errno == EAGAIN { return nil }
            } else {
                number = sigwaitinfo(&signals, nil)
            }
            if number > 0 { return number }
        }
    }
}
