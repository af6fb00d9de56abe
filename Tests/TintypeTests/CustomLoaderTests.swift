import Foundation
import TestOrigin
import Testing
import TintypeBase

@testable import Tintype

/// Runs a closure for each call.
private struct ClosureLoader: ImageLoader {
    let calls = Locked(0)
    let body: @Sendable (Int, DownloadRequest, LoadContext) async throws -> (Data, DownloadResponse)
    var identifier: String { "closure" }

    func load(_ request: DownloadRequest, context: LoadContext) async throws -> (Data, DownloadResponse) {
        let call = calls.withLock { calls in
            calls += 1
            return calls
        }
        return try await body(call, request, context)
    }
}

/// A loader of the caller's has the guards of the built-in one.
@Suite struct CustomLoaderTests {
    private static func response(_ status: Int, type: String = "image/png", url: String) -> DownloadResponse {
        DownloadResponse(status: status, headers: ["Content-Type": type], finalURL: url)
    }

    private func code(
        _ change: (inout ImageRequest) -> Void = { _ in },
        _ body: @escaping @Sendable (Int, DownloadRequest, LoadContext) async throws -> (Data, DownloadResponse)
    ) async throws -> (code: String, calls: Int) {
        let rig = try Rig()
        let loader = ClosureLoader(body: body)
        var request = ImageRequest(string: "http://images.example/a.png")
        request.loader = loader
        change(&request)
        do {
            _ = try await rig.pipeline.image(for: request)
            return ("", loader.calls.withLock { $0 })
        } catch {
            return (PipelineError.code(of: error), loader.calls.withLock { $0 })
        }
    }

    @Test("a status that the request does not accept fails the load")
    func status() async throws {
        let png = try Image.png(1, 2, 3)
        #expect(try await code { _, request, _ in (png, Self.response(404, url: request.url)) }.code == "badStatus")
    }

    @Test("a content type that the request does not accept fails the load")
    func contentType() async throws {
        let png = try Image.png(1, 2, 3)
        let result = try await code {
            $0.network.acceptedContentTypes = ["image/*"]
        } _: { _, request, _ in
            (png, Self.response(200, type: "text/html", url: request.url))
        }
        #expect(result.code == "unacceptableContentType")
    }

    @Test("a body over the limit fails the load, and as soon as the loader reports it", arguments: [false, true])
    func bodyLimit(reports: Bool) async throws {
        let png = try Image.png(1, 2, 3)
        let result = try await code {
            $0.network.maximumBodyByteCount = 10
        } _: { _, request, context in
            if reports {
                context.didMakeProgress(TransferProgress(received: 11, total: nil))
                try await Task.sleep(for: .seconds(600))
            }
            return (png, Self.response(200, url: request.url))
        }
        #expect(result.code == "bodyTooLarge")
    }

    @Test("the load ends at the total timeout, whether or not the loader does")
    func totalTimeout() async throws {
        let result = try await code {
            $0.network.timeouts = Timeouts(connect: .seconds(1), idle: .seconds(1), total: .milliseconds(50))
        } _: { _, _, _ in
            try await Task.sleep(for: .seconds(600))
            throw NetworkingError.emptyBody
        }
        #expect(result.code == "timedOut")
    }

    @Test("transient errors are retried as the request says, others are not")
    func retries() async throws {
        let png = try Image.png(1, 2, 3)
        let retry = RetryPolicy(maximumRetries: 2, baseDelay: .milliseconds(1))
        let second = try await code {
            $0.network.retry = retry
        } _: { call, request, _ in
            (png, Self.response(call == 1 ? 503 : 200, url: request.url))
        }
        #expect(second == ("", 2))
        let never = try await code {
            $0.network.retry = retry
        } _: { _, request, _ in
            #expect(request.retry == .none)
            return (png, Self.response(503, url: request.url))
        }
        #expect(never == ("badStatus", 3))
        let permanent = try await code {
            $0.network.retry = retry
        } _: { _, request, _ in
            (png, Self.response(404, url: request.url))
        }
        #expect(permanent == ("badStatus", 1))
    }

    @Test("a private address in the URL, or where redirects led, is refused where the rule holds")
    func addresses() async throws {
        let png = try Image.png(1, 2, 3)
        let before = try await code {
            $0.source = .url("http://127.0.0.1/a.png")
            $0.network.blocksPrivateAddresses = true
        } _: { _, request, _ in
            (png, Self.response(200, url: request.url))
        }
        #expect(before == ("blockedAddress", 0))
        let after = try await code {
            $0.network.blocksPrivateAddresses = true
        } _: { _, _, _ in
            (png, Self.response(200, url: "http://[::1]/a.png"))
        }
        #expect(after == ("blockedAddress", 1))
    }
}
