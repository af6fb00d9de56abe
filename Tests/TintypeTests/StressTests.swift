import Foundation
import TestOrigin
import Testing
import TintypeBase

@testable import Tintype

/// The proof that every call ends exactly once. `TINTYPE_STRESS=20000` makes it long, `TINTYPE_SEED` repeats a run.
@Suite(.serialized) struct StressTests {
    private struct Generator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap(Int.init)
    }

    private static func threadCount() -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
    }

    @Test("random loads, faults, cancels and priorities: each call ends once, nothing runs on, the origin's log agrees")
    func exactlyOnce() async throws {
        let count = Self.number("TINTYPE_STRESS") ?? 2000
        let seed = UInt64(Self.number("TINTYPE_SEED") ?? Int.random(in: 0..<1_000_000))
        print("StressTests.exactlyOnce: TINTYPE_SEED=\(seed) TINTYPE_STRESS=\(count)")
        var random = Generator(state: seed)
        let rig = try Rig { configuration in
            configuration.observer = nil
            configuration.memoryCache = ImageMemoryCache(.init(costLimit: 20_000))
            configuration.failureMemory = .milliseconds(20)
            configuration.requestDefaults.timeouts.total = .seconds(300)
        }
        let images = try (0..<16).map { try Image.png(UInt8($0), 50, 60) }
        rig.origin.onEverythingElse { request in
            let number = Int(request.path.dropFirst(2)) ?? 0
            let png = images[number % 16]
            switch request.path.dropFirst().first {
            case "o": return .ok(png, headers: [("ETag", "\"\(number)\"")])
            case "d": return OriginResponse.ok(png).delayed(0.003)
            case "n": return .status(404)
            case "e": return .status(503)
            case "c": return OriginResponse(200, headers: [("Content-Length", "5000")], body: png).closing()
            case "j": return .ok(Data("junk".utf8))
            case "r": return OriginResponse(steps: [.reset])
            default: return .ok(Data())
            }
        }
        let ends = (0..<count).map { _ in Locked(0) }
        let outcomes = Locked<[String: Int]>([:])
        var tasks: [ImageTask] = []
        for index in 0..<count {
            let kind = ["o", "o", "o", "o", "d", "n", "e", "c", "j", "r", "z"].randomElement(using: &random) ?? "o"
            var request = rig.request("/\(kind)\(Int.random(in: 0..<200, using: &random))")
            request.priority = ImagePriority.allCases.randomElement(using: &random) ?? .normal
            let options: [ImageOptions] = [
                [], [], .retryFailed, .refreshCached, .fromLoaderOnly, .skipDisk, .skipMemory, .cacheMemoryOnly,
                .fromCacheOnly, .waitForStore, .progressive,
            ]
            request.options = options.randomElement(using: &random) ?? []
            if Int.random(in: 0..<4, using: &random) == 0 { request.processors = [SwapProcessor()] }
            if Int.random(in: 0..<6, using: &random) == 0 { request.target = ResizeTarget(width: 4, height: 3) }
            if Int.random(in: 0..<12, using: &random) == 0 { request.alternatives = [rig.url("/o1"), rig.url("/n2")] }
            let end = ends[index]
            let task = rig.pipeline.loadImage(with: request) { result in
                end.withLock { $0 += 1 }
                let code: String
                switch result {
                case .success: code = "ok"
                case .failure(let error): code = PipelineError.code(of: error)
                }
                outcomes.withLock { $0[code, default: 0] += 1 }
            }
            tasks.append(task)
            switch Int.random(in: 0..<10, using: &random) {
            case 0: task.cancel()
            case 1: tasks.randomElement(using: &random)?.cancel()
            case 2: tasks.randomElement(using: &random)?.priority = .veryHigh
            case 3:
                let victim = tasks.randomElement(using: &random)
                let delay = Int.random(in: 0..<4000, using: &random)
                Task {
                    try? await Task.sleep(for: .microseconds(delay))
                    victim?.cancel()
                }
            case 4: try await Task.sleep(for: .microseconds(Int.random(in: 0..<500, using: &random)))
            default: break
            }
        }
        for task in tasks { _ = try? await task.response }
        await rig.pipeline.waitUntilIdle()
        #expect(!rig.pipeline.isRunning)
        #expect(ends.allSatisfy { $0.withLock { $0 } == 1 })
        let result = outcomes.withLock { $0 }
        print("StressTests.exactlyOnce: \(result.sorted { $0.key < $1.key }), \(rig.origin.requestCount) requests")
        #expect(result.values.reduce(0, +) == count)
        #expect(rig.origin.requestCount <= count * 3)
        #expect(rig.pipeline.registry.isEmpty)
        #expect(rig.pipeline.images.runningCount == 0 && rig.pipeline.fetches.runningCount == 0)
        #expect(rig.pipeline.disk.queue?.count == 0)
    }

    @Test("many calls for few URLs: exactly one request for each URL, and no more threads than before")
    func manyCalls() async throws {
        let (calls, urls) = (Self.number("TINTYPE_CALLS") ?? 2000, Self.number("TINTYPE_URLS") ?? 100)
        let rig = try Rig { $0.observer = nil }
        let png = try Image.png(1, 2, 3)
        rig.origin.onEverythingElse { _ in .ok(png) }
        _ = try await rig.pipeline.image(for: rig.request("/warm"))
        let threads = Self.threadCount()
        let most = Locked(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for call in 0..<calls {
                group.addTask {
                    let image = try await rig.pipeline.image(for: rig.request("/\(call % urls)"))
                    #expect(Image.color(of: image) == [1, 2, 3, 255])
                }
                if call % 100 == 0 { most.withLock { $0 = max($0, Self.threadCount()) } }
            }
            try await group.waitForAll()
        }
        #expect(rig.origin.requestCount == urls + 1)
        // Six connections of the origin, which has a thread for each, the decode, file and disk threads.
        print("StressTests.manyCalls: \(threads) threads before, \(most.withLock { $0 }) at most")
        await rig.pipeline.waitUntilIdle()
        #expect(!rig.pipeline.isRunning)
    }

    @Test("tasks that are started and cancelled open no connection, and leave nothing behind")
    func startedAndCancelled() async throws {
        let count = Self.number("TINTYPE_CANCELS") ?? 5000
        let rig = try Rig { $0.observer = nil }
        // Held back, so that a thread that is late cannot lose the race against its own cancellation.
        rig.pipeline.downloader.isSuspended = true
        let tasks = (0..<count).map { rig.pipeline.imageTask(with: rig.request("/\($0)")) }
        for task in tasks { task.cancel() }
        rig.pipeline.downloader.isSuspended = false
        for task in tasks { #expect(await code { _ = try await task.image } == "cancelled") }
        await rig.pipeline.waitUntilIdle()
        #expect(!rig.pipeline.isRunning)
        #expect(rig.origin.connectionCount == 0)
    }
}
