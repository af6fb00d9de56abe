import CCurl
import CCurlShim
import TintypeBase

extension TransferRun {
    /// Error pages up to this size are read to the end, which keeps the connection usable.
    static let discardLimit = 64 << 10

    /// Takes a part of the body. Called by libcurl on the transfer thread; returns the count, the pause mark (the same
    /// bytes come again), or 0 to stop.
    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        hop.lastActivity = monotonicNanoseconds()
        hop.hasBody = true
        if case .undecided = hop.disposition { judgeHead() }
        if hop.abort != nil { return 0 }
        switch hop.disposition {
        case .undecided, .held:
            hop.isPaused = true
            return cc_write_pause
        case .discard:
            hop.wireCount += bytes.count
            return hop.wireCount > Self.discardLimit ? 0 : bytes.count
        case .deliver:
            if hasReader && transfer.wantsPause {
                hop.isPaused = true
                return cc_write_pause
            }
            return take(bytes) ? bytes.count : 0
        }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        hop.wireCount += bytes.count
        metrics.bodyByteCountOnWire += bytes.count
        let limit = request.maximumBodyByteCount - droppedCount
        if let decoder = hop.decoder {
            switch decoder.decode(bytes, into: body, limit: limit) {
            case .more: break
            case .limitReached:
                hop.abort = .failed(.bodyTooLarge(limit: request.maximumBodyByteCount))
                return false
            case .corrupt(let detail):
                hop.abort = .failed(.corrupt("the \(hop.headers["Content-Encoding"] ?? "") body is corrupt: \(detail)"))
                return false
            }
        } else {
            guard body.count + bytes.count <= limit else {
                hop.abort = .failed(.bodyTooLarge(limit: request.maximumBodyByteCount))
                return false
            }
            body.append(bytes)
        }
        pushToReader()
        transfer.report(received: receivedCount, total: hop.decoder == nil ? hop.expectedTotal : nil)
        return true
    }

    /// Returns the result of a hop that ended with libcurl's `code`.
    func outcome(_ code: CURLcode, errorText: @autoclosure () -> String, isConnected: Bool) -> Outcome {
        if hop.status == 0, code != CURLE_OK, let address = hop.blockedAddress {
            return .failed(.blockedAddress(host: url.bareHost, address: address))
        }
        if let abort = hop.abort { return abort }
        if hop.status > 0, !hop.isHeadComplete {
            return .failed(
                .connectionFailed(.broken, host: url.authority, detail: "the connection ended within the head"))
        }
        if case .discard = hop.disposition, hop.status > 0 {
            // The rest of a discarded body may be missing.
            return settledWithoutBody()
        }
        guard code == CURLE_OK else {
            return .failed(
                curlFailure(
                    code, text: errorText(),
                    CurlFailureFacts(
                        url: url, hasHead: hop.status >= 200, isConnected: isConnected,
                        received: hop.rangeStart + hop.wireCount, expected: hop.expectedTotal ?? hop.declaredLength,
                        connectLimit: request.timeouts.connect.inSeconds)))
        }
        return completedBody()
    }

    private func settledWithoutBody() -> Outcome {
        if hop.isRedirect {
            guard let location = hop.headers.first("Location"), !trimmedBlanks(location).isEmpty else {
                return .failed(.badStatus(hop.status, headers: hop.headers))
            }
            return .redirect(location: location)
        }
        if hop.status == 304 && hop.isConditional { return .delivered }
        return .failed(.badStatus(hop.status, headers: hop.headers))
    }

    private func completedBody() -> Outcome {
        let isHead = method == "HEAD"
        if let decoder = hop.decoder, !isHead, hop.wireCount > 0, !decoder.isComplete {
            return .failed(.truncated(received: hop.wireCount, expected: nil))
        }
        if let expected = hop.expectedTotal, !isHead, hop.decoder == nil, receivedCount < expected {
            return .failed(.truncated(received: receivedCount, expected: expected))
        }
        if receivedCount == 0 && !isHead && !request.allowsEmptyBody { return .failed(.emptyBody) }
        return .delivered
    }

    /// Returns the response for the caller. One that was combined from parts is a complete one (RFC 9111 §3.4).
    func response(total: Duration) -> DownloadResponse {
        var status = hop.status
        var headers = hop.headers
        if hop.rangeStart > 0, let point = resumePoint {
            status = 200
            if hop.status == 206 {
                headers = point.headers.replacing(with: hop.headers)
            } else {
                headers = point.headers
            }
            headers.remove("Content-Range")
            headers["Content-Length"] = String(receivedCount)
        }
        metrics.total = total
        return DownloadResponse(
            status: status, headers: headers, finalURL: url.absoluteString, redirectCount: redirectCount,
            redirects: redirects, metrics: metrics, attempts: attempts)
    }
}
