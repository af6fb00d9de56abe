import Foundation
import Testing

@testable import TintypeNetworking

@Suite struct HeaderFieldsTests {
    @Test func namesIgnoreCaseAndFieldsRepeat() {
        var headers: HeaderFields = ["Accept": "a"]
        headers.add("ACCEPT", "b")
        #expect(headers["accept"] == "a, b")
        #expect(headers.all("Accept") == ["a", "b"])
        headers["aCCept"] = "c"
        #expect(headers.fields.count == 1)
        headers["Accept"] = nil
        #expect(headers.isEmpty)
        #expect(HeaderFields([("A", "1")]) == HeaderFields([("a", "1")]))
        #expect(HeaderFields([("A", "1")]).hashValue == HeaderFields([("a", "1")]).hashValue)
    }

    @Test(arguments: [("A b", "x"), ("", "x"), ("A", "x\r\nB: y"), ("A", "x\n"), ("A:", "x"), ("A", "\0"), ("Ä", "x")])
    func lineBreaksAreRefused(_ name: String, _ value: String) {
        #expect(HeaderFields([(name, value)]).sendingProblem != nil)
    }
}

@Suite struct RetryPolicyTests {
    @Test func backOffGrowsAndIsCapped() {
        let policy = RetryPolicy(maximumRetries: 9, baseDelay: .seconds(1), maximumDelay: .seconds(5), jitter: 0.5)
        let error = NetworkingError.badStatus(500, headers: [:])
        let delays = (0..<5).map { policy.delay(after: error, retries: $0, random: 0, now: 0) }
        #expect(delays == [.seconds(1), .seconds(2), .seconds(4), .seconds(5), .seconds(5)])
        #expect(policy.delay(after: error, retries: 1, random: 1, now: 0) == .seconds(1))
        #expect(policy.delay(after: error, retries: 9, random: 0, now: 0) == nil)
        #expect(RetryPolicy(maximumRetries: 99).delay(after: error, retries: 98, random: 0, now: 0) == .seconds(30))
    }

    @Test func onlyTransientFaults() {
        let policy = RetryPolicy()
        func retries(_ error: NetworkingError) -> Bool {
            policy.delay(after: error, retries: 0, random: 0, now: 0) != nil
        }
        for status in [408, 425, 429, 500, 502, 503, 504] { #expect(retries(.badStatus(status, headers: [:]))) }
        for status in [400, 401, 403, 404, 410, 501, 505] { #expect(!retries(.badStatus(status, headers: [:]))) }
        #expect(retries(.truncated(received: 1, expected: 2)))
        #expect(retries(.connectionFailed(.connect, host: "", detail: "")))
        #expect(retries(.timedOut(.idle, limit: 1)) && retries(.timedOut(.connect, limit: 1)))
        #expect(!retries(.timedOut(.total, limit: 1)))
        for error: NetworkingError in [
            .cancelled, .tlsFailed(host: "", detail: ""), .bodyTooLarge(limit: 1), .emptyBody, .corrupt(""),
            .blockedAddress(host: "", address: ""), .tooManyRedirects(limit: 1, lastURL: ""),
            .connectionFailed(.protocolViolation, host: "", detail: ""),
        ] {
            #expect(!retries(error), "\(error)")
        }
    }

    @Test func retryAfterWinsUnlessTooLong() {
        let policy = RetryPolicy()
        func delay(_ value: String, now: Double = 0) -> Duration? {
            policy.delay(after: .badStatus(429, headers: ["retry-after": value]), retries: 0, random: 0, now: now)
        }
        #expect(delay("2") == .seconds(2))
        #expect(delay("60") == .seconds(60))
        #expect(delay("61") == nil)
        #expect(delay("Sun, 06 Nov 1994 08:49:37 GMT", now: 784_111_770) == .seconds(7))
        #expect(delay("nonsense") == .milliseconds(500))
    }
}

@Suite struct TokenBucketTests {
    private let second: UInt64 = 1_000_000_000

    @Test func burstThenRate() {
        var bucket = TokenBucket(RateLimit(perSecond: 10, burst: 3), now: 0)
        #expect((0..<3).allSatisfy { _ in bucket.take(now: 0) == nil })
        #expect(bucket.take(now: 0) == second / 10)
        #expect(bucket.take(now: second / 10) == nil)
        #expect(bucket.take(now: second / 10) != nil)
        #expect((0..<3).allSatisfy { _ in bucket.take(now: 100 * second) == nil })
        #expect(bucket.take(now: 100 * second) != nil)
    }

    @Test func lookingTakesNothing() {
        var bucket = TokenBucket(RateLimit(perSecond: 1, burst: 1), now: 0)
        #expect(bucket.nextToken(now: 0) == nil)
        #expect(bucket.take(now: 0) == nil)
        #expect(bucket.nextToken(now: 0) == second)
        var none = TokenBucket(RateLimit(perSecond: 0, burst: 1), now: 0)
        #expect(none.take(now: 0) == nil)
        #expect(none.take(now: second) == .max)
    }
}

@Suite struct TransferQueueTests {
    private func order(_ queue: inout TransferQueue, finishing host: String? = nil) -> [UInt64] {
        var result: [UInt64] = []
        while let id = queue.next() {
            result.append(id)
            if let host { queue.finish(host: host) }
        }
        return result
    }

    @Test func fifoAndLifo() {
        for (kind, expected) in [(TransferOrder.fifo, [1, 2, 3, 4]), (.lifo, [4, 3, 2, 1])]
            as [(TransferOrder, [UInt64])]
        {
            var queue = TransferQueue(maximumRunning: 9, maximumPerHost: 9, order: kind)
            for id: UInt64 in 1...4 { queue.enqueue(id, host: "h\(id % 2)", priority: .normal) }
            #expect(order(&queue) == expected)
        }
    }

    @Test func lifoWhileOthersRun() {
        var queue = TransferQueue(maximumRunning: 1, maximumPerHost: 1, order: .lifo)
        queue.enqueue(1, host: "h", priority: .normal)
        #expect(queue.next() == 1)
        queue.enqueue(2, host: "h", priority: .normal)
        queue.enqueue(3, host: "h", priority: .normal)
        queue.finish(host: "h")
        #expect(queue.next() == 3)
        queue.enqueue(4, host: "h", priority: .normal)
        queue.finish(host: "h")
        #expect(queue.next() == 4)
        queue.finish(host: "h")
        #expect(queue.next() == 2)
    }

    @Test func prioritiesChangeWhileWaiting() {
        var queue = TransferQueue(maximumRunning: 9, maximumPerHost: 9, order: .fifo)
        for (id, priority) in zip(1..., ImagePriority.allCases) {
            queue.enqueue(UInt64(id), host: "h", priority: priority)
        }
        queue.setPriority(.veryHigh, of: 1)
        queue.setPriority(.veryLow, of: 4)
        queue.setPriority(.low, of: 4)
        queue.setPriority(.normal, of: 77)
        #expect(order(&queue) == [1, 5, 3, 2, 4])
    }

    @Test func limits() {
        var queue = TransferQueue(maximumRunning: 3, maximumPerHost: 2, order: .fifo)
        for id: UInt64 in 1...4 { queue.enqueue(id, host: "a", priority: .high) }
        for id: UInt64 in 5...8 { queue.enqueue(id, host: "b", priority: .low) }
        #expect(order(&queue) == [1, 2, 5])
        queue.finish(host: "b")
        #expect(order(&queue) == [6])
        queue.finish(host: "a")
        #expect(order(&queue) == [3])
        #expect(queue.next(idling: 1) == 7, "a quiet transfer lends its place")
        queue.maximumRunning = 9
        #expect(order(&queue) == [])
    }

    @Test func removalAndReturn() {
        var queue = TransferQueue(maximumRunning: 9, maximumPerHost: 9, order: .fifo)
        for id: UInt64 in 1...3 { queue.enqueue(id, host: "h", priority: .normal) }
        queue.setPriority(.high, of: 2)
        queue.remove(2)
        queue.remove(2)
        queue.enqueue(2, host: "h", priority: .low)
        queue.enqueue(9, host: "h", priority: .veryLow, isUrgent: true)
        #expect(order(&queue) == [9, 1, 3, 2])
        #expect(queue.waitingCount == 0)
    }
}

@Suite struct LocalFileTests {
    @Test func readsAndWatches() throws {
        let path = NSTemporaryDirectory() + "tintype-local-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let bytes = noise(100_000)
        try bytes.write(to: URL(fileURLWithPath: path))
        let (data, validator) = try LocalFile.read(path: path)
        #expect(data == bytes)
        #expect(try LocalFile.validator(path: path) == validator)
        try noise(100_001).write(to: URL(fileURLWithPath: path))
        #expect(try LocalFile.validator(path: path) != validator)
        #expect(throws: NetworkingError.bodyTooLarge(limit: 100_000)) {
            try LocalFile.read(path: path, maximumByteCount: 100_000)
        }
    }

    @Test func unreadable() throws {
        #expect { try LocalFile.read(path: "/nonexistent/x") } throws: { ($0 as? NetworkingError)?.code == "ioFailed" }
        #expect { try LocalFile.read(path: "/tmp") } throws: { ($0 as? NetworkingError)?.code == "ioFailed" }
        #expect { try LocalFile.read(path: "/dev/zero") } throws: { ($0 as? NetworkingError)?.code == "ioFailed" }
        #expect(throws: NetworkingError.emptyBody) {
            let path = NSTemporaryDirectory() + "tintype-empty-\(UUID().uuidString)"
            _ = FileManager.default.createFile(atPath: path, contents: Data())
            defer { try? FileManager.default.removeItem(atPath: path) }
            return try LocalFile.read(path: path)
        }
    }

    @Test func filesThatSayZero() throws {
        #expect(try LocalFile.read(path: "/proc/self/status").data.count > 100)
    }

    @Test(.timeLimit(.minutes(1))) func pipesDoNotHang() throws {
        let path = NSTemporaryDirectory() + "tintype-pipe-\(UUID().uuidString)"
        #expect(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        #expect { try LocalFile.read(path: path) } throws: { ($0 as? NetworkingError)?.code == "ioFailed" }
    }
}
