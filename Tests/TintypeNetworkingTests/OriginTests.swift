import Foundation
import TestOrigin
import Testing
import TintypeNetworking

/// The test origin against an independent client: the `curl` command.
@Suite struct OriginTests {
    let origin: TestOrigin

    init() throws { origin = try TestOrigin() }

    struct Output {
        let status: Int32
        let body: Data
        var text: String { String(decoding: body, as: UTF8.self) }
    }

    /// Runs curl on a thread of its own.
    private func curl(_ arguments: String...) async throws -> Output {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                let process = Process()
                process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
                process.arguments = ["curl", "-s", "--noproxy", "*", "--max-time", "20"] + arguments
                let pipe = Pipe()
                process.standardOutput = pipe
                process.standardError = FileHandle.nullDevice
                do {
                    try process.run()
                    let body = pipe.fileHandleForReading.readDataToEndOfFile()
                    process.waitUntilExit()
                    continuation.resume(returning: Output(status: process.terminationStatus, body: body))
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
    }

    @Test func bodiesAndFaults() async throws {
        let body = noise(10_000)
        origin.on("/plain", .ok(body))
        origin.on("/chunked", .chunked([body.prefix(1000), body.dropFirst(1000)].map { Data($0) }))
        origin.on("/gzip", .gzip(body))
        origin.on("/old", .withoutLength(body))
        origin.on("/drip", .dripped(body, piece: 3000, interval: 0.01))
        for path in ["/plain", "/chunked", "/gzip", "/old", "/drip"] {
            let output = try await curl("--compressed", origin.url(path))
            #expect(output.status == 0 && output.body == body, "\(path)")
        }
        origin.on("/cut", .truncated(body, sent: 6000))
        origin.on("/cut-chunks", .chunked([body], final: false))
        origin.on("/reset", .reset(body, after: 6000))
        origin.on("/none", .closedAtOnce)
        origin.on("/stall", .stalled(body, after: 6000))
        // The numbers are curl's: partial file, receive error, empty reply, time-out.
        for (path, status) in [("/cut", 18), ("/cut-chunks", 18), ("/reset", 56), ("/none", 52), ("/stall", 28)]
            as [(String, Int32)]
        {
            #expect(try await curl("--max-time", "1", origin.url(path)).status == status, "\(path)")
        }
        #expect(try await curl("-o", "/dev/null", "-w", "%{http_code}", origin.url("/nothing")).text == "404")
        #expect(origin.log.first?.requestLine == "GET /plain HTTP/1.1")
    }

    @Test func keepAliveAndHead() async throws {
        origin.on("/a", .text("abc"))
        origin.on("/close", OriginResponse.text("x").closing())
        let output = try await curl(origin.url("/a"), origin.url("/a"), origin.url("/close"), origin.url("/a"))
        #expect(output.text == "abcabcxabc")
        #expect(origin.connectionCount == 2)
        #expect(origin.log.map(\.ordinal) == [1, 2, 3, 1])
        #expect(try await curl("-I", origin.url("/a")).text.contains("Content-Length: 3"))
    }

    @Test func authentication() async throws {
        let users = ["user": "pass"]
        origin.onBasic("/basic", users: users)
        origin.onDigest("/digest", users: users)
        origin.onDigest("/digest-sha", users: users, algorithm: "SHA-256")
        origin.onNTLM("/ntlm", users: users)
        for (path, flag) in [
            ("/basic", "--basic"), ("/digest", "--digest"), ("/digest-sha", "--digest"), ("/ntlm", "--ntlm"),
        ] {
            #expect(try await curl(flag, "-u", "user:pass", origin.url(path)).text.hasSuffix("-ok user"), "\(path)")
            let wrong = try await curl(
                flag, "-u", "user:wrong", "-o", "/dev/null", "-w", "%{http_code}", origin.url(path))
            #expect(wrong.text == "401", "\(path)")
        }
    }

    @Test func rangesAndConditions() async throws {
        let body = noise(1000)
        origin.on("/a", OriginResource(.init(body, etag: "\"v1\"")))
        let part = try await curl("-H", "Range: bytes=400-", "-H", "If-Range: \"v1\"", origin.url("/a"))
        #expect(part.body == body.dropFirst(400))
        #expect(try await curl("-H", "Range: bytes=400-", "-H", "If-Range: \"v0\"", origin.url("/a")).body == body)
        let unchanged = try await curl("-H", "If-None-Match: W/\"v1\"", "-w", "%{http_code}", origin.url("/a"))
        #expect(unchanged.text == "304")
        #expect(try await curl("-r", "5000-", "-o", "/dev/null", "-w", "%{http_code}", origin.url("/a")).text == "416")
    }

    @Test func tls() async throws {
        let certificates = try SecurityTests.certificates.get()
        let secure = try TestOrigin(tls: certificates.tls())
        secure.on("/a", .ok(noise(300_000)))
        #expect(try await curl("--cacert", certificates.authority, secure.url("/a")).body == noise(300_000))
        #expect(try await curl(secure.url("/a")).status == 60)
    }

    @Test("an origin that was let go takes no connection of the next one, which may get its descriptor")
    func lettingGo() async throws {
        let downloader = ImageDownloader()
        for round in 0..<100 {
            try TestOrigin().stop()
            let next = try TestOrigin()
            next.on("/a", OriginResponse.text("\(round)").closing())
            for _ in 0..<4 {
                let request = DownloadRequest.test(next.url("/a")) { $0.timeouts.idle = .seconds(20) }
                let (data, _) = try await downloader.data(for: request)
                #expect(String(decoding: data, as: UTF8.self) == "\(round)")
            }
        }
    }

    @Test func redirectsAndBodies() async throws {
        origin.on("/a", .redirect(to: "/b", status: 307))
        origin.on("/b") { .text(String(decoding: $0.body, as: UTF8.self)) }
        #expect(try await curl("-L", "-d", "x=1", origin.url("/a")).text == "x=1")
        #expect(origin.log.last?.method == "POST")
    }
}
