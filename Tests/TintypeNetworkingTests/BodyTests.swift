import Foundation
import TestOrigin
import Testing

@testable import TintypeNetworking

/// Declared length against received, compressed bodies, limits, progress.
@Suite struct BodyTests {
    let origin: TestOrigin
    let downloader = ImageDownloader()
    let body = noise(100_000)

    init() throws { origin = try TestOrigin() }

    private func failure(_ path: String, _ change: (inout DownloadRequest) -> Void = { _ in }) async -> NetworkingError?
    {
        await downloader.failure(.test(origin.url(path), change))
    }

    private func bytes(_ path: String, _ change: (inout DownloadRequest) -> Void = { _ in }) async throws -> Data {
        try await downloader.data(for: .test(origin.url(path), change)).0
    }

    // Scenario S35.
    @Test("chunked without its last chunk")
    func chunkedCut() async throws {
        origin.on("/a", .chunked([body.prefix(50_000), body.prefix(10_000)], final: false))
        #expect(await failure("/a") == .truncated(received: 60_000, expected: nil))
    }

    // Scenario S35.
    @Test("chunked, cut inside a chunk, and with a broken size")
    func chunkedBroken() async throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        origin.on("/inside", .raw(head + "ff\r\nabc"))
        #expect(await failure("/inside")?.code == "truncated")
        origin.on("/size", .raw(head + "3\r\nabc\r\nxyz\r\n"))
        #expect(await failure("/size")?.code == "truncated")
    }

    // Scenario S35.
    @Test("without a length the end of the connection is the end of the body")
    func withoutLength() async throws {
        origin.on("/a", .withoutLength(body))
        origin.on("/b", .withoutLength(body, version: "HTTP/1.1"))
        #expect(try await bytes("/a") == body)
        #expect(try await bytes("/b") == body)
    }

    // Scenario S35.
    @Test("a body longer than announced is taken up to its length, and the connection is not used again")
    func longerThanAnnounced() async throws {
        origin.on("/a", .lying(body, declared: 60_000))
        #expect(try await bytes("/a") == body.prefix(60_000))
        origin.on("/b", .ok(body))
        #expect(try await bytes("/b") == body)
        #expect(origin.connectionCount == 2)
    }

    // Scenario S35.
    @Test("reset, and closed, in the middle and at the start")
    func resets() async throws {
        origin.on("/middle", .reset(body, after: 60_000))
        #expect(await failure("/middle")?.code == "truncated")
        origin.on("/head", .raw("HTTP/1.1 200 OK\r\nContent-Le"))
        #expect(await failure("/head")?.isTransient == true)
        origin.on("/reset", .resetAtOnce)
        origin.on("/closed", .closedAtOnce)
        for path in ["/reset", "/closed"] {
            guard case .connectionFailed(.broken, _, _)? = await failure(path) else {
                Issue.record("\(path)")
                continue
            }
        }
    }

    // Scenario S35.
    @Test("a compressed body that is cut short under a right Content-Length", arguments: [1, 4, 8, 9, 40, 5000])
    func gzipCut(_ cut: Int) async throws {
        origin.on("/a", .gzip(body, cut: cut))
        #expect(await failure("/a")?.code == "truncated")
    }

    @Test func deflateInBothForms() async throws {
        origin.on("/zlib", .ok(originDeflate(body, isBare: false), headers: [("Content-Encoding", "deflate")]))
        origin.on("/bare", .ok(originDeflate(body, isBare: true), headers: [("Content-Encoding", "Deflate")]))
        #expect(try await bytes("/zlib") == body)
        #expect(try await bytes("/bare") == body)
        origin.on(
            "/cut", .ok(originDeflate(body, isBare: false).dropLast(3), headers: [("Content-Encoding", "deflate")]))
        #expect(await failure("/cut")?.code == "truncated")
    }

    @Test func gzipInAllItsWays() async throws {
        let packed = originGzip(body)
        let coding = [("Content-Encoding", "gzip")]
        origin.on("/chunked", .chunked([packed.prefix(7), packed.dropFirst(7)].map { Data($0) }, headers: coding))
        origin.on("/x", .ok(packed, headers: [("Content-Encoding", "X-GZIP")]))
        origin.on("/members", .ok(originGzip(body.prefix(9)) + originGzip(body.dropFirst(9)), headers: coding))
        origin.on("/trailing", .ok(packed + Data(count: 100), headers: coding))
        origin.on("/identity", .ok(body, headers: [("Content-Encoding", "identity")]))
        origin.on("/zeros", .gzip(Data(count: 3_000_000)))
        for path in ["/chunked", "/x", "/members", "/trailing", "/identity"] {
            #expect(try await bytes(path) == body, "\(path)")
        }
        #expect(try await bytes("/zeros") == Data(count: 3_000_000))
        origin.on("/empty", .ok(Data(), headers: coding))
        #expect(await failure("/empty") == .emptyBody)
    }

    @Test func brokenEncodings() async throws {
        var broken = originGzip(body)
        broken[broken.count - 6] ^= 1
        origin.on("/checksum", .ok(broken, headers: [("Content-Encoding", "gzip")]))
        origin.on("/often", .ok(body, headers: [("Content-Encoding", "gzip, gzip, gzip, gzip, gzip, gzip")]))
        for path in ["/checksum", "/often"] {
            #expect(await failure(path)?.code == "corrupt", "\(path)")
        }
        origin.on("/cut", .ok(originGzip(originGzip(body).dropLast(9)), headers: [("Content-Encoding", "gzip, gzip")]))
        #expect(await failure("/cut")?.code == "truncated")
    }

    @Test(
        "Unknown content codings pass, known ones are undone, last one first",
        arguments: [
            "none", "utf-8", "binary", "aws-chunked", "identity", "", "br", "identity, gzip", "gzip, gzip",
            "aws-chunked,X-Gzip", "deflate, gzip", "gzip, none, deflate",
        ])
    func contentCodings(_ coding: String) async throws {
        let sent = coding.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
            .reduce(body) { data, name in
                switch name {
                case "gzip", "x-gzip": originGzip(data)
                case "deflate": originDeflate(data, isBare: false)
                default: data
                }
            }
        origin.on("/a", .ok(sent, headers: [("Content-Encoding", coding)]))
        #expect(try await bytes("/a") == body)
    }

    @Test(
        "A body that is not what its content coding says loads as it is", arguments: ["gzip", "deflate", "gzip, gzip"])
    func mislabelled(_ coding: String) async throws {
        for start in [[0x89, 0x50, 0x4E, 0x47], [0xFF, 0xD8, 0xFF, 0xE0], Array("RIFF".utf8)] as [[UInt8]] {
            let image = Data(start) + body
            origin.on("/a", .ok(image, headers: [("Content-Encoding", coding)]))
            #expect(try await bytes("/a") == image)
            #expect(await failure("/a") { $0.maximumBodyByteCount = 1000 }?.code == "bodyTooLarge")
        }
    }

    @Test("A body that is too long by its header fails before its first byte", arguments: [nil, "gzip"])
    func tooLongByTheHeader(_ coding: String?) async throws {
        let fields = coding.map { "Content-Encoding: \($0)\r\n" } ?? ""
        for length in ["1000000", "99999999999999999999"] {
            let head = Data("HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(length)\r\n\r\n".utf8)
            origin.on("/a", OriginResponse(steps: [.send(head), .stall]))
            #expect(await failure("/a") { $0.maximumBodyByteCount = 99_999 } == .bodyTooLarge(limit: 99_999))
        }
    }

    @Test("A long body of an error or a redirect is not waited for")
    func uselessBodies() async throws {
        let tail = "Content-Length: 1000000\r\n\r\n"
        origin.on("/404", OriginResponse(steps: [.send(Data("HTTP/1.1 404 x\r\n\(tail)".utf8)), .stall]))
        origin.on(
            "/302", OriginResponse(steps: [.send(Data("HTTP/1.1 302 x\r\nLocation: /a\r\n\(tail)".utf8)), .stall]))
        origin.on("/a", .ok(body))
        #expect(await failure("/404")?.status == 404)
        #expect(try await bytes("/302") == body)
    }

    @Test func bodyLimitCountsDecodedBytes() async throws {
        origin.on("/plain", .ok(body))
        origin.on("/chunked", .chunked([body]))
        origin.on("/bomb", .bomb(byteCount: 50_000_000))
        for path in ["/plain", "/chunked", "/bomb"] {
            #expect(await failure(path) { $0.maximumBodyByteCount = 99_999 } == .bodyTooLarge(limit: 99_999), "\(path)")
        }
        #expect(try await bytes("/plain") { $0.maximumBodyByteCount = 100_000 }.count == 100_000)
        #expect(try await bytes("/bomb") { $0.maximumBodyByteCount = 50_000_000 }.count == 50_000_000)
        #expect(await failure("/bomb") { $0.maximumBodyByteCount = 49_999_999 }?.code == "bodyTooLarge")
    }

    @Test func aLieAboutTheLengthCostsNoMemory() async throws {
        origin.on("/a", .lying(body, declared: 150 << 20))
        #expect(await failure("/a") == .truncated(received: 100_000, expected: 150 << 20))
        origin.on("/b", .lying(body, declared: Int.max))
        #expect(await failure("/b")?.code == "bodyTooLarge")
        origin.on("/c", .raw("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nabc"))
        #expect(await failure("/c") != nil)
        origin.on("/d", .raw("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nabc"))
        #expect(await failure("/d") != nil)
    }

    // Scenario S37.
    @Test("empty bodies are errors")
    func empty() async throws {
        origin.on("/a", .ok(Data()))
        origin.on("/b", .chunked([]))
        origin.on("/c", .withoutLength(Data()))
        origin.on("/d", .status(204))
        for path in ["/a", "/b", "/c", "/d"] { #expect(await failure(path) == .emptyBody, "\(path)") }
        #expect(try await bytes("/a") { $0.allowsEmptyBody = true }.isEmpty)
        #expect(try await bytes("/a") { $0.method = "HEAD" }.isEmpty)
    }

    // Scenario S37.
    @Test("progress of chunked, HTTP/1.0 and plain bodies")
    func progress() async throws {
        let pieces = (0..<10).map { noise(5000, seed: UInt64($0) + 1) }
        origin.on("/chunked", .chunked(pieces, interval: 0.01))
        origin.on("/old", .withoutLength(body))
        origin.on("/plain", .dripped(body, piece: 10_000, interval: 0.005))
        for (path, total, count) in [("/chunked", nil, 50_000), ("/old", nil, 100_000), ("/plain", 100_000, 100_000)]
            as [(String, Int?, Int)]
        {
            let reports = try await reports(path)
            #expect(reports.last?.received == count, "\(path)")
            #expect(reports.allSatisfy { $0.total == total }, "\(path)")
            #expect(zip(reports, reports.dropFirst()).allSatisfy { $0.received < $1.received }, "\(path)")
            #expect(reports.allSatisfy { ($0.fraction ?? 0) <= 1 }, "\(path)")
            if path != "/old" { #expect(reports.count > 4, "\(path)") }
        }
    }

    // Scenario S37.
    @Test("progress of a compressed body never passes 1")
    func progressOfCompressed() async throws {
        origin.on("/a", .gzip(Data(count: 5_000_000)))
        let reports = try await reports("/a")
        #expect(reports.last == TransferProgress(received: 5_000_000, total: nil))
        #expect(reports.allSatisfy { $0.fraction == nil })
    }

    @Test func progressComesBeforeTheEndAndOnceMoreForLatecomers() async throws {
        origin.on("/a", .ok(body))
        let transfer = downloader.transfer(for: .test(origin.url("/a")))
        _ = try await transfer.result()
        var late: [TransferProgress] = []
        for await report in transfer.progress { late.append(report) }
        #expect(late == [TransferProgress(received: 100_000, total: 100_000)])
    }

    @Test func progressInterval() async throws {
        origin.on("/a", .dripped(body, piece: 1000, interval: 0.0005))
        let reports = try await reports("/a") { $0.minimumProgressInterval = 0.25 }
        #expect(2...6 ~= reports.count)
        #expect(reports.last?.received == 100_000)
    }

    private func reports(_ path: String, _ change: (inout DownloadRequest) -> Void = { _ in }) async throws
        -> [TransferProgress]
    {
        let transfer = downloader.transfer(for: .test(origin.url(path), change))
        var reports: [TransferProgress] = []
        for await report in transfer.progress { reports.append(report) }
        #expect(transfer.isFinished)
        _ = try await transfer.result()
        return reports
    }

    @Test func wireCountAndDecodedCount() async throws {
        origin.on("/a", .gzip(Data(count: 1_000_000)))
        let (data, response) = try await downloader.data(for: .test(origin.url("/a")))
        #expect(data.count == 1_000_000)
        #expect(response.metrics.bodyByteCountOnWire == originGzip(Data(count: 1_000_000)).count)
    }

    @Test("HTTP/0.9 and other noise are typed errors")
    func notHTTP() async throws {
        origin.on("/garbage", .raw(Data([0, 1, 2, 3, 13, 10, 13, 10])))
        origin.on("/html", .raw("<html>hello</html>"))
        for path in ["/garbage", "/html"] {
            guard case .connectionFailed(.protocolViolation, _, _)? = await failure(path) else {
                Issue.record("\(path)")
                continue
            }
        }
    }

    @Test func interimAnswersAndTrailersAreNoHeads() async throws {
        origin.on(
            "/early",
            .raw("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\nX: y\r\n\r\nok"))
        let (data, response) = try await downloader.data(for: .test(origin.url("/early")))
        #expect(data == Data("ok".utf8))
        #expect(response.status == 200 && response.headers["Link"] == nil && response.headers["X"] == "y")
        origin.on("/trailer", .chunked([body], trailers: [("ETag", "\"late\"")]))
        let (_, second) = try await downloader.data(for: .test(origin.url("/trailer")))
        #expect(second.headers["ETag"] == nil)
    }

    // Scenario S31.
    @Test("every content type loads unless the request restricts them")
    func contentTypes() async throws {
        for (index, type) in [
            "application/octet-stream", "binary/octet-stream", "image/jpg", "text/plain", "image/png; charset=utf-8",
            "", nil,
        ].enumerated() {
            origin.on("/\(index)", .ok(body, type: type))
            #expect(try await bytes("/\(index)") == body, "\(type ?? "none")")
        }
        #expect(try await bytes("/4") { $0.acceptedContentTypes = ["image/*"] } == body)
        #expect(try await bytes("/4") { $0.acceptedContentTypes = ["image/png"] } == body)
        #expect(await failure("/3") { $0.acceptedContentTypes = ["image/*"] } == .unacceptableContentType("text/plain"))
        #expect(await failure("/6") { $0.acceptedContentTypes = ["image/*"] } == .unacceptableContentType(""))
    }

    @Test func statusCodes() async throws {
        origin.on("/404", .status(404, body: noise(3_000_000)))
        origin.on("/203", .status(203))
        #expect(await failure("/404")?.status == 404)
        #expect(try await bytes("/404") { $0.acceptedStatusCodes = 200..<500 }.count == 3_000_000)
        #expect(try await bytes("/203") == Data("status".utf8))
    }

    @Test func notModified() async throws {
        let resource = OriginResource(.init(body, etag: "\"v1\""))
        origin.on("/a", resource)
        let (data, response) = try await downloader.data(
            for: .test(origin.url("/a")) { $0.headers["If-None-Match"] = "\"v1\"" })
        #expect(response.status == 304 && data.isEmpty)
        #expect(response.headers["ETag"] == "\"v1\"")
        origin.on("/b", .status(304))
        #expect(await failure("/b")?.status == 304, "the request was not conditional")
    }

    @Test func rangesNobodyAskedFor() async throws {
        origin.on("/part", OriginResponse(206, headers: [("Content-Range", "bytes 0-99/200")], body: body.prefix(100)))
        origin.on("/whole", OriginResponse(206, headers: [("Content-Range", "bytes 0-99/100")], body: body.prefix(100)))
        #expect(await failure("/part")?.status == 206)
        let huge = "bytes 0-9223372036854775807/*"
        origin.on("/huge", OriginResponse(206, headers: [("Content-Range", huge)], body: body.prefix(100)))
        #expect(await failure("/huge")?.status == 206)
        #expect(try await bytes("/whole") == body.prefix(100))
        #expect(try await bytes("/part") { $0.headers["Range"] = "bytes=0-99" } == body.prefix(100))
    }
}
