extension ImageTask {
    /// How far the transfer is: never going back, nothing for images from a cache. Ends with the load; the last value
    /// of a successful transfer is its byte count. Each call makes a stream of its own, which starts with the last report.
    public var progress: AsyncStream<TransferProgress> {
        AsyncStream(bufferingPolicy: .bufferingNewest(64)) { continuation in
            // Yielding inside the lock only fills the buffer: a stream that is not made yet has no consumer. It keeps the
            // last report before those that follow.
            let hasEnded = state.withLock { state in
                if let last = state.lastProgress { continuation.yield(last) }
                if state.result == nil { state.progress.append(continuation) }
                return state.result != nil
            }
            if hasEnded {
                continuation.finish()
            } else {
                changeInterest { $0.demand.insert(.progress) }
            }
        }
    }

    /// Images of the bytes that have arrived so far, each better than the one before, as far as the format allows. Empty without
    /// the option `progressive`. A slow consumer misses some.
    public var previews: AsyncStream<DecodedImage> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let hasEnded = state.withLock { state in
                if let last = state.lastPreview { continuation.yield(last) }
                if state.result == nil { state.previews.append(continuation) }
                return state.result != nil
            }
            if hasEnded { continuation.finish() }
        }
    }

    /// The results. One, except with `refreshCached`: then the cached image comes first, with `isFinal` false, and a
    /// second one only if the server has another image. Ends with the load, throwing its error.
    public var responses: AsyncThrowingStream<ImageResponse, any Error> {
        AsyncThrowingStream { continuation in
            let (first, result) = state.withLock { state in
                if let first = state.firstResponse { continuation.yield(first) }
                if state.result == nil { state.responses.append(continuation) }
                return (state.firstResponse, state.result)
            }
            switch result {
            case .success(let response):
                if first == nil || !response.isRepeated { continuation.yield(response) }
                continuation.finish()
            case .failure(let error): continuation.finish(throwing: error)
            case nil: break
            }
        }
    }

    // MARK: For the pipeline

    func receive(_ event: LoadEvent) {
        switch event {
        case .progress(let progress): receive(progress)
        case .preview(let image): receive(preview: image)
        case .partialBody: break
        }
    }

    /// Reports that come late or go back are dropped: several threads bring them.
    func receive(_ progress: TransferProgress) {
        let (streams, listeners) = state.withLock {
            state -> ([AsyncStream<TransferProgress>.Continuation], Listeners) in
            if let last = state.lastProgress {
                guard progress.received > last.received || (last.total == nil && progress.total != nil) else {
                    return ([], [])
                }
            }
            state.lastProgress = progress
            return (state.progress, state.listeners)
        }
        for stream in streams { stream.yield(progress) }
        for listener in listeners { listener(.progress(progress)) }
    }

    func receive(preview: DecodedImage) {
        let (streams, listeners) = state.withLock { state -> ([AsyncStream<DecodedImage>.Continuation], Listeners) in
            guard state.result == nil else { return ([], []) }
            state.lastPreview = preview
            return (state.previews, state.listeners)
        }
        for stream in streams { stream.yield(preview) }
        for listener in listeners { listener(.preview(preview)) }
    }

    /// The cached image of a load that goes on to ask the server.
    func receive(first response: ImageResponse) {
        let (streams, listeners) = state.withLock {
            state -> ([AsyncThrowingStream<ImageResponse, any Error>.Continuation], Listeners) in
            guard state.result == nil, state.firstResponse == nil else { return ([], []) }
            state.firstResponse = response
            return (state.responses, state.listeners)
        }
        for stream in streams { stream.yield(response) }
        for listener in listeners { listener(.first(response)) }
    }

    private typealias Listeners = [@Sendable (Update) -> Void]
}
