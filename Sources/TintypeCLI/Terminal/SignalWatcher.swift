import TintypeBase

/// Turns SIGINT, SIGTERM and SIGHUP into calls, on a thread of its own.
///
/// Signal handlers may do next to nothing; a thread in sigwait(3) may do everything. The signals are blocked before any
/// other thread starts, so that all threads inherit the mask.
enum SignalWatcher {
    enum Request: Sendable {
        /// Stop now; what is half done goes.
        case interrupt
        /// Finish what runs, start nothing new.
        case terminate
    }

    private struct State {
        var handler: (@Sendable (Request) -> Void)?
        var count = 0
    }

    private static let state = Locked(State())

    /// Call once, first thing in `main`.
    static func start() {
        var signals = sigset_t()
        sigemptyset(&signals)
        // A shell that starts a job in the background, or nohup, has its reasons for ignoring SIGINT.
        for number in [SIGINT, SIGTERM, SIGHUP] where !isIgnored(number) { sigaddset(&signals, number) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        let watched = signals
        startDetachedThread(name: "tintype-signals", stackSize: 256 << 10) {
            var signals = watched
            while true {
                var number: Int32 = 0
                guard sigwait(&signals, &number) == 0 else { continue }
                receive(number == SIGINT ? .interrupt : .terminate)
            }
        }
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        #if canImport(Glibc)
            let handler = action.__sigaction_handler.sa_handler
        #else
            let handler = action.__sigaction_u.__sa_handler
        #endif
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Who is told. Without a handler, and at the second signal, the process ends at once, without partial files.
    static func handle(_ handler: (@Sendable (Request) -> Void)?) {
        state.withLock { state in
            state.handler = handler
            state.count = 0
        }
    }

    private static func receive(_ request: Request) {
        let handler = state.withLock { state -> (@Sendable (Request) -> Void)? in
            state.count += 1
            return state.count == 1 ? state.handler : nil
        }
        guard let handler else { Cleanup.leave(request == .interrupt ? .interrupted : .terminated) }
        handler(request)
    }
}
