import CCurl
import CCurlShim
import TintypeBase

extension CurlLoop {
    /// Starts a hop of a transfer that was given a slot.
    func start(_ run: TransferRun, now: UInt64) {
        run.stage = .running
        if run.startedAt == 0 {
            run.startedAt = now
            run.metrics.queued = .nanoseconds(Int64(now - min(now, run.transfer.enqueuedAt)))
            if let total = run.request.timeouts.total { run.totalDeadline = now &+ total.clampedNanoseconds }
            adoptKeptBytes(run)
        }
        if run.redirectCount == 0 {
            run.attempts += 1
            run.transfer.shared.withLock { $0.attempts = run.attempts }
        }
        run.hop = Hop()
        run.hop.startedAt = now
        run.hop.lastActivity = now
        nextCheck = min(nextCheck, now &+ run.request.timeouts.idle.clampedNanoseconds, run.totalDeadline)
        if run.request.blocksPrivateAddresses, let address = run.url.address, configuration.forbids(address) {
            run.hop.blockedAddress = address.description
            settle(run, .failed(.blockedAddress(host: run.url.bareHost, address: address.description)))
            return
        }
        guard let handle = idleHandles.popLast() ?? CurlHandle() else {
            settle(run, .failed(.connectionFailed(.connect, host: run.url.authority, detail: "out of memory")))
            return
        }
        run.handle = handle
        configure(handle, for: run)
        active[handle.easy] = run
        let code = curl_multi_add_handle(multi.pointer, handle.easy)
        if code != CURLM_OK {
            let text = String(cString: curl_multi_strerror(code))
            releaseHandle(run)
            settle(run, .failed(.connectionFailed(.connect, host: run.url.authority, detail: text)))
        }
    }

    /// Handles the transfers that libcurl has finished.
    func reap() {
        var easy: UnsafeMutableRawPointer?
        var code = CURLE_OK
        while cc_multi_next_done(multi.pointer, &easy, &code) != 0 {
            guard let easy, let run = active[easy] else { continue }
            finish(run, code)
        }
    }

    private func finish(_ run: TransferRun, _ code: CURLcode) {
        if code == CURLE_OK, case .undecided = run.hop.disposition { run.judgeHead() }
        if case .held = run.hop.disposition, code == CURLE_OK {
            run.hop.heldCode = code
            return
        }
        guard let handle = run.handle else { return }
        collectMetrics(run, handle)
        let isConnected = handle.offset(CURLINFO_PRETRANSFER_TIME_T) > 0
        let outcome = run.outcome(code, errorText: handle.errorDescription(code), isConnected: isConnected)
        releaseHandle(run)
        settle(run, outcome)
    }

    private func collectMetrics(_ run: TransferRun, _ handle: CurlHandle) {
        func time(_ info: CURLINFO) -> Int { handle.offset(info) }
        let lookup = time(CURLINFO_NAMELOOKUP_TIME_T)
        let connect = time(CURLINFO_CONNECT_TIME_T)
        let tls = time(CURLINFO_APPCONNECT_TIME_T)
        run.metrics.nameLookup = .microseconds(lookup)
        run.metrics.connect = .microseconds(max(0, connect - lookup))
        run.metrics.tls = .microseconds(max(0, tls - connect))
        run.metrics.firstByte = .microseconds(time(CURLINFO_STARTTRANSFER_TIME_T))
        run.metrics.headerByteCount = handle.long(CURLINFO_HEADER_SIZE)
        run.metrics.reusedConnection = handle.long(CURLINFO_NUM_CONNECTS) == 0
        run.metrics.remoteAddress = handle.string(CURLINFO_PRIMARY_IP)
        run.metrics.remotePort = handle.long(CURLINFO_PRIMARY_PORT)
        switch handle.long(CURLINFO_HTTP_VERSION) {
        case Int(CURL_HTTP_VERSION_1_0): run.metrics.protocolName = "http/1.0"
        case Int(CURL_HTTP_VERSION_1_1): run.metrics.protocolName = "http/1.1"
        case Int(CURL_HTTP_VERSION_2_0): run.metrics.protocolName = "h2"
        case Int(CURL_HTTP_VERSION_3): run.metrics.protocolName = "h3"
        default: run.metrics.protocolName = ""
        }
    }

    /// Releases the handle. Removing an unfinished one closes its HTTP/1 connection or resets its HTTP/2 stream.
    func releaseHandle(_ run: TransferRun) {
        guard let handle = run.handle else { return }
        run.handle = nil
        active[handle.easy] = nil
        curl_multi_remove_handle(multi.pointer, handle.easy)
        handle.reset()
        if idleHandles.count < 256 { idleHandles.append(handle) }
    }

    /// Continues after the end of a hop.
    func settle(_ run: TransferRun, _ outcome: TransferRun.Outcome) {
        freeSlot(run)
        switch outcome {
        case .delivered: deliver(run)
        case .redirect(let location): redirect(run, to: location)
        case .failed(.connectionFailed(.protocolViolation, _, _))
        where run.metrics.reusedConnection && !run.needsFreshConnection:
            // Surplus bytes of an earlier response, which are not a response to this request.
            run.needsFreshConnection = true
            run.rewind()
            enqueue(run, isUrgent: true)
        case .failed(.badStatus(401, let headers)) where mayChallenge(run): challenge(run, headers)
        case .failed(let error): fail(run, error)
        case .startOver:
            run.dropBody()
            run.mayResume = false
            run.rewind()
            enqueue(run, isUrgent: true)
        }
    }

    private func freeSlot(_ run: TransferRun) {
        if run.hop.isStalled {
            run.hop.isStalled = false
            stalledCount -= 1
        }
        queue.finish(host: run.url.authority)
    }

    private func deliver(_ run: TransferRun) {
        runs[run.transfer.id] = nil
        run.pushToReader()
        let total = Duration.nanoseconds(Int64(monotonicNanoseconds() - run.startedAt))
        let response = run.response(total: total)
        if !run.request.keepsBody { run.transfer.shared.withLock { $0.bodyByteCount = run.receivedCount } }
        let data = run.body.takeData()
        let transfer = run.transfer
        guard let transformer = run.request.hooks.dataTransformer, response.status != 304 else {
            transfer.end(.success(HTTPTransfer.Delivery(data: data, response: response)))
            return
        }
        transfer.setHookTask(
            Task {
                do {
                    let changed = try await transformer(data, response)
                    transfer.end(.success(HTTPTransfer.Delivery(data: changed, response: response)))
                } catch {
                    transfer.end(.failure(.fromHook("data transformer", error)))
                }
            })
    }

    /// Removes a cancelled transfer.
    func drop(_ id: UInt64) {
        guard let run = runs.removeValue(forKey: id) else { return }
        keepBytes(run)
        switch run.stage {
        case .queued: queue.remove(id)
        case .running:
            releaseHandle(run)
            freeSlot(run)
        case .deciding, .backingOff: break
        }
    }

    /// Resumes a paused transfer.
    func resumeBody(_ run: TransferRun?) {
        guard let run, run.hop.isPaused, let handle = run.handle else { return }
        run.hop.isPaused = false
        run.hop.lastActivity = monotonicNanoseconds()
        // May call the callbacks right here, and pause again.
        curl_easy_pause(handle.easy, CURLPAUSE_CONT)
    }

    /// Continues with the decision of the response modifier.
    func headDecided(_ run: TransferRun?, _ decision: Result<ResponseHead?, NetworkingError>) {
        guard let run, case .held = run.hop.disposition else { return }
        run.hop.isModified = true
        run.hop.disposition = .undecided
        switch decision {
        case .success(let head?):
            run.hop.status = head.status
            run.hop.headers = head.headers
        case .success(nil):
            run.hop.abort = .failed(.refused(by: "response modifier", reason: "it returned no response"))
            run.hop.disposition = .discard
        case .failure(let error):
            run.hop.abort = .failed(error)
            run.hop.disposition = .discard
        }
        if let code = run.hop.heldCode {
            finish(run, code)
        } else {
            resumeBody(run)
        }
    }
}
