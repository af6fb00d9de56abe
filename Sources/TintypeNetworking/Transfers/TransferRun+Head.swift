import CCurl
import TintypeBase

extension TransferRun {
    /// Takes one line of a head or a trailer. Called by libcurl on the transfer thread; false stops the hop.
    func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        hop.lastActivity = monotonicNanoseconds()
        // Trailer fields are not used.
        guard !hop.hasBody else { return true }
        if line.starts(with: [72, 84, 84, 80, 47]) {
            // A new head: after an interim response, or after a round trip of authentication.
            hop.headers.removeAll()
            hop.isHeadComplete = false
            hop.status = Self.status(in: line)
            return true
        }
        guard let colon = line.firstIndex(of: 58) else {
            guard line.allSatisfy({ $0 == 13 || $0 == 10 }) else { return true }
            hop.isHeadComplete = true
            return !isBodyUnwanted()
        }
        let name = String(decoding: line[..<colon], as: UTF8.self)
        let value = Self.fieldValue(line[(colon + 1)...], isLocation: asciiEqualIgnoringCase(name, "location"))
        hop.headers.add(name, value)
        if let jar = request.cookies, asciiEqualIgnoringCase(name, "set-cookie") {
            jar.store(setCookie: value, from: url)
        }
        return true
    }

    /// Returns whether the head shows that the body is not needed: it is longer than the request allows, or a long body
    /// of a redirect or an error. A server that sends only the head must not hold the request until its idle timeout.
    private func isBodyUnwanted() -> Bool {
        guard hop.status >= 200, hop.status != 204, hop.status != 304, method != "HEAD",
            !hop.headers.contains("Transfer-Encoding"), let text = hop.headers.first("Content-Length"),
            !text.isEmpty, text.utf8.allSatisfy(isDigit), Set(hop.headers.all("Content-Length")).count == 1
        else { return false }
        let length = Int(text) ?? .max
        if !hop.isRedirect, request.acceptedStatusCodes.contains(hop.status) {
            let known = hop.rangeStart > 0 && hop.status == 206 ? hop.rangeStart : 0
            // A compressed body may be a little longer than its decoded form.
            let isEncoded = ContentDecoder.undoes(hop.headers["Content-Encoding"])
            let slack = isEncoded ? request.maximumBodyByteCount / 256 + 1024 : 0
            guard length > max(0, request.maximumBodyByteCount - known) + slack else { return false }
            hop.abort = .failed(.bodyTooLarge(limit: request.maximumBodyByteCount))
            return true
        }
        // libcurl itself goes on after a 401 or 407, and the modifier may make something else of the response.
        guard length > Self.discardLimit, hop.status != 401, hop.status != 407,
            hop.isRedirect || request.hooks.responseModifier == nil
        else { return false }
        hop.disposition = .discard
        return true
    }

    private static func status(in line: UnsafeRawBufferPointer) -> Int {
        guard let blank = line.firstIndex(of: 32) else { return 0 }
        return line[(blank + 1)...].prefix(while: isDigit).prefix(3).reduce(0) { $0 * 10 + Int($1 - 48) }
    }

    private static func fieldValue(_ bytes: Slice<UnsafeRawBufferPointer>, isLocation: Bool) -> String {
        var value = bytes
        while let first = value.first, first == 32 || first == 9 { value.removeFirst() }
        while let last = value.last, last == 32 || last == 9 || last == 13 || last == 10 { value.removeLast() }
        if let text = String(validating: value, as: UTF8.self) { return text }
        if isLocation {
            // Bytes of another charset are percent-encoded unchanged.
            var encoded: [UInt8] = []
            for byte in value {
                if byte < 128 { encoded.append(byte) } else { PercentCoding.appendEscape(byte, to: &encoded) }
            }
            return String(decoding: encoded, as: UTF8.self)
        }
        // ISO 8859-1, the charset of old header fields.
        return String(String.UnicodeScalarView(value.map { Unicode.Scalar($0) }))
    }

    /// Decides what to do with the body, before its first byte is taken.
    func judgeHead() {
        if hop.isRedirect {
            hop.disposition = .discard
            return
        }
        if let modifier = request.hooks.responseModifier, !hop.isModified {
            hop.disposition = .held
            let head = ResponseHead(status: hop.status, headers: hop.headers)
            let transfer = self.transfer
            transfer.setHookTask(
                Task {
                    let decision: Result<ResponseHead?, NetworkingError>
                    do {
                        decision = .success(try await modifier(head))
                    } catch {
                        decision = .failure(.fromHook("response modifier", error))
                    }
                    transfer.engine.post(.headDecided(transfer, decision))
                })
            return
        }
        hop.disposition = .discard
        if hop.rangeStart > 0 {
            guard judgeResumedHead() else { return }
        } else if receivedCount > 0 {
            // Another URL responds now, from which the rest was not requested.
            dropBody()
        }
        if hop.rangeStart == 0, hop.status == 206 && !request.headers.contains("Range") && !isWholeRange {
            hop.abort = .failed(.badStatus(206, headers: hop.headers))
            return
        }
        guard request.acceptedStatusCodes.contains(hop.status), hop.status != 304 else { return }
        if let problem = contentTypeProblem {
            hop.abort = .failed(problem)
            return
        }
        do {
            if method != "HEAD" { hop.decoder = try .decoder(for: hop.headers["Content-Encoding"]) }
        } catch {
            hop.abort = .failed(error)
            return
        }
        prepareForBody()
    }

    /// Whether an unrequested 206 holds the whole body.
    private var isWholeRange: Bool {
        guard let content = hop.headers.first("Content-Range").flatMap(ContentRange.init), let range = content.range
        else { return false }
        guard let total = content.total, total > 0 else { return false }
        return range == 0...(total - 1)
    }

    private var contentTypeProblem: NetworkingError? {
        request.contentTypeProblem(hop.headers)
    }

    private func prepareForBody() {
        hop.disposition = .deliver
        let length = handle?.offset(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T) ?? -1
        hop.declaredLength = length >= 0 ? length : nil
        if let problem = lengthProblem {
            hop.abort = .failed(problem)
            hop.disposition = .discard
            return
        }
        guard hop.decoder == nil else {
            transfer.report(received: receivedCount, total: nil)
            return
        }
        if hop.rangeStart == 0, let length = hop.declaredLength { hop.expectedTotal = length }
        if let total = hop.expectedTotal, total > request.maximumBodyByteCount, method != "HEAD" {
            hop.abort = .failed(.bodyTooLarge(limit: request.maximumBodyByteCount))
            hop.disposition = .discard
            return
        }
        // A declared length reserves at most this much memory before the bytes arrive.
        if request.keepsBody, let total = hop.expectedTotal { body.reserve(min(total, 1 << 20)) }
        if mayResume, hop.rangeStart == 0 {
            resumePoint = ResumePoint(url: url.absoluteString, headers: hop.headers, total: hop.expectedTotal)
        }
        transfer.report(received: receivedCount, total: hop.expectedTotal)
    }

    /// The error for contradictory lengths (RFC 9110 §8.6), and for one too large for an integer, which libcurl ignores.
    private var lengthProblem: NetworkingError? {
        let values = Set(hop.headers.all("Content-Length"))
        guard !values.isEmpty, !hop.headers.contains("Transfer-Encoding") else { return nil }
        if values.count > 1 {
            return .connectionFailed(
                .protocolViolation, host: url.authority, detail: "it announces several lengths: \(values.sorted())")
        }
        return hop.declaredLength == nil && method != "HEAD" ? .bodyTooLarge(limit: request.maximumBodyByteCount) : nil
    }

    /// Checks the response to a request for the rest. Returns false if the hop has its result.
    private func judgeResumedHead() -> Bool {
        guard let point = resumePoint else {
            hop.abort = .startOver
            return false
        }
        let content = hop.headers.first("Content-Range").flatMap(ContentRange.init)
        switch hop.status {
        case 206:
            guard point.accepts(hop.headers, start: hop.rangeStart) else {
                hop.abort = .startOver
                return false
            }
            hop.expectedTotal = content?.total ?? point.total
            metrics.resumedByteCount = hop.rangeStart
            return true
        case 416:
            // All bytes are here already; otherwise they are not part of the file on the server.
            let isComplete = content?.total == hop.rangeStart && point.matches(hop.headers)
            hop.abort = isComplete ? .delivered : .startOver
            if isComplete { metrics.resumedByteCount = hop.rangeStart }
            return false
        case 200..<300:
            dropBody()
            hop.rangeStart = 0
            return true
        default:
            return true
        }
    }
}
