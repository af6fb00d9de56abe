import Foundation
import TestOrigin
import Testing

@testable import TintypeNetworking

@Suite struct RedirectTests {
    let origin: TestOrigin
    let downloader = ImageDownloader()

    init() throws { origin = try TestOrigin() }

    private func failure(_ path: String, _ change: (inout DownloadRequest) -> Void = { _ in }) async -> NetworkingError?
    {
        await downloader.failure(.test(origin.url(path), change))
    }

    // Scenario S41.
    @Test("every kind of redirect", arguments: [301, 302, 303, 307, 308])
    func kinds(_ status: Int) async throws {
        origin.on("/a", .redirect(to: "/b?x=1", status: status))
        origin.on("/b", .text("there"))
        let (data, response) = try await downloader.data(for: .test(origin.url("/a")))
        #expect(data == Data("there".utf8))
        #expect(response.finalURL == origin.url("/b?x=1"))
        #expect(response.redirectCount == 1)
        #expect(response.attempts == 1)
        #expect(origin.connectionCount == 1)
    }

    // Scenario S41.
    @Test("forms of Location")
    func locations() async throws {
        origin.onEverythingElse { .text($0.target) }
        let port = origin.port
        for (location, target) in [
            ("b", "/x/b"), ("./b/../c", "/x/c"), ("?q", "/x/a?q"), ("//127.0.0.1:\(port)/p", "/p"),
            ("/图 片", "/%E5%9B%BE%20%E7%89%87"),
            ("HTTP://127.0.0.1:\(port)/u", "/u"), ("/f#frag", "/f"), ("  /blank  ", "/blank"), ("/100%", "/100%25"),
            ("/a%20b", "/a%20b"),
        ] {
            origin.on("/x/a", .redirect(to: location))
            origin.on("/x/a?q", .text("/x/a?q"))
            let (data, response) = try await downloader.data(for: .test(origin.url("/x/a")))
            #expect(String(decoding: data, as: UTF8.self) == target, "\(location)")
            #expect(response.finalURL == origin.url(target))
        }
        // Bytes of ISO 8859-1 mean themselves.
        origin.on(
            "/latin",
            .raw(Data("HTTP/1.1 302 x\r\nContent-Length: 0\r\nLocation: /".utf8) + [0xE9] + Data("\r\n\r\n".utf8)))
        #expect(try await downloader.data(for: .test(origin.url("/latin"))).0 == Data("/%E9".utf8))
    }

    // Scenario S41.
    @Test("a redirect without a target is an error")
    func missingLocation() async throws {
        origin.on("/none", .redirect(to: nil))
        origin.on("/empty", .redirect(to: ""))
        #expect(await failure("/none")?.status == 302)
        #expect(await failure("/empty")?.status == 302)
        origin.on("/bad", .redirect(to: "http://"))
        #expect(await failure("/bad")?.code == "invalidURL")
        origin.on("/300", .redirect(to: "/none", status: 300))
        #expect(await failure("/300")?.status == 300)
    }

    // Scenario S41.
    @Test("chains, loops and the limit")
    func chains() async throws {
        for hop in 1...25 { origin.on("/hop\(hop)", .redirect(to: "/hop\(hop - 1)")) }
        origin.on("/hop0", .text("end"))
        origin.on("/loop", .redirect(to: "/loop"))
        #expect(try await downloader.data(for: .test(origin.url("/hop3"))).1.redirectCount == 3)
        #expect(try await downloader.data(for: .test(origin.url("/hop10"))).1.redirectCount == 10)
        origin.clearLog()
        #expect(await failure("/hop25") == .tooManyRedirects(limit: 10, lastURL: origin.url("/hop15")))
        #expect(origin.requestCount == 11)
        #expect(await failure("/loop")?.code == "tooManyRedirects")
        #expect(await failure("/hop2") { $0.maximumRedirects = 1 }?.code == "tooManyRedirects")
        #expect(await failure("/hop1") { $0.maximumRedirects = 0 }?.code == "tooManyRedirects")
    }

    // Scenario S41.
    @Test("only http and https", arguments: ["file:///etc/hostname", "ftp://h/a", "data:,x", "javascript:1"])
    func schemes(_ target: String) async throws {
        origin.on("/a", .redirect(to: target))
        #expect(await failure("/a")?.code == "unsupportedScheme")
    }

    // Scenario S41.
    @Test("the deadline covers the whole chain")
    func deadline() async throws {
        for hop in 0..<10 { origin.on("/hop\(hop)", OriginResponse.redirect(to: "/hop\(hop + 1)").delayed(0.5)) }
        let error = await failure("/hop0") { $0.timeouts.total = .milliseconds(1750) }
        #expect(error == .timedOut(.total, limit: 1.75))
        #expect(1...5 ~= origin.requestCount)
    }

    @Test func methodsAndBodies() async throws {
        origin.onEverythingElse { .text("\($0.method) \(String(decoding: $0.body, as: UTF8.self))") }
        for (status, method, expected) in [
            (301, "POST", "GET "), (302, "POST", "GET "), (303, "POST", "GET "), (307, "POST", "POST data"),
            (308, "POST", "POST data"), (303, "PUT", "GET "), (302, "PUT", "PUT data"),
        ] {
            origin.on("/a", .redirect(to: "/b", status: status))
            let (data, _) = try await downloader.data(
                for: .test(origin.url("/a")) {
                    $0.method = method
                    $0.body = Data("data".utf8)
                    $0.headers["Content-Type"] = "text/plain"
                })
            #expect(String(decoding: data, as: UTF8.self) == expected, "\(status) \(method)")
            #expect((origin.log.last?.header("Content-Type") != nil) == expected.hasSuffix("data"))
        }
        #expect(origin.log.allSatisfy { $0.header("Expect") == nil })
    }

    @Test func secretsStayWithTheirOrigin() async throws {
        let other = try TestOrigin()
        origin.on("/away", .redirect(to: other.url("/a")))
        origin.on("/home", .redirect(to: "/a"))
        origin.on("/a", .text("home"))
        other.on("/a", .text("away"))
        other.on("/back", .redirect(to: origin.url("/a")))
        origin.on("/around", .redirect(to: other.url("/back")))
        func load(_ path: String) async throws {
            _ = try await downloader.data(
                for: .test(origin.url(path)) {
                    $0.credential = HTTPCredential(user: "u", password: "p", scheme: .basic)
                    $0.headers["Cookie"] = "secret=1"
                    $0.headers["X-Plain"] = "1"
                })
        }
        try await load("/home")
        #expect(
            origin.log.allSatisfy { $0.header("Authorization") == "Basic dTpw" && $0.header("Cookie") == "secret=1" })
        try await load("/away")
        try await load("/around")
        #expect(other.log.count == 2)
        #expect(other.log.allSatisfy { $0.header("Authorization") == nil && $0.header("Cookie") == nil })
        #expect(other.log.allSatisfy { $0.header("X-Plain") == nil })
        _ = try await downloader.data(
            for: .test(origin.url("/away")) { $0.headers["Authorization"] = "Bearer secret" })
        #expect(other.log.allSatisfy { $0.header("Authorization") == nil })
    }

    @Test("Only harmless fields and marked ones cross an origin")
    func fieldsAcrossOrigins() async throws {
        let other = try TestOrigin()
        origin.on("/away", .redirect(to: other.url("/a"), status: 307))
        origin.on("/home", .redirect(to: "/a"))
        origin.on("/a", .text("home"))
        other.on("/a", .text("away"))
        for path in ["/away", "/home"] {
            _ = try await downloader.data(
                for: .test(origin.url(path)) {
                    $0.headers = [
                        "X-Api-Key": "k", "Referer": "r", "X-Safe": "s", "Authorization": "a", "Accept-Language": "de",
                        "User-Agent": "u", "Accept": "image/png",
                    ]
                    $0.redirectSafeHeaders = ["x-safe", "Authorization"]
                })
        }
        let away = try #require(other.log.last)
        for name in ["X-Api-Key", "Referer", "Authorization"] { #expect(away.header(name) == nil, "\(name)") }
        #expect(away.header("X-Safe") == "s" && away.header("Accept-Language") == "de")
        #expect(away.header("User-Agent") == "u" && away.header("Accept") == "image/png")
        #expect(origin.log.last?.header("X-Api-Key") == "k")
    }

    @Test("Validators go to their own URL only, and a 304 of another one is an error")
    func validators() async throws {
        let other = try TestOrigin()
        origin.on("/a", .redirect(to: other.url("/new")))
        other.on("/new", .status(304))
        other.on("/old", .status(304))
        let target = other.url("/old")
        let error = await failure("/a") {
            $0.validators = CacheValidators(url: target, headers: ["If-None-Match": "\"1\""])
        }
        #expect(error?.status == 304)
        #expect(await failure("/a") { $0.headers["If-None-Match"] = "\"1\"" }?.status == 304)
        #expect(other.log.allSatisfy { $0.header("If-None-Match") == nil })
        origin.on("/a", .redirect(to: target))
        let (_, response) = try await downloader.data(
            for: .test(origin.url("/a")) {
                $0.validators = CacheValidators(url: target, headers: ["If-None-Match": "\"1\""])
            })
        #expect(response.status == 304)
        #expect(response.redirects.map(\.status) == [302])
        #expect(other.log.last?.header("If-None-Match") == "\"1\"")
    }

    @Test func handlerMayChangeAndStop() async throws {
        origin.on("/a", .redirect(to: "/b"))
        origin.on("/b", .text("b"))
        origin.on("/c", .text("c"))
        let target = origin.url("/c")
        let changed = try await downloader.data(
            for: .test(origin.url("/a")) {
                $0.hooks.redirectHandler = { step in
                    var step = step
                    step.to = target
                    step.headers["X-Hop"] = "1"
                    return step
                }
            })
        #expect(changed.0 == Data("c".utf8))
        #expect(origin.log.last?.header("X-Hop") == "1")
        #expect(await failure("/a") { $0.hooks.redirectHandler = { _ in nil } }?.status == 302)
        let bad = await failure("/a") {
            $0.hooks.redirectHandler = { step in
                var step = step
                step.to = "file:///etc/passwd"
                return step
            }
        }
        #expect(bad?.code == "unsupportedScheme")
        struct Mine: Error {}
        #expect(await failure("/a") { $0.hooks.redirectHandler = { _ in throw Mine() } }?.code == "blocked")
    }
}
