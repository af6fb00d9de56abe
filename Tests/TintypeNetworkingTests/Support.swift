import Foundation
import TestOrigin
import Testing
import TintypeBase

@testable import TintypeNetworking

/// Bytes that no compressor likes and no two positions share.
func noise(_ count: Int, seed: UInt64 = 1) -> Data {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    var words = [UInt64](repeating: 0, count: count / 8 + 1)
    for index in words.indices {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        words[index] = state
    }
    return words.withUnsafeBytes { Data($0.prefix(count)) }
}

extension DownloadRequest {
    /// A request for tests: no retries, no proxy of the environment, and deadlines that no busy machine meets: what a
    /// test holds back on purpose must not time out because a sanitizer made everything slow.
    static func test(_ url: String, _ change: (inout DownloadRequest) -> Void = { _ in }) -> DownloadRequest {
        var request = DownloadRequest(url: url)
        request.retry = .none
        request.proxy = .none
        request.timeouts = Timeouts(connect: .seconds(120), idle: .seconds(120), total: .seconds(300))
        change(&request)
        return request
    }
}

extension ImageDownloader {
    /// The error that a request ends with; records an issue when it succeeds.
    func failure(_ request: DownloadRequest, location: SourceLocation = #_sourceLocation) async -> NetworkingError? {
        do {
            let (data, response) = try await data(for: request)
            Issue.record(
                "status \(response.status) with \(data.count) bytes instead of an error", sourceLocation: location)
            return nil
        } catch let error as NetworkingError {
            return error
        } catch {
            Issue.record("\(error)", sourceLocation: location)
            return nil
        }
    }
}

/// True once.
final class FirstTime: Sendable {
    private let isNext = Locked(true)

    func take() -> Bool {
        isNext.withLock { value in
            defer { value = false }
            return value
        }
    }
}
