import TintypeBase

/// A part of a body.
///
/// An `offset` of 0 after other chunks means that the body starts over, because an interrupted transfer could not be
/// resumed: discard the earlier chunks.
public struct TransferChunk: Sendable {
    /// The position of the first byte in the body.
    public let offset: Int
    /// The bytes.
    public let data: Data
}

/// The queue between the transfer thread and the one reader of ``HTTPTransfer/chunks``.
///
/// Guarded by the lock of its transfer; it resumes no continuation.
struct ChunkChannel {
    typealias Element = Result<TransferChunk?, NetworkingError>

    /// A reader that is resumed outside the lock.
    struct Waiter {
        let continuation: CheckedContinuation<Element, Never>
        let element: Element

        func resume() { continuation.resume(returning: element) }
    }

    /// The transfer pauses above the first number of bytes and goes on below the second.
    static let highWater = 1 << 20
    static let lowWater = 256 << 10

    private var queue: [TransferChunk] = []
    private var head = 0
    private var byteCount = 0
    private var waiter: CheckedContinuation<Element, Never>?
    private var end: Element?
    private(set) var isAttached = false
    /// Whether chunks are held for a later reader, because the body is not kept.
    var holdsForReader = false
    private(set) var isFull = false

    /// Returns false if there is a reader already.
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

    /// Adds a body that was complete before its reader came.
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

    /// Removes the reader and its chunks. Returns whether the transfer was paused for it.
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
