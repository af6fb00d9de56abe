import Foundation
import TestOrigin
import Testing
import TintypeBase

@testable import TintypeNetworking

/// Certificates, credentials, addresses, cookies.
@Suite struct SecurityTests {
    let downloader = ImageDownloader()
    static let certificates = Result { try OriginCertificates() }

    private func failure(_ url: String, _ change: (inout DownloadRequest) -> Void = { _ in }) async -> NetworkingError?
    {
        await downloader.failure(.test(url, change))
    }

    @Test func certificateAuthorities() async throws {
        let certificates = try Self.certificates.get()
        let origin = try TestOrigin(tls: certificates.tls())
        origin.on("/a", .text("secure"))
        let url = origin.url("/a")
        #expect(await failure(url)?.code == "tlsFailed")
        let (data, response) = try await downloader.data(
            for: .test(url) { $0.certificateAuthorityFile = certificates.authority })
        #expect(data == Data("secure".utf8))
        #expect(response.metrics.tls > .zero)
        #expect(await failure(url)?.code == "tlsFailed", "a trusted connection of the pool is not lent to others")
        #expect(try await downloader.data(for: .test(url) { $0.allowsInvalidCertificates = true }).0.count == 6)
        #expect(await failure(url)?.code == "tlsFailed", "nor is an unchecked one")
        #expect(await failure(url) { $0.certificateAuthorityFile = "/nonexistent" }?.code == "tlsFailed")
    }

    @Test func wrongName() async throws {
        let certificates = try Self.certificates.get()
        try certificates.make("other", subject: "/CN=other.example", names: "DNS:other.example")
        let origin = try TestOrigin(tls: certificates.tls("other"))
        #expect(
            await failure(origin.url("/a")) { $0.certificateAuthorityFile = certificates.authority }?.code
                == "tlsFailed")
    }

    @Test func clientCertificates() async throws {
        let certificates = try Self.certificates.get()
        try certificates.make("client", subject: "/CN=client", names: "DNS:client.example")
        let origin = try TestOrigin(tls: certificates.tls(requiresClient: true))
        origin.on("/a", .text("known"))
        let url = origin.url("/a")
        let refused = await failure(url) { $0.certificateAuthorityFile = certificates.authority }
        #expect(refused != nil)
        let (data, _) = try await downloader.data(
            for: .test(url) {
                $0.certificateAuthorityFile = certificates.authority
                $0.clientCertificate = ClientCertificate(
                    certificateFile: certificates.certificate("client"), keyFile: certificates.key("client"))
            })
        #expect(data == Data("known".utf8))
    }

    @Test func plainHTTPOnATLSPortAndTheOtherWay() async throws {
        let plain = try TestOrigin()
        #expect(await failure("https://127.0.0.1:\(plain.port)/")?.code == "tlsFailed")
    }

    static let users = ["user": "pass", "alice": "wonderland", "ü:ber": "x"]

    @Test func schemes() async throws {
        let origin = try TestOrigin()
        origin.onBasic("/basic", users: Self.users)
        origin.onDigest("/md5", users: Self.users)
        origin.onDigest("/sha", users: Self.users, algorithm: "SHA-256")
        origin.onNTLM("/ntlm", users: Self.users)
        for (path, scheme, reply) in [
            ("/basic", .basic, "basic-ok"), ("/md5", .digest, "digest-ok"), ("/sha", .digest, "digest-ok"),
            ("/ntlm", .ntlm, "ntlm-ok"), ("/basic", .any, "basic-ok"), ("/md5", .any, "digest-ok"),
            ("/ntlm", .any, "ntlm-ok"),
        ] as [(String, HTTPCredential.Scheme, String)] {
            for user in ["user", "alice"] {
                let credential = HTTPCredential(user: user, password: Self.users[user] ?? "", scheme: scheme)
                let (data, response) = try await downloader.data(
                    for: .test(origin.url(path)) { $0.credential = credential })
                #expect(String(decoding: data, as: UTF8.self) == "\(reply) \(user)", "\(path) \(scheme)")
                #expect(response.redirectCount == 0)
            }
            let error = await failure(origin.url(path)) {
                $0.credential = HTTPCredential(user: "user", password: "wrong", scheme: scheme)
            }
            #expect(error?.status == 401, "\(path) \(scheme)")
            #expect(await failure(origin.url(path))?.status == 401, "\(path): no credential, no identity")
        }
    }

    @Test func credentialsByPlaceAndInTheURL() async throws {
        let origin = try TestOrigin()
        origin.onBasic("/in/a", users: Self.users)
        origin.onBasic("/a", users: Self.users)
        var configuration = ImageDownloader.Configuration()
        try configuration.credentials.set(
            HTTPCredential(user: "alice", password: "wonderland", scheme: .basic), for: origin.url("/in/"))
        let downloader = ImageDownloader(configuration)
        #expect(try await downloader.data(for: .test(origin.url("/in/a"))).0 == Data("basic-ok alice".utf8))
        #expect(await downloader.failure(.test(origin.url("/a")))?.status == 401)
        let url = "http://user:pass@127.0.0.1:\(origin.port)/a"
        let (data, response) = try await downloader.data(for: .test(url))
        #expect(data == Data("basic-ok user".utf8))
        #expect(!response.finalURL.contains("pass"))
    }

    @Test func identitiesDoNotMix() async throws {
        let origin = try TestOrigin()
        origin.onNTLM("/ntlm", users: Self.users)
        origin.onDigest("/digest", users: Self.users)
        origin.onBasic("/basic", users: Self.users)
        var configuration = ImageDownloader.Configuration()
        configuration.maximumConcurrentTransfers = 16
        configuration.maximumPerHost = 16
        let downloader = ImageDownloader(configuration)
        let base = origin.baseURL
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<270 {
                let (path, scheme) = [("/ntlm", HTTPCredential.Scheme.ntlm), ("/digest", .digest), ("/basic", .basic)][
                    index % 3]
                let user = [nil, "user", "alice"][index / 3 % 3]
                group.addTask {
                    let request = DownloadRequest.test(base + path) {
                        $0.credential = user.map {
                            HTTPCredential(user: $0, password: Self.users[$0] ?? "", scheme: scheme)
                        }
                        $0.acceptedStatusCodes = 200..<500
                        $0.retry = RetryPolicy()
                    }
                    let (data, response) = try await downloader.data(for: request)
                    if let user {
                        #expect(response.status == 200)
                        #expect(String(decoding: data, as: UTF8.self).hasSuffix("-ok \(user)"))
                    } else {
                        #expect(response.status == 401, "\(path) gave \(String(decoding: data, as: UTF8.self))")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func cookiesAreOffUnlessAJarIsGiven() async throws {
        let origin = try TestOrigin()
        origin.on(
            "/set", .redirect(to: "/a", headers: [("Set-Cookie", "a=1; Path=/"), ("Set-Cookie", "b=2; HttpOnly")]))
        origin.on("/a", .text("x"))
        _ = try await downloader.data(for: .test(origin.url("/set")))
        #expect(origin.log.allSatisfy { $0.header("Cookie") == nil })
        let jar = CookieJar()
        _ = try await downloader.data(for: .test(origin.url("/set")) { $0.cookies = jar })
        #expect(origin.log.last?.header("Cookie") == "a=1; b=2")
        _ = try await downloader.data(for: .test(origin.url("/a")))
        #expect(origin.log.last?.header("Cookie") == nil, "a pooled handle remembers nothing")
        let other = CookieJar()
        _ = try await downloader.data(for: .test(origin.url("/a")) { $0.cookies = other })
        #expect(origin.log.last?.header("Cookie") == nil)
        _ = try await downloader.data(
            for: .test(origin.url("/a")) {
                $0.cookies = jar
                $0.headers["Cookie"] = "own=1"
            })
        #expect(origin.log.last?.header("Cookie") == "own=1; a=1; b=2")
    }

    @Test(
        "Private addresses are blocked in every spelling",
        arguments: [
            "127.0.0.1", "localhost", "127.1", "0x7f.1", "2130706433", "0177.0.0.1", "[::1]", "[::ffff:127.0.0.1]",
            "0.0.0.0",
            "[::]", "x.localhost", "10.0.0.1", "169.254.169.254", "192.168.1.1", "172.16.0.1", "100.64.0.1",
            "[fe80::1]",
            "[fd00::1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "224.0.0.1", "LOCALHOST",
        ])
    func blocked(_ host: String) async throws {
        let origin = try TestOrigin()
        origin.on("/a", .text("secret"))
        let error = await failure("http://\(host):\(origin.port)/a") {
            $0.blocksPrivateAddresses = true
            $0.timeouts.connect = .seconds(3)
        }
        // A machine without IPv6 cannot even try some of them.
        #expect(error?.code == "blockedAddress", "\(error as Any)")
        #expect(origin.connectionCount == 0)
    }

    @Test func blockedOnEachHopAndOnPooledConnections() async throws {
        let origin = try TestOrigin()
        let other = try TestOrigin()
        origin.on("/a", .text("secret"))
        other.on("/to", .redirect(to: "http://localhost:\(origin.port)/a"))
        _ = try await downloader.data(for: .test("http://localhost:\(origin.port)/a"))
        let connections = origin.connectionCount
        let pooled = await failure("http://localhost:\(origin.port)/a") { $0.blocksPrivateAddresses = true }
        #expect(pooled?.code == "blockedAddress")
        #expect(origin.requestCount == 1 && origin.connectionCount == connections)
        #expect(await failure(other.url("/to")) { $0.blocksPrivateAddresses = true }?.code == "blockedAddress")
        let proxied = await failure(origin.url("/a")) {
            $0.blocksPrivateAddresses = true
            $0.proxy = .url(other.baseURL)
        }
        #expect(proxied?.code == "invalidRequest")
    }

    @Test func proxies() async throws {
        let proxy = try TestOrigin()
        proxy.onEverythingElse { .text("proxied \($0.target)") }
        let (data, _) = try await downloader.data(
            for: .test("http://unreachable.invalid/a b") { $0.proxy = .url(proxy.baseURL) })
        #expect(String(decoding: data, as: UTF8.self) == "proxied http://unreachable.invalid/a%20b")
        _ = try await downloader.data(
            for: .test("http://unreachable.invalid/") {
                $0.proxy = .url(proxy.baseURL, credential: HTTPCredential(user: "u", password: "p", scheme: .basic))
            })
        #expect(proxy.log.last?.header("Proxy-Authorization") == "Basic dTpw")
    }

    @Test func headersCannotSmuggle() async throws {
        let origin = try TestOrigin()
        for (name, value) in [("X", "a\r\nY: b"), ("X\r\nY", "a"), ("X Y", "a")] {
            #expect(await failure(origin.url("/")) { $0.headers[name] = value }?.code == "invalidRequest")
        }
        #expect(await failure(origin.url("/")) { $0.method = "GET / HTTP/1.1\r\nX:" }?.code == "invalidRequest")
        #expect(origin.connectionCount == 0)
    }

    // Scenario S43.
    @Test("the raw request line")
    func requestLines() async throws {
        let origin = try TestOrigin()
        origin.onEverythingElse { _ in .text("x") }
        for (path, line) in [
            ("/a b.png", "/a%20b.png"), ("/a%20b.png", "/a%20b.png"), ("/Ünï/图.png", "/%C3%9Cn%C3%AF/%E5%9B%BE.png"),
            ("/x%2Fy.png", "/x%2Fy.png"), ("/a+b.png", "/a+b.png"), ("/100%.png", "/100%25.png"),
            ("/q?a=|&b=[]&c=\"&d= e", "/q?a=%7C&b=%5B%5D&c=%22&d=%20e"), ("/f#frag", "/f"), ("/a/../b/./c", "/b/c"),
            ("/a//b", "/a//b"), ("?q", "/?q"), ("", "/"), ("/%2e%2e/x", "/x"), ("/a?b?c=/d", "/a?b?c=/d"),
        ] {
            _ = try await downloader.data(for: .test(origin.baseURL + path))
            #expect(origin.log.last?.requestLine == "GET \(line) HTTP/1.1")
        }
        _ = try await downloader.data(for: .test("HTTP://LOCALHOST:\(origin.port)/A"))
        #expect(origin.log.last?.header("Host") == "localhost:\(origin.port)")
        _ = try await downloader.data(for: .test("http://bücher.localhost:\(origin.port)/"))
        #expect(origin.log.last?.header("Host") == "xn--bcher-kva.localhost:\(origin.port)")
        _ = try await downloader.data(
            for: .test("http://bücher.example:\(origin.port)/") {
                $0.addressOverrides = ["xn--bcher-kva.example": "127.0.0.1"]
            })
        #expect(origin.log.last?.header("Host") == "xn--bcher-kva.example:\(origin.port)")
    }

    /// A downloader to which 127.0.0.1 is public and everything else private, with a resolver of its own.
    private func rebinding(_ resolve: @escaping @Sendable (String) -> String?) -> ImageDownloader {
        var configuration = ImageDownloader.Configuration()
        configuration.forbids = { $0 != InternetAddress("127.0.0.1") }
        configuration.resolve = resolve
        return ImageDownloader(configuration)
    }

    @Test("A name that moves to a private address after its first look-up is blocked")
    func rebindingNames() async throws {
        let origin = try TestOrigin()
        let head = Data("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx".utf8)
        origin.on("/a", .raw(head))
        origin.on("/again", .redirect(to: "http://rebind.example:\(origin.port)/a", headers: [("Connection", "close")]))
        for path in ["/a", "/again"] {
            let lookups = Locked(0)
            let downloader = rebinding { _ in
                lookups.withLock { count in
                    count += 1
                    return count == 1 ? "127.0.0.1" : "127.0.0.2"
                }
            }
            let request = DownloadRequest.test("http://rebind.example:\(origin.port)\(path)") {
                $0.blocksPrivateAddresses = true
            }
            if path == "/a" { _ = try await downloader.data(for: request) }
            let count = origin.requestCount
            #expect(await downloader.failure(request) == .blockedAddress(host: "rebind.example", address: "127.0.0.2"))
            #expect(origin.requestCount == count + (path == "/a" ? 0 : 1))
        }
    }

    @Test("A redirect from a public to a private address is blocked, by name and by number")
    func redirectsToPrivateAddresses() async throws {
        let origin = try TestOrigin()
        let downloader = rebinding { $0 == "public.example" ? "127.0.0.1" : "127.0.0.3" }
        for host in ["internal.example", "127.0.0.3", "[::1]", "2130706435"] {
            origin.on("/a", .redirect(to: "http://\(host):\(origin.port)/secret"))
            let error = await downloader.failure(
                .test("http://public.example:\(origin.port)/a") { $0.blocksPrivateAddresses = true })
            #expect(error?.code == "blockedAddress", "\(host)")
        }
        #expect(origin.log.allSatisfy { $0.target == "/a" })
    }
}
