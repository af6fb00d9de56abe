extension HTTPTransfer {
    /// The progress of the transfer.
    ///
    /// Each call returns a new stream. It starts with the latest report, never decreases, and ends with the size of the
    /// body before ``result()`` returns. A slow reader gets only the newest reports.
    public var progress: AsyncStream<TransferProgress> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: TransferProgress.self, bufferingPolicy: .bufferingNewest(64))
        let number: Int? = shared.withLock { state in
            // The new stream has no reader yet, so this resumes nothing.
            if let latest = state.progress { continuation.yield(latest) }
            guard state.outcome == nil else { return nil }
            state.nextNumber += 1
            state.observers[state.nextNumber] = continuation
            return state.nextNumber
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.shared.withLock { state in state.observers[number] = nil }
        }
        return stream
    }

    /// Reports progress, unless it would decrease or the step is smaller than the request's interval. Called on the
    /// transfer thread.
    func report(received: Int, total: Int?) {
        let interval = request.minimumProgressInterval
        var report: TransferProgress?
        let observers: [AsyncStream<TransferProgress>.Continuation] = shared.withLock { state in
            guard state.outcome == nil else { return [] }
            if let latest = state.progress {
                guard received > latest.received else { return [] }
                if interval > 0, let total, Double(received - latest.received) < interval * Double(total) { return [] }
            }
            let next = TransferProgress(received: received, total: total)
            state.progress = next
            report = next
            return state.observers.isEmpty ? [] : Array(state.observers.values)
        }
        guard let report else { return }
        for observer in observers { observer.yield(report) }
    }
}

extension HTTPTransfer.Shared {
    /// Returns the last report, with the size of the body; nil if it was delivered already.
    mutating func finalProgress(_ delivery: HTTPTransfer.Delivery) -> TransferProgress? {
        let count = bodyByteCount ?? delivery.data.count
        let last = TransferProgress(received: count, total: progress?.total == nil ? nil : count)
        guard progress != last else { return nil }
        progress = last
        return last
    }
}
