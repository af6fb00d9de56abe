import CCurl
import CCurlShim
import TintypeBase

/// The transfer thread: queue, running transfers, deadlines. Only that thread uses it, so it needs no lock.
final class CurlLoop {
    let engine: CurlEngine
    let multi: MultiHandle
    var queue: TransferQueue
    var runs: [UInt64: TransferRun] = [:]
    var active: [UnsafeMutableRawPointer: TransferRun] = [:]
    var idleHandles: [CurlHandle] = []
    var resumeStore: ResumeStore
    private var bucket: TokenBucket?
    private var isSuspended = false
    private var isOwned = true
    private var shutdownDeadline: UInt64?
    private var shutdownCompletions: [@Sendable () -> Void] = []
    /// The number of running transfers whose servers send nothing.
    var stalledCount = 0
    /// The time of the earliest deadline, in monotonic nanoseconds.
    var nextCheck: UInt64 = .max
    /// The time when the rate limit lets the next transfer start.
    private var nextToken: UInt64?

    var configuration: ImageDownloader.Configuration { engine.configuration }

    init(engine: CurlEngine, multi: MultiHandle) {
        self.engine = engine
        self.multi = multi
        let configuration = engine.configuration
        queue = TransferQueue(
            maximumRunning: max(1, configuration.maximumConcurrentTransfers),
            maximumPerHost: max(1, configuration.maximumPerHost), order: configuration.order)
        resumeStore = ResumeStore(byteLimit: configuration.resumeByteLimit)
        bucket = configuration.rateLimit.map { TokenBucket($0, now: monotonicNanoseconds()) }
        configureMulti()
    }

    func run() {
        while true {
            handleCommands()
            // A started transfer may end at once, and let another start. Commands come first, so that the choice
            // includes all transfers that were enqueued before.
            repeat {
                perform()
                checkDeadlines()
                handleCommands()
            } while startWaiting()
            if isDone, engine.close(permanently: true) { break }
            var events: Int32 = 0
            curl_multi_poll(multi.pointer, nil, 0, pollTimeout(), &events)
        }
        for completion in shutdownCompletions { completion() }
    }

    private var isDone: Bool { runs.isEmpty && (shutdownDeadline != nil || !isOwned) }

    private func handleCommands() {
        for command in engine.takeCommands() { handle(command) }
    }

    private func handle(_ command: CurlEngine.Command) {
        switch command {
        case .submit(let transfer, let request): submit(transfer, request)
        case .cancel(let transfer): drop(transfer.id)
        case .priorityChanged(let transfer): queue.setPriority(transfer.priority, of: transfer.id)
        case .readerAttached(let transfer):
            guard let run = runs[transfer.id] else { return }
            run.hasReader = true
            run.pushToReader()
        case .bodyWanted(let transfer): resumeBody(runs[transfer.id])
        case .headDecided(let transfer, let decision): headDecided(runs[transfer.id], decision)
        case .redirectDecided(let transfer, let decision):
            guard let run = runs[transfer.id], run.stage == .deciding else { return }
            redirectDecided(run, decision)
        case .challengeDecided(let transfer, let decision):
            guard let run = runs[transfer.id], run.stage == .deciding else { return }
            challengeDecided(run, decision)
        case .retry(let transfer, let attempt):
            guard let run = runs[transfer.id], run.stage == .backingOff, run.retries == attempt else { return }
            enqueue(run, isUrgent: true)
        case .suspend(let value): isSuspended = value
        case .minimumPriority(let value): queue.minimumPriority = value
        case .limits(let running, let perHost):
            queue.maximumRunning = max(1, running)
            queue.maximumPerHost = max(1, perHost)
            configureMulti()
        case .cancelAll: cancel(where: { _ in true })
        case .shutdown(let grace, let completion):
            shutdownCompletions.append(completion)
            let deadline = monotonicNanoseconds() &+ grace.clampedNanoseconds
            shutdownDeadline = min(shutdownDeadline ?? .max, deadline)
            isSuspended = false
            queue.minimumPriority = .veryLow
            cancel(where: { !$0.request.continuesInBackground })
            nextCheck = 0
        case .ownerGone: isOwned = false
        }
    }

    private func submit(_ transfer: HTTPTransfer, _ request: DownloadRequest) {
        guard !transfer.isFinished else { return }
        guard shutdownDeadline == nil else {
            transfer.end(.failure(.cancelled))
            return
        }
        do {
            let url = try request.webURL()
            if let problem = Self.problem(with: request) { throw NetworkingError.invalidRequest(problem) }
            let run = TransferRun(
                transfer: transfer, request: request, url: url, credential: credential(for: request, url: url))
            runs[transfer.id] = run
            enqueue(run)
        } catch let error as NetworkingError {
            transfer.end(.failure(error))
        } catch {
            transfer.end(.failure(.invalidRequest("\(error)")))
        }
    }

    private static func problem(with request: DownloadRequest) -> String? {
        if request.method.isEmpty || !request.method.utf8.allSatisfy(isTokenByte) {
            return "\"\(request.method)\" is not a method"
        }
        if request.blocksPrivateAddresses, case .url = request.proxy {
            return "addresses cannot be checked through a proxy: remove the proxy or the check"
        }
        return request.headers.sendingProblem
    }

    private func credential(for request: DownloadRequest, url: WebURL) -> HTTPCredential? {
        if let credential = request.credential { return credential }
        if let user = url.user { return HTTPCredential(user: user, password: url.password ?? "") }
        return configuration.credentials.credential(for: url)
    }

    func enqueue(_ run: TransferRun, isUrgent: Bool = false) {
        run.stage = .queued
        queue.enqueue(run.transfer.id, host: run.url.authority, priority: run.transfer.priority, isUrgent: isUrgent)
    }

    private func perform() {
        var stillRunning: Int32 = 0
        curl_multi_perform(multi.pointer, &stillRunning)
        reap()
    }

    /// Starts transfers; returns false if none may start.
    private func startWaiting() -> Bool {
        nextToken = nil
        guard !isSuspended, queue.waitingCount > 0 else { return false }
        let now = monotonicNanoseconds()
        var hasStarted = false
        while true {
            if let time = bucket?.nextToken(now: now) {
                nextToken = time
                break
            }
            // Stalled transfers do not count, but the number of sockets is bounded.
            let lent = min(stalledCount, 3 * queue.maximumRunning)
            guard let id = queue.next(idling: lent) else { break }
            guard let run = runs[id] else { continue }
            _ = bucket?.take(now: now)
            start(run, now: now)
            hasStarted = true
        }
        if queue.waitingCount > 0, !active.isEmpty {
            nextCheck = min(nextCheck, now + configuration.stallTolerance.clampedNanoseconds)
        }
        return hasStarted
    }

    private func pollTimeout() -> Int32 {
        let wake = min(nextCheck, nextToken ?? .max, shutdownDeadline ?? .max)
        let now = monotonicNanoseconds()
        guard wake > now else { return 0 }
        // Rounded up, or the loop would spin through the last millisecond.
        return Int32(min((wake - now) / 1_000_000 + 1, 60_000))
    }

    /// Cancels the matching transfers.
    func cancel(where matches: (TransferRun) -> Bool) {
        for run in runs.values where matches(run) {
            run.transfer.end(.failure(.cancelled))
            drop(run.transfer.id)
        }
    }

    /// Cancels all transfers after the grace period of a shutdown.
    func checkShutdown(now: UInt64) {
        if let deadline = shutdownDeadline, now >= deadline { cancel(where: { _ in true }) }
    }
}
