import Foundation
import TestOrigin
import Testing
import TintypeBase

@testable import TintypeNetworking

@Suite("401 and the challenge handler") struct ChallengeTests {
    private let downloader = ImageDownloader()
    private let alice = HTTPCredential(user: "alice", password: "wonderland")
    private let wrong = HTTPCredential(user: "alice", password: "wrong")

    private func request(
        _ url: String, _ handler: @escaping @Sendable (AuthenticationChallenge) async throws -> HTTPCredential?
    ) -> DownloadRequest {
        .test(url) { $0.hooks.challengeHandler = handler }
    }

    @Test(
        "the credential of the handler is used, and the handler gets the refused one",
        arguments: ["/basic", "/digest", "/ntlm"])
    func secondTry(path: String) async throws {
        let origin = try TestOrigin()
        origin.onBasic("/basic", users: ["alice": "wonderland"])
        origin.onDigest("/digest", users: ["alice": "wonderland"])
        origin.onNTLM("/ntlm", users: ["alice": "wonderland"])
        let seen = Locked<[AuthenticationChallenge]>([])
        let (wrong, alice) = (wrong, alice)
        let (data, _) = try await downloader.data(
            for: request(origin.url(path)) { challenge in
                seen.withLock { $0.append(challenge) }
                return challenge.previousCount == 0 ? wrong : alice
            })
        #expect(String(decoding: data, as: UTF8.self) == "\(path.dropFirst())-ok alice")
        let challenges = seen.withLock { $0 }
        #expect(challenges.map(\.previousCount) == [0, 1])
        #expect(challenges.map(\.refused) == [nil, wrong])
        #expect(challenges.allSatisfy { $0.url == origin.url(path) && $0.schemes == [String(path.dropFirst())] })
        if path != "/ntlm" { #expect(challenges.allSatisfy { $0.realm == "origin" }) }
    }

    @Test("nil gives up, an error ends the transfer, and the number of challenges is bounded")
    func ends() async throws {
        let origin = try TestOrigin()
        origin.onBasic("/a", users: [:])
        let count = Locked(0)
        #expect(await downloader.failure(request(origin.url("/a")) { _ in nil })?.status == 401)
        let wrong = wrong
        let error = await downloader.failure(
            request(origin.url("/a")) { _ in
                count.withLock { $0 += 1 }
                return wrong
            })
        #expect(error?.status == 401)
        #expect(count.withLock { $0 } == 3)
        struct Refused: Error {}
        let refused = await downloader.failure(request(origin.url("/a")) { _ in throw Refused() })
        #expect(refused?.code == "blocked")
        // One of the downloader's own is used where the request has none.
        var configuration = ImageDownloader.Configuration()
        configuration.hooks.challengeHandler = { _ in
            count.withLock { $0 += 10 }
            return nil
        }
        let other = ImageDownloader(configuration)
        #expect(await other.failure(.test(origin.url("/a")))?.status == 401)
        #expect(count.withLock { $0 } == 13)
    }

    @Test("after a redirect the credential goes only to the origin that sent the challenge")
    func otherOrigin() async throws {
        let (first, second) = (try TestOrigin(), try TestOrigin())
        second.onBasic("/b", users: ["alice": "wonderland"])
        first.on("/a", .redirect(to: second.url("/b")))
        let alice = HTTPCredential(user: "alice", password: "wonderland", scheme: .basic)
        let asked = Locked<[String]>([])
        let (data, response) = try await downloader.data(
            for: request(first.url("/a")) { challenge in
                asked.withLock { $0.append(challenge.url) }
                return alice
            })
        #expect(data == Data("basic-ok alice".utf8))
        #expect(response.finalURL == second.url("/b"))
        #expect(asked.withLock { $0 } == [second.url("/b")])
        #expect(first.log.allSatisfy { $0.header("Authorization") == nil })
    }

    @Test(
        "schemes and realm of what servers send",
        arguments: [
            (["Basic realm=\"a, b c\", charset=\"UTF-8\""], ["basic"], "a, b c"),
            (
                ["Digest realm=\"x\", nonce=\"n\", qop=\"auth, auth-int\"", "Basic realm=\"x\""], ["digest", "basic"],
                "x"
            ),
            (["Negotiate, NTLM"], ["negotiate", "ntlm"], nil),
            (["Bearer"], ["bearer"], nil),
            (["Newauth realm=\"apps\", type=1, Basic realm=\"s\\\"i\""], ["newauth", "basic"], "apps"),
            (["\"", "realm=", ",,=,", ""], [], nil),
        ] as [([String], [String], String?)])
    func fields(values: [String], schemes: [String], realm: String?) {
        let challenge = AuthenticationChallenge(
            url: "http://a/", headers: HeaderFields(values.map { ("WWW-Authenticate", $0) }), refused: nil,
            previousCount: 0)
        #expect(challenge.schemes == schemes)
        #expect(challenge.realm == realm || values.contains("realm="))
    }
}
