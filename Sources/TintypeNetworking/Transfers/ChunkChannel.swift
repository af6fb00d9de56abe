import TintypeBase

/// A piece of a body, in order. `offset` 0 after other pieces means that the body starts over: an interrupted transfer
/// could not be resumed, and what came before is void.
public struct TransferChunk: Sendable {
    public let offset: Int
    public let data: Data
}

/// The queue between the transfer thread and the one reader of ``HTTPTransfer/chunks``. Guarded by the lock of its
/// transfer; nothing in here resumes a continuation.
struct ChunkChannel {
    typealias Element = Result<TransferChunk?, NetworkingError>

    /// A reader to be woken outside the lock.
    struct Waiter {
        let continuation: CheckedContinuation<Element, Never>
        let element: Element

        func resume() { continuation.resume(returning: element) }
    }

    /// The transfer pauses above the first and goes on below the second mark.
    static let highWater = 1 << 20
    static let lowWater = 256 << 10

    private var queue: [TransferChunk] = []
    private var head = 0
    private var byteCount = 0
    private var waiter: CheckedContinuation<Element, Never>?
    private var end: Element?
    private(set) var isAttached = false
    /// Whether pieces are held for a reader that is still to come: nobody else keeps them.
    var holdsForReader = false
    private(set) var isFull = false

    /// false when there is a reader already.
    mutating func attach() -> Bool {
        guard !isAttached else { return false }
        isAttached = true
        return true
    }

    mutating func push(_ chunk: TransferChunk) -> Waiter? {
        guard isAttached || holdsForReader, end == nil else { return nil }
        if chunk.offset == 0 {
            queue.removeAll()
            head = 0
            byteCount = 0
        }
        if let waiter {
            self.waiter = nil
            return Waiter(continuation: waiter, element: .success(chunk))
        }
        queue.append(chunk)
        byteCount += chunk.data.count
        if byteCount >= Self.highWater { isFull = true }
        return nil
    }

    /// For a body that was complete before its reader came.
    mutating func fill(_ chunk: TransferChunk) {
        queue.append(chunk)
        byteCount += chunk.data.count
    }

    enum Take {
        case now(Element, hasRoomAgain: Bool)
        case later
    }

    mutating func take(_ continuation: CheckedContinuation<Element, Never>) -> Take {
        if head < queue.count {
            let chunk = queue[head]
            head += 1
            if head == queue.count {
                queue.removeAll(keepingCapacity: true)
                head = 0
            }
            byteCount -= chunk.data.count
            let hasRoomAgain = isFull && byteCount <= Self.lowWater
            if hasRoomAgain { isFull = false }
            return .now(.success(chunk), hasRoomAgain: hasRoomAgain)
        }
        if let end { return .now(end, hasRoomAgain: false) }
        waiter = continuation
        return .later
    }

    /// The reader is gone: nothing is kept for it any more. True when the transfer was paused for it.
    mutating func detach() -> (wasFull: Bool, waiter: Waiter?) {
        defer {
            queue = []
            head = 0
            byteCount = 0
            isFull = false
            isAttached = false
            waiter = nil
            end = .success(nil)
        }
        return (isFull, waiter.map { Waiter(continuation: $0, element: .success(nil)) })
    }

    mutating func finish(_ outcome: Result<HTTPTransfer.Delivery, NetworkingError>) -> Waiter? {
        guard end == nil else { return nil }
        let last: Element = outcome.map { _ in nil }
        end = last
        defer { waiter = nil }
        return waiter.map { Waiter(continuation: $0, element: last) }
    }
}
