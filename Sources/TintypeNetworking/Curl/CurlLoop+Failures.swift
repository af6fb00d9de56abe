import TintypeBase

extension CurlLoop {
    /// Retries a failed transfer after a wait, or ends it.
    func fail(_ run: TransferRun, _ error: NetworkingError) {
        let clock = configuration.retryClock
        guard run.isIdempotent || error.isBeforeSending, !run.transfer.isFinished,
            let delay = run.request.retry.delay(
                after: error, retries: run.retries, random: clock.random(), now: clock.now()),
            monotonicNanoseconds() &+ delay.clampedNanoseconds < run.totalDeadline
        else {
            end(run, error)
            return
        }
        run.retries += 1
        run.stage = .backingOff
        if run.resumePoint == nil || !run.mayResume || run.receivedCount == 0 { run.dropBody() }
        run.rewind()
        nextCheck = min(nextCheck, run.totalDeadline)
        let transfer = run.transfer
        let attempt = run.retries
        transfer.setHookTask(
            Task {
                // Throws if the transfer was cancelled; then no attempt is needed.
                guard (try? await clock.sleep(delay)) != nil else { return }
                transfer.engine.post(.retry(transfer, attempt: attempt))
            })
    }

    func end(_ run: TransferRun, _ error: NetworkingError) {
        runs[run.transfer.id] = nil
        keepBytes(run)
        run.transfer.end(.failure(error))
    }

    func redirect(_ run: TransferRun, to location: String) {
        guard run.redirectCount < run.request.maximumRedirects else {
            end(run, .tooManyRedirects(limit: run.request.maximumRedirects, lastURL: run.url.absoluteString))
            return
        }
        let step: Redirect
        do {
            step = try run.nextHop(location: location)
        } catch {
            end(run, error)
            return
        }
        guard let handler = run.request.hooks.redirectHandler else {
            follow(run, step)
            return
        }
        run.stage = .deciding
        nextCheck = min(nextCheck, run.totalDeadline)
        let transfer = run.transfer
        transfer.setHookTask(
            Task {
                let decision: Result<Redirect?, NetworkingError>
                do {
                    decision = .success(try await handler(step))
                } catch {
                    decision = .failure(.fromHook("redirect handler", error))
                }
                transfer.engine.post(.redirectDecided(transfer, decision))
            })
    }

    func redirectDecided(_ run: TransferRun, _ decision: Result<Redirect?, NetworkingError>) {
        switch decision {
        case .success(let step?): follow(run, step)
        case .success(nil): end(run, .badStatus(run.hop.status, headers: run.hop.headers))
        case .failure(let error): end(run, error)
        }
    }

    private func follow(_ run: TransferRun, _ step: Redirect) {
        do {
            // A handler may have set any text.
            run.url = try WebURL(step.to)
            if let problem = step.headers.sendingProblem { throw NetworkingError.invalidRequest(problem) }
        } catch {
            end(run, (error as? NetworkingError) ?? .invalidRequest("\(error)"))
            return
        }
        run.redirectCount += 1
        run.redirects.append(ResponseHead(status: run.hop.status, headers: run.hop.headers))
        run.headers = step.headers
        if step.method != run.method {
            run.method = step.method
            run.sendsBody = false
        }
        enqueue(run, isUrgent: true)
    }
}

extension NetworkingError {
    /// Returns whether the server cannot have received the request, so that even a POST may be sent again.
    var isBeforeSending: Bool {
        switch self {
        case .connectionFailed(.resolve, _, _), .connectionFailed(.connect, _, _), .timedOut(.connect, _): true
        default: false
        }
    }
}

extension TransferRun {
    /// Returns the target of a redirect, with the fields that may be sent there (RFC 9110 §15.4).
    func nextHop(location: String) throws(NetworkingError) -> Redirect {
        let next = try url.resolving(location)
        var method = self.method
        var headers = self.headers
        let becomesGet =
            hop.status == 303 ? method != "HEAD" && method != "GET" : hop.status < 303 && method == "POST"
        if becomesGet {
            method = "GET"
            for name in headers.fields.map(\.name) where asciiLowercased(name).hasPrefix("content-") {
                headers.remove(name)
            }
        }
        if next.origin != url.origin { keepSafeFields(&headers, withBody: sendsBody && !becomesGet) }
        if next != url {
            // A validator is valid only for the URL of its response. A range that depends on it would be a part of
            // another file.
            if headers.contains("If-Range") { headers.remove("Range") }
            for name in Self.validatorFields { headers.remove(name) }
        }
        return Redirect(
            status: hop.status, from: url.absoluteString, count: redirectCount, to: next.absoluteString,
            headers: headers, method: method)
    }

    static let validatorFields = ["If-Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since"]

    /// The header fields that say nothing about the caller and follow every redirect.
    private static let harmlessFields =
        ["accept", "accept-encoding", "accept-language", "range", "user-agent"]
        + validatorFields.map(asciiLowercased)

    /// The header fields that never go to another origin.
    private static let boundFields = ["authorization", "proxy-authorization", "cookie", "host"]

    /// Removes the header fields that must not go to another origin: all that are not known to be harmless, since a field
    /// of an unknown name may be a key (`X-Api-Key`).
    private func keepSafeFields(_ headers: inout HeaderFields, withBody: Bool) {
        let marked = Set(request.redirectSafeHeaders.map { asciiLowercased($0) }).subtracting(Self.boundFields)
        for name in Set(headers.fields.map { asciiLowercased($0.name) }) {
            if Self.harmlessFields.contains(name) || marked.contains(name) { continue }
            if withBody && name == "content-type" { continue }
            headers.remove(name)
        }
    }
}

// A 401: the challenge handler is called, and the request is sent again with its credential.
extension CurlLoop {
    private static let maximumChallenges = 3

    func mayChallenge(_ run: TransferRun) -> Bool {
        run.request.hooks.challengeHandler != nil && run.challengeCount < Self.maximumChallenges
            && !run.transfer.isFinished
    }

    func challenge(_ run: TransferRun, _ headers: HeaderFields) {
        guard let handler = run.request.hooks.challengeHandler else { return }
        let challenge = AuthenticationChallenge(
            url: run.url.absoluteString, headers: headers,
            refused: run.url.origin == run.credentialOrigin ? run.credential : nil,
            previousCount: run.challengeCount)
        run.challengeCount += 1
        run.stage = .deciding
        nextCheck = min(nextCheck, run.totalDeadline)
        let transfer = run.transfer
        transfer.setHookTask(
            Task {
                let decision: Result<HTTPCredential?, NetworkingError>
                do {
                    decision = .success(try await handler(challenge))
                } catch {
                    decision = .failure(.fromHook("challenge handler", error))
                }
                transfer.engine.post(.challengeDecided(transfer, decision))
            })
    }

    func challengeDecided(_ run: TransferRun, _ decision: Result<HTTPCredential?, NetworkingError>) {
        switch decision {
        case .success(let credential?):
            run.credential = credential
            run.credentialOrigin = run.url.origin
            run.dropBody()
            run.rewind()
            enqueue(run, isUrgent: true)
        case .success(nil): end(run, .badStatus(run.hop.status, headers: run.hop.headers))
        case .failure(let error): end(run, error)
        }
    }
}
