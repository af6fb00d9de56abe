import Foundation
import TestOrigin
import Testing
import TintypeBase

@testable import TintypeNetworking

/// Many transfers at once. `TINTYPE_STORM=1` makes them as many as promised; a usual run does a tenth.
@Suite(.serialized) struct StormTests {
    static let isFull = ProcessInfo.processInfo.environment["TINTYPE_STORM"] != nil

    private func downloader(_ count: Int) -> ImageDownloader {
        var configuration = ImageDownloader.Configuration()
        configuration.maximumConcurrentTransfers = count
        configuration.maximumPerHost = count
        return ImageDownloader(configuration)
    }

    @Test func randomCancelsEndExactlyOnce() async throws {
        let origin = try TestOrigin()
        let body = noise(20_000)
        origin.onEverythingElse { request in
            switch (Int(request.path.dropFirst()) ?? 0) % 5 {
            case 0: .ok(body)
            case 1: .dripped(body, piece: 5000, interval: 0.002)
            case 2: .redirect(to: "/5")
            case 3: .chunked([body])
            default: .hang
            }
        }
        let downloader = downloader(32)
        let count = Self.isFull ? 20_000 : 2000
        let ends = Locked((delivered: 0, cancelled: 0, other: [String]()))
        let base = origin.baseURL
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<count {
                group.addTask {
                    let isHanging = index % 5 == 4
                    let transfer = downloader.transfer(for: .test("\(base)/\(index)"))
                    if isHanging || Int.random(in: 0..<2) == 0 {
                        Task {
                            if Bool.random() { try? await Task.sleep(for: .microseconds(Int.random(in: 0..<20_000))) }
                            transfer.cancel()
                        }
                    }
                    do {
                        let (data, _) = try await transfer.result()
                        ends.withLock { $0.delivered += 1 }
                        if data != body { ends.withLock { $0.other.append("wrong bytes") } }
                    } catch NetworkingError.cancelled {
                        ends.withLock { $0.cancelled += 1 }
                    } catch {
                        ends.withLock { $0.other.append("\(error)") }
                    }
                }
            }
        }
        let result = ends.withLock { $0 }
        #expect(result.delivered + result.cancelled == count)
        #expect(result.other.isEmpty, "\(result.other.prefix(3))")
        #expect(result.delivered > count / 10 && result.cancelled > count / 10)
        await downloader.shutdown()
        #expect(await origin.wait { $0.openConnectionCount == 0 })
    }

    @Test(.enabled(if: isFull)) func memoryStaysFlat() async throws {
        let origin = try TestOrigin()
        let body = noise(8000)
        origin.onEverythingElse { _ in .ok(body) }
        let downloader = downloader(32)
        let base = origin.baseURL
        func load(_ count: Int) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<count {
                    if index >= 32 { try await group.next() }
                    group.addTask { _ = try await downloader.data(for: .test("\(base)/\(index)")) }
                }
                try await group.waitForAll()
            }
            origin.clearLog()
        }
        try await load(5000)
        let before = Self.residentBytes()
        for _ in 0..<11 { try await load(5000) }
        let growth = Self.residentBytes() - before
        print("growth over 55,000 requests: \(growth / 1024) KiB")
        #expect(growth < 3 << 20)
    }

    private static func residentBytes() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return (Int(text.split(separator: " ").dropFirst().first ?? "0") ?? 0) * 4096
    }
}
