import TintypeBase

/// The chunks of a body as they arrive; ends with the transfer, and throws its error.
public struct TransferChunks: AsyncSequence, Sendable {
    /// A part of the body.
    public typealias Element = TransferChunk
    /// A ``NetworkingError``.
    public typealias Failure = any Error

    let transfer: HTTPTransfer

    /// Attaches the reader.
    public func makeAsyncIterator() -> Iterator {
        Iterator(reader: transfer.attachReader())
    }

    /// The reader.
    public struct Iterator: AsyncIteratorProtocol {
        let reader: ChunkReader?

        /// Returns the next chunk, or nil at the end.
        ///
        /// - Throws: ``NetworkingError``.
        public mutating func next() async throws -> TransferChunk? {
            try await reader?.next()
        }
    }
}

/// The one reader of a transfer's chunks. When it is released, the transfer no longer waits for it.
final class ChunkReader: Sendable {
    private let transfer: HTTPTransfer

    init(transfer: HTTPTransfer) {
        self.transfer = transfer
    }

    deinit {
        transfer.detachReader()
    }

    func next() async throws -> TransferChunk? {
        let transfer = self.transfer
        let element = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let take = transfer.shared.withLock { $0.channel.take(continuation) }
                guard case .now(let element, let hasRoomAgain) = take else { return }
                continuation.resume(returning: element)
                if hasRoomAgain { transfer.engine.post(.bodyWanted(transfer)) }
            }
        } onCancel: {
            transfer.detachReader()
        }
        return try element.get()
    }
}

extension HTTPTransfer {
    /// The chunks of the body as they arrive, for one reader; a second one gets none.
    ///
    /// The transfer pauses while 1 MiB waits for a slow reader. A late reader first gets all bytes received so far.
    public var chunks: TransferChunks { TransferChunks(transfer: self) }

    func attachReader() -> ChunkReader? {
        var late: Delivery?
        let isFirst = shared.withLock { state in
            guard state.channel.attach() else { return false }
            if case .success(let delivery)? = state.outcome { late = delivery }
            return true
        }
        guard isFirst else { return nil }
        if let late {
            if !late.data.isEmpty {
                shared.withLock { $0.channel.fill(TransferChunk(offset: 0, data: late.data)) }
            }
        } else {
            engine.post(.readerAttached(self))
        }
        return ChunkReader(transfer: self)
    }

    func detachReader() {
        let (wasFull, waiter) = shared.withLock { $0.channel.detach() }
        waiter?.resume()
        if wasFull { engine.post(.bodyWanted(self)) }
    }

    /// Gives a chunk to the reader. Called on the transfer thread.
    func push(_ chunk: TransferChunk) {
        let waiter = shared.withLock { $0.channel.push(chunk) }
        waiter?.resume()
    }

    var wantsPause: Bool { shared.withLock { $0.channel.isFull } }
}
