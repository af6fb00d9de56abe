import CCurl
import CCurlShim
import TintypeBase

/// The command queue of the transfer thread. Commands come from any thread; the thread starts with the first one.
///
/// After a fork the child has no such thread; the first command there starts a new one.
final class CurlEngine: Sendable {
    enum Command: Sendable {
        case submit(HTTPTransfer, DownloadRequest)
        case cancel(HTTPTransfer)
        case priorityChanged(HTTPTransfer)
        case readerAttached(HTTPTransfer)
        case bodyWanted(HTTPTransfer)
        case headDecided(HTTPTransfer, Result<ResponseHead?, NetworkingError>)
        case redirectDecided(HTTPTransfer, Result<Redirect?, NetworkingError>)
        case challengeDecided(HTTPTransfer, Result<HTTPCredential?, NetworkingError>)
        case retry(HTTPTransfer, attempt: Int)
        case suspend(Bool)
        case minimumPriority(TransferPriority)
        case limits(running: Int, perHost: Int)
        case cancelAll
        case shutdown(grace: Duration, @Sendable () -> Void)
        case ownerGone
    }

    private struct State {
        var inbox: [Command] = []
        var multi: MultiHandle?
        var process: pid_t = 0
        var isClosed = false
    }

    let configuration: ImageDownloader.Configuration
    private let state = Locked(State())

    init(_ configuration: ImageDownloader.Configuration) {
        self.configuration = configuration
    }

    func post(_ command: Command) {
        enum Next {
            case nothing
            case refuse
            case fail
            case wake(MultiHandle)
            case start
        }
        let process = getpid()
        let next: Next = state.withLock { state in
            if state.isClosed { return .refuse }
            if state.multi != nil && state.process == process {
                state.inbox.append(command)
                // The thread takes all commands at once: only the first one has to wake it.
                return state.inbox.count == 1 ? state.multi.map { .wake($0) } ?? .nothing : .nothing
            }
            if case .ownerGone = command {
                state.isClosed = true
                return .nothing
            }
            if state.multi != nil {
                // A child of fork. Its copy of the parent's handle must not be touched: the sockets are shared.
                _ = state.multi.map { Unmanaged.passRetained($0) }
                state.inbox = []
            }
            guard let multi = MultiHandle() else {
                state.multi = nil
                return .fail
            }
            state.inbox.append(command)
            state.process = process
            state.multi = multi
            return .start
        }
        switch next {
        case .nothing: break
        case .refuse: Self.refuse(command)
        case .wake(let multi): multi.wake()
        case .fail: Self.fail(command)
        case .start: startThread()
        }
    }

    /// Returns the commands since the last call.
    func takeCommands() -> [Command] {
        state.withLock { state in
            defer { state.inbox.removeAll(keepingCapacity: state.inbox.count < 4096) }
            return state.inbox
        }
    }

    /// Closes the queue before the thread ends; returns false if there is a command. Later commands are refused
    /// (`permanently`) or start a new thread.
    func close(permanently: Bool) -> Bool {
        state.withLock { state in
            guard state.inbox.isEmpty else { return false }
            state.isClosed = permanently
            state.multi = nil
            return true
        }
    }

    private func startThread() {
        guard let multi = state.withLock({ $0.multi }) else { return }
        let hasStarted = startDetachedThread(name: "tintype-http", stackSize: 1 << 20) {
            CurlLoop(engine: self, multi: multi).run()
        }
        guard !hasStarted else { return }
        let commands = state.withLock { state in
            defer { state.inbox = [] }
            state.multi = nil
            return state.inbox
        }
        for command in commands { Self.fail(command) }
    }

    /// Fails a command for lack of descriptors, threads or memory. The next command tries again.
    private static func fail(_ command: Command) {
        guard case .submit(let transfer, let request) = command else {
            refuse(command)
            return
        }
        let host = (try? WebURL(request.url))?.authority ?? ""
        let detail = "the process is out of file descriptors, threads or memory"
        transfer.end(.failure(.connectionFailed(.connect, host: host, detail: detail)))
    }

    /// Ends a command that came after the end.
    private static func refuse(_ command: Command) {
        switch command {
        case .submit(let transfer, _): transfer.end(.failure(.cancelled))
        case .shutdown(_, let completion): completion()
        default: break
        }
    }
}

/// A libcurl multi handle. Only ``wake()`` may be called from other threads than the transfer thread.
final class MultiHandle: @unchecked Sendable {
    // libcurl allows curl_multi_wakeup from any thread; everything else is done by the one transfer thread.
    let pointer: UnsafeMutableRawPointer

    private static let globalSetUp: Void = {
        curl_global_init(Int(CURL_GLOBAL_ALL))
        // Writing to a closed connection must be an error of that transfer and not end the process. A handler of the
        // program is not replaced.
        var current = sigaction()
        sigaction(SIGPIPE, nil, &current)
        if isDefaultHandler(current) { signal(SIGPIPE, SIG_IGN) }
    }()

    /// Nil if the process is out of memory or file descriptors. A handle without a descriptor for waking would not notice
    /// its commands.
    init?() {
        _ = Self.globalSetUp
        guard let multi = curl_multi_init() else { return nil }
        guard curl_multi_wakeup(multi) == CURLM_OK else {
            curl_multi_cleanup(multi)
            return nil
        }
        pointer = multi
    }

    deinit {
        curl_multi_cleanup(pointer)
    }

    func wake() {
        curl_multi_wakeup(pointer)
    }

    private static func isDefaultHandler(_ action: sigaction) -> Bool {
        #if canImport(Glibc)
            unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 0
        #else
            unsafeBitCast(action.__sigaction_u.__sa_handler, to: Int.self) == 0
        #endif
    }
}
