import TintypeBase

/// Gives a caller's loader the guards of the built-in one: status, content type, body limit, total timeout, retries and,
/// for addresses that stand in a URL, the address policy.
struct GuardedLoader: Sendable {
    let base: any ImageLoader
    var clock = RetryClock.system

    func load(_ request: DownloadRequest, context: LoadContext) async throws -> (Data, DownloadResponse) {
        try refusePrivateAddress(request.url, request)
        let attempts = LoaderRun()
        return try await attempts.run(limit: request.timeouts.total) { [self] in
            var retries = 0
            while true {
                do {
                    let (data, response) = try await attempt(request, context, attempts)
                    return (data, response.adding(attempts: retries))
                } catch let error as NetworkingError {
                    guard
                        let delay = request.retry.delay(
                            after: error, retries: retries, random: clock.random(), now: clock.now())
                    else { throw error }
                    retries += 1
                    try await clock.sleep(delay)
                }
            }
        }
    }

    private func attempt(_ request: DownloadRequest, _ context: LoadContext, _ run: LoaderRun) async throws
        -> (Data, DownloadResponse)
    {
        // Retries are made here; a loader that wraps the downloader must not make its own on top of them.
        var single = request
        single.retry = .none
        let limit = request.maximumBodyByteCount
        let body = PartialBody()
        let limited = LoadContext(
            control: context.control,
            send: { event in
                let isTooLarge =
                    switch event {
                    case .progress(let progress): max(progress.received, progress.total ?? 0) > limit
                    case .partialBody: body.count > limit
                    case .preview: false
                    }
                guard !isTooLarge else { return run.fail(NetworkingError.bodyTooLarge(limit: limit)) }
                context.send(event)
            }, body: body)
        let (data, response) = try await base.load(single, context: limited)
        try refusePrivateAddress(response.finalURL, request)
        guard response.status != 304 else { return (data, response) }
        guard request.acceptedStatusCodes.contains(response.status) else {
            throw NetworkingError.badStatus(response.status, headers: response.headers)
        }
        if let problem = request.contentTypeProblem(response.headers) { throw problem }
        guard data.count <= limit else { throw NetworkingError.bodyTooLarge(limit: limit) }
        return (data, response)
    }

    /// Names are not looked up here: a loader that connects by name checks the address itself.
    private func refusePrivateAddress(_ text: String, _ request: DownloadRequest) throws {
        // A loader may name a source in its own way; only a URL has an address.
        guard request.blocksPrivateAddresses, let url = try? WebURL(text), let address = url.address,
            address.isSpecialPurpose
        else { return }
        throw NetworkingError.blockedAddress(host: text, address: "\(address)")
    }
}

/// One load by a caller's loader, which ends in time even if the loader does not.
private final class LoaderRun: Sendable {
    private struct State {
        var continuation: CheckedContinuation<(Data, DownloadResponse), any Error>?
        var work: Task<Void, Never>?
        var timer: Task<Void, Never>?
        var early: (any Error)?
        var hasEnded = false
    }

    private let state = Locked(State())

    func run(limit: Duration?, _ body: @escaping @Sendable () async throws -> (Data, DownloadResponse)) async throws
        -> (
            Data, DownloadResponse
        )
    {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let early = state.withLock { state in
                    if state.early == nil { state.continuation = continuation }
                    return state.early
                }
                if let early { return continuation.resume(throwing: early) }
                // Not detached: the loader sees the task-local values of the load.
                let work = Task {
                    do { end(.success(try await body())) } catch { end(.failure(error)) }
                }
                let timer = limit.map { limit in
                    Task {
                        do { try await Task.sleep(for: limit) } catch { return }
                        fail(NetworkingError.timedOut(.total, limit: limit.inSeconds))
                    }
                }
                let hasEnded = state.withLock { state in
                    if !state.hasEnded { (state.work, state.timer) = (work, timer) }
                    return state.hasEnded
                }
                if hasEnded {
                    work.cancel()
                    timer?.cancel()
                }
            }
        } onCancel: {
            fail(CancellationError())
        }
    }

    func fail(_ error: any Error) { end(.failure(error)) }

    private func end(_ result: Result<(Data, DownloadResponse), any Error>) {
        let ended = state.withLock { state -> State? in
            guard !state.hasEnded else { return nil }
            guard state.continuation != nil else {
                if case .failure(let error) = result { state.early = error }
                return nil
            }
            let ended = state
            state = State(hasEnded: true)
            return ended
        }
        guard let ended else { return }
        ended.work?.cancel()
        ended.timer?.cancel()
        ended.continuation?.resume(with: result)
    }
}

extension DownloadResponse {
    fileprivate func adding(attempts count: Int) -> DownloadResponse {
        DownloadResponse(
            status: status, headers: headers, finalURL: finalURL, redirectCount: redirectCount, metrics: metrics,
            attempts: attempts + count)
    }
}
