import Foundation
import TestOrigin
import Testing
import TintypeBase

@testable import TintypeNetworking

/// S39: what is delivered is always exactly what the server has now.
@Suite struct ResumeTests {
    let origin: TestOrigin
    let downloader: ImageDownloader
    let versionA = noise(200_000, seed: 1)
    let versionB = noise(200_000, seed: 2)

    init() throws {
        origin = try TestOrigin()
        var configuration = ImageDownloader.Configuration()
        configuration.retryClock = RetryClock(now: { 0 }, sleep: { _ in })
        downloader = ImageDownloader(configuration)
    }

    private func request(_ path: String = "/a", retries: Int = 2) -> DownloadRequest {
        .test(origin.url(path)) { $0.retry = RetryPolicy(maximumRetries: retries) }
    }

    /// A cut first answer, then `change`, then whatever the downloader makes of it.
    private func load(
        _ first: OriginResource.Version, cut: Int = 100_000,
        change: @escaping @Sendable (OriginResource) -> Void = { _ in }
    ) async throws -> (Data, DownloadResponse) {
        let resource = OriginResource(first)
        resource.cutNext(after: cut)
        let isFirst = FirstTime()
        origin.on("/a") { request in
            if !isFirst.take() { change(resource) }
            return resource.handler(request)
        }
        return try await downloader.data(for: request())
    }

    // Scenario S39.
    @Test("the rest only, when nothing changed")
    func resumes() async throws {
        let (data, response) = try await load(.init(versionA, etag: "\"A\"", headers: [("X-Kept", "1")]))
        #expect(data == versionA)
        #expect(response.status == 200)
        #expect(response.attempts == 2)
        #expect(response.metrics.resumedByteCount == 100_000)
        #expect(response.metrics.bodyByteCountOnWire == 200_000)
        #expect(response.headers["Content-Range"] == nil)
        #expect(response.headers["Content-Length"] == "200000")
        #expect(response.headers["X-Kept"] == "1")
        #expect(origin.log[1].header("Range") == "bytes=100000-")
        #expect(origin.log[1].header("If-Range") == "\"A\"")
        #expect(origin.log[1].header("Accept-Encoding") == "identity")
    }

    // Scenario S39.
    @Test("the file changed", arguments: ["right", "ignores If-Range", "ignores Range"])
    func changed(_ kind: String) async throws {
        let next = OriginResource.Version(versionB, etag: "\"B\"")
        let (data, response) = try await load(.init(versionA, etag: "\"A\"")) { resource in
            resource.version = next
            if kind == "ignores If-Range" { resource.behaviour = .ignoresIfRange }
            if kind == "ignores Range" { resource.behaviour = .ignoresRange }
        }
        #expect(data == versionB)
        #expect(response.headers["ETag"] == "\"B\"")
        #expect(response.metrics.resumedByteCount == 0)
    }

    // Scenario S39.
    @Test("wrong partial answers are not trusted")
    func wrongPartialAnswers() async throws {
        let behaviours: [OriginResource.Behaviour] = [
            .shiftedStart(1), .shiftedStart(-1), .shiftedStart(-100_000), .withoutValidatorInRange,
            .wrongTotal(300_000),
            .withoutContentRange, .refusesRange,
        ]
        for behaviour in behaviours {
            let (data, _) = try await load(.init(versionA, etag: "\"A\"")) { resource in
                resource.behaviour = behaviour
            }
            #expect(data == versionA, "\(behaviour)")
            #expect(origin.log.last?.header("Range") == nil, "\(behaviour): asked again for everything")
        }
    }

    // Scenario S39.
    @Test(
        "B of another length, through a server that ignores If-Range",
        arguments: [50_000, 100_000, 100_001, 400_000])
    func changedLength(_ count: Int) async throws {
        let next = OriginResource.Version(noise(count, seed: 3), etag: "\"B\"")
        let (data, _) = try await load(.init(versionA, etag: "\"A\"")) { resource in
            resource.version = next
            resource.behaviour = .ignoresIfRange
        }
        #expect(data == noise(count, seed: 3))
    }

    // Scenario S39.
    @Test("no resume without a strong validator")
    func weakValidators() async throws {
        let now = Int(secondsSince1970())
        let recent = HTTPDate.format(now - 10)
        let versions: [OriginResource.Version] = [
            .init(versionA, etag: "W/\"A\""), .init(versionA),
            .init(
                versionA, etag: "W/\"A\"", lastModified: HTTPDate.format(now - 90_000),
                headers: [("Date", HTTPDate.format(now))]),
            .init(versionA, lastModified: recent, headers: [("Date", HTTPDate.format(now))]),
            .init(versionA, lastModified: HTTPDate.format(now - 90_000)),
            .init(versionA, etag: "\"A\"", headers: [("Accept-Ranges", "none")]),
        ]
        for version in versions {
            origin.clearLog()
            let (data, _) = try await load(version)
            #expect(data == versionA)
            #expect(origin.log.count == 2)
            #expect(origin.log.allSatisfy { $0.header("Range") == nil })
        }
    }

    // Scenario S39.
    @Test("an old enough date is a strong validator")
    func lastModified() async throws {
        let now = Int(secondsSince1970())
        let date = HTTPDate.format(now - 90_000)
        let (data, response) = try await load(
            .init(versionA, lastModified: date, headers: [("Date", HTTPDate.format(now))]))
        #expect(data == versionA)
        #expect(response.metrics.resumedByteCount == 100_000)
        #expect(origin.log[1].header("If-Range") == date)
    }

    // Scenario S39.
    @Test("cut again and again")
    func cutTwice() async throws {
        let resource = OriginResource(.init(versionA, etag: "\"A\""))
        resource.cutNext(after: 50_000)
        resource.cutNext(after: 70_000)
        origin.on("/a", resource)
        let (data, response) = try await downloader.data(for: request())
        #expect(data == versionA)
        #expect(response.attempts == 3)
        #expect(origin.log.map { $0.header("Range") } == [nil, "bytes=50000-", "bytes=120000-"])
    }

    // Scenario S39.
    @Test("everything but the end was received; 416 says that nothing is left")
    func rangeBehindTheEnd() async throws {
        let body = versionA
        origin.on("/a") { request in
            if request.header("Range") == nil {
                return .chunked([body], final: false, headers: [("ETag", "\"A\"")])
            }
            return OriginResponse(416, headers: [("Content-Range", "bytes */200000"), ("ETag", "\"A\"")])
        }
        let (data, response) = try await downloader.data(for: request())
        #expect(data == body)
        #expect(response.status == 200)
        #expect(origin.requestCount == 2)
    }

    // Scenario S39.
    @Test("a 416 without proof, or of another length, starts over", arguments: [true, false])
    func rangeBehindTheEndUnproven(_ sameLength: Bool) async throws {
        let (first, second) = (versionA, versionB)
        let counter = FirstTime()
        origin.on("/a") { request in
            if counter.take() { return .chunked([first], final: false, headers: [("ETag", "\"A\"")]) }
            if request.header("Range") == nil { return .ok(second, headers: [("ETag", "\"B\"")]) }
            let fields =
                sameLength
                ? [("Content-Range", "bytes */200000")] : [("Content-Range", "bytes */7"), ("ETag", "\"A\"")]
            return OriginResponse(416, headers: fields)
        }
        #expect(try await downloader.data(for: request()).0 == second)
    }

    @Test func aShortPartialAnswerIsContinued() async throws {
        let body = versionA
        origin.on("/a") { request in
            guard let range = request.header("Range") else {
                return .truncated(body, sent: 100_000, headers: [("ETag", "\"A\"")])
            }
            let start = Int(range.dropFirst(6).dropLast()) ?? 0
            let end = min(start + 60_000, body.count)
            return OriginResponse(
                206, headers: [("ETag", "\"A\""), ("Content-Range", "bytes \(start)-\(end - 1)/\(body.count)")],
                body: body.subdata(in: start..<end))
        }
        let (data, response) = try await downloader.data(for: request())
        #expect(data == body)
        #expect(response.attempts == 3)
    }

    @Test func whatAFailedTransferLeftHelpsTheNext() async throws {
        let resource = OriginResource(.init(versionA, etag: "\"A\""))
        resource.cutNext(after: 120_000)
        origin.on("/a", resource)
        #expect(await downloader.failure(request(retries: 0))?.code == "truncated")
        let transfer = downloader.transfer(for: request(retries: 0))
        var pieces = Data()
        for try await chunk in transfer.chunks {
            #expect(chunk.offset == pieces.count)
            pieces += chunk.data
        }
        let (data, response) = try await transfer.result()
        #expect(data == versionA && pieces == versionA)
        #expect(response.metrics.resumedByteCount == 120_000)
        #expect(response.metrics.bodyByteCountOnWire == 80_000)
    }

    @Test func whatWasKeptIsForTheSameRequestOnly() async throws {
        let resource = OriginResource(.init(versionA, etag: "\"A\""))
        resource.cutNext(after: 120_000)
        origin.on("/a", resource)
        #expect(await downloader.failure(request(retries: 0))?.code == "truncated")
        var other = request(retries: 0)
        other.headers["Authorization"] = "Bearer other"
        #expect(try await downloader.data(for: other).1.metrics.resumedByteCount == 0)
        var conditional = request(retries: 0)
        conditional.headers["If-None-Match"] = "\"x\""
        #expect(try await downloader.data(for: conditional).1.metrics.resumedByteCount == 0)
    }

    @Test func aCancelledTransferLeavesItsBytes() async throws {
        let resource = OriginResource(.init(versionA, etag: "\"A\""))
        let body = versionA
        let counter = FirstTime()
        origin.on("/a") { request in
            counter.take() ? .stalled(body, after: 150_000, headers: [("ETag", "\"A\"")]) : resource.handler(request)
        }
        let transfer = downloader.transfer(for: request())
        for await report in transfer.progress where report.received == 150_000 { break }
        transfer.cancel()
        let (data, response) = try await downloader.data(for: request())
        #expect(data == body)
        #expect(response.metrics.resumedByteCount == 150_000)
    }

    @Test func aReaderIsToldToStartOver() async throws {
        let resource = OriginResource(.init(versionA, etag: "\"A\""))
        resource.cutNext(after: 100_000)
        let next = OriginResource.Version(versionB, etag: "\"B\"")
        let counter = FirstTime()
        origin.on("/a") { request in
            if !counter.take() { resource.version = next }
            return resource.handler(request)
        }
        let transfer = downloader.transfer(for: request())
        var pieces = Data()
        for try await chunk in transfer.chunks {
            if chunk.offset == 0 { pieces = Data() }
            #expect(chunk.offset == pieces.count)
            pieces += chunk.data
        }
        #expect(pieces == versionB)
        var last = TransferProgress(received: 0, total: nil)
        for await report in transfer.progress { last = report }
        #expect(last.received == 200_000)
    }

    @Test func compressedBodiesAreNotResumed() async throws {
        let packed = originGzip(versionA)
        let body = versionA
        let counter = FirstTime()
        origin.on("/a") { _ in
            let headers = [("ETag", "\"A\""), ("Content-Encoding", "gzip")]
            return counter.take() ? .truncated(packed, sent: 100_000, headers: headers) : .ok(packed, headers: headers)
        }
        #expect(try await downloader.data(for: request()).0 == body)
        #expect(origin.log.allSatisfy { $0.header("Range") == nil })
    }
}
