/// 401: the caller is asked for a credential, and the request is made again with it.
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
                let answer: Result<HTTPCredential?, NetworkingError>
                do {
                    answer = .success(try await handler(challenge))
                } catch {
                    answer = .failure(.fromHook("challenge handler", error))
                }
                transfer.engine.post(.challengeDecided(transfer, answer))
            })
    }

    func challengeDecided(_ run: TransferRun, _ answer: Result<HTTPCredential?, NetworkingError>) {
        switch answer {
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
