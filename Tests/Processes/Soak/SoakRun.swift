import Foundation
import Tintype
import TintypeBase

/// The stress test: periods of load, a rest after each, and the resources of the process at each rest.
///
/// At a rest no call runs, the second process has ended, memory caches are empty, and free memory is returned to the system.
/// The resources in use then must not grow. They are compared with the first rest, when all lazy parts exist.
final class SoakRun {
    /// Tolerances between the first rest and the last.
    enum Tolerance {
        /// Kept connections: the downloader's pool holds what it needed last, up to its limit of running transfers for
        /// each of the two origins, and a cache folder that was wiped holds the new folder's descriptors.
        static let descriptors = 24
        /// Pools start threads when they need them, up to 4 + 4 + 4 + 2 + 2 of all pools: one that was not needed at first
        /// may have been later.
        static let threads = 8
        /// Arenas of the allocator: what is free between two blocks cannot be given back. A leak of one small image in a
        /// thousand calls would be more in a quarter of an hour.
        static let residentKilobytes = 32 << 10
        /// The same from the middle of a long run on, when the arenas have found their size: what still grows is a leak.
        static let lateKilobytes = 12 << 10
    }

    /// An intentional leak, which must make the run fail: `fd`, `thread`, `memory`, `temporary` or `pixels`.
    private let leak: String
    private let root: URL
    private let seconds: Double
    private let periods: Int
    private let seed: UInt64

    init(minutes: Double, seed: UInt64, leak: String) {
        root = FileManager.default.temporaryDirectory.appending(path: "tintype-soak-\(UUID().uuidString)")
        seconds = minutes * 60
        // A period a minute; a short run still gets four.
        periods = max(4, Int(minutes.rounded()))
        self.seed = seed
        self.leak = leak
    }

    deinit { try? FileManager.default.removeItem(at: root) }

    /// True if nothing was wrong.
    func run() async throws -> Bool {
        let origin = try SoakChild(["origin"])
        guard let line = origin.line() else { throw SoakError("the origin did not start") }
        let parts = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        let addresses = LoadMix.Addresses(http: parts[0], https: parts[1], authority: parts[2])
        // The descriptors that Swift's timers watch with.
        try await Task.sleep(for: .milliseconds(1))
        let before = ProcessFigures.now(root: root)
        let rests = try await abuse(addresses)
        // The pipeline has been released, and so must its resources.
        let after = await settled(until: { $0.descriptors <= before.descriptors && $0.threads <= before.threads + 4 })
        origin.kill()
        _ = origin.wait()
        return verdict(rests, before: before, after: after)
    }

    private var rig: SoakRig?

    private func abuse(_ addresses: LoadMix.Addresses) async throws -> [ProcessFigures] {
        let rig = try SoakRig(root: root, addresses: addresses)
        self.rig = rig
        print("soak: \(Int(seconds)) s in \(periods) periods, seed \(seed), \(root.path)")
        print("period    calls  checked  most: RSS MiB  fds  threads  tmp   at rest: RSS MiB  fds  threads  tmp")
        var rests: [ProcessFigures] = []
        for period in 0..<periods {
            let most = try await load(rig, period)
            let rest = try await self.rest(rig)
            rests.append(rest)
            let values = rig.counts.values
            print(Self.row(period + 1, values, most, rest))
            fflush(nil)
            if values.faultCount > 100 { break }
        }
        await rig.pipeline.shutdown(grace: .seconds(60))
        await rig.downloader.shutdown()
        values = rig.counts.values
        disturbances = rig.disturbances.withLock { $0 }
        isRunning = rig.pipeline.isRunning
        self.rig = nil
        return rests
    }

    private var values = SoakCounts.Values()
    private var disturbances: [String: Int] = [:]
    private var isRunning = false

    /// Runs one period of load; returns the highest figures.
    private func load(_ rig: SoakRig, _ period: Int) async throws -> ProcessFigures {
        let end = ContinuousClock.now + .seconds(seconds / Double(periods))
        let (seed, leak, root) = (seed &+ UInt64(period) &* 7919, leak, root)
        return await withTaskGroup(of: ProcessFigures?.self) { group in
            for worker in 0..<24 {
                group.addTask {
                    var random = SoakRandom(state: seed &+ UInt64(worker) &* 104_729)
                    while ContinuousClock.now < end {
                        await rig.mix.run(&random)
                        if !leak.isEmpty, Int.random(in: 0..<10, using: &random) == 0 { Self.leak(leak, rig) }
                    }
                    return nil
                }
            }
            group.addTask {
                var random = SoakRandom(state: seed ^ 0xD15)
                while ContinuousClock.now < end {
                    try? await Task.sleep(for: .milliseconds(Int.random(in: 50...800, using: &random)))
                    await rig.disturb(&random)
                }
                return nil
            }
            group.addTask {
                var random = SoakRandom(state: seed ^ 0x2D)
                while ContinuousClock.now < end { await Self.secondProcess(rig, &random, until: end) }
                return nil
            }
            group.addTask {
                var most = ProcessFigures.now(root: root)
                while ContinuousClock.now < end {
                    try? await Task.sleep(for: .milliseconds(500))
                    most = most.most(.now(root: root))
                }
                return most
            }
            var most = ProcessFigures()
            for await figures in group { if let figures { most = most.most(figures) } }
            return most
        }
    }

    /// A second process in the same folder, killed after a while; it may end by itself only if it found a fault.
    private static func secondProcess(_ rig: SoakRig, _ random: inout SoakRandom, until end: ContinuousClock.Instant)
        async
    {
        let addresses = rig.mix.addresses
        do {
            let child = try SoakChild([
                "loader", rig.root.path, addresses.http, addresses.https, addresses.authority, "\(random.next() >> 1)",
                "slow",
            ])
            let deadline = min(end, .now + .milliseconds(Int.random(in: 500...6000, using: &random)))
            try? await Task.sleep(until: deadline)
            child.kill()
            rig.disturbances.withLock { $0["second process killed", default: 0] += 1 }
            let status = child.wait()
            if status != -SIGKILL { rig.counts.add(fault: "the second process ended with \(status)") }
        } catch {
            rig.counts.add(fault: "\(error)")
            try? await Task.sleep(for: .seconds(1))
        }
    }

    /// Empties what may be emptied, and counts.
    private func rest(_ rig: SoakRig) async throws -> ProcessFigures {
        await rig.pipeline.waitUntilIdle()
        rig.downloader.maximumConcurrentTransfers = 6
        rig.downloader.maximumPerHost = 6
        rig.pipeline.cache.memory?.removeAll()
        // As the next start of a program would do it; it sweeps what the killed processes left.
        _ = try await rig.pipeline.cache.disk?.verify()
        for namespace in ["default", "responses"] {
            _ = try DiskCache(.init(root: root, namespace: namespace)).verifySynchronously()
        }
        return await settled { $0.temporaries == 0 }
    }

    /// The figures once the threads have done what they had left to do; at the latest after ten seconds.
    private func settled(until isCalm: (ProcessFigures) -> Bool) async -> ProcessFigures {
        for _ in 0..<100 {
            try? await Task.sleep(for: .milliseconds(100))
            if isCalm(.now(root: root)) { break }
        }
        try? await Task.sleep(for: .milliseconds(500))
        ProcessFigures.releaseFreeMemory()
        return .now(root: root)
    }

    private static func leak(_ what: String, _ rig: SoakRig) {
        switch what {
        case "fd": _ = dup(0)
        case "thread": startDetachedThread(name: "leak", stackSize: 64 << 10) { while true { pause() } }
        case "memory": malloc(50_000).map { _ = memset($0, 1, 50_000) }
        case "temporary":
            _ = FileManager.default.createFile(
                atPath: rig.root.path + "/default/tmp/leak-\(UUID().uuidString)", contents: Data())
        default:
            rig.counts.check(fault: SoakImage(number: 1, fileExtension: "png").name + ": pixels wrong on purpose")
        }
    }
}

extension SoakRun {
    private static func row(
        _ period: Int, _ values: SoakCounts.Values, _ most: ProcessFigures, _ rest: ProcessFigures
    ) -> String {
        func cell(_ value: some CustomStringConvertible, _ width: Int) -> String {
            let text = value.description
            return String(repeating: " ", count: max(0, width - text.count)) + text
        }
        func mebibytes(_ figures: ProcessFigures) -> String {
            let tenths = figures.residentKilobytes * 10 / 1024
            return "\(tenths / 10).\(tenths % 10)"
        }
        return cell(period, 6) + cell(values.ended, 9) + cell(values.checked, 9) + cell(mebibytes(most), 15)
            + cell(most.descriptors, 5) + cell(most.threads, 9) + cell(most.temporaries, 5)
            + cell(mebibytes(rest), 19) + cell(rest.descriptors, 5) + cell(rest.threads, 9) + cell(rest.temporaries, 5)
    }

    private func verdict(_ rests: [ProcessFigures], before: ProcessFigures, after: ProcessFigures) -> Bool {
        var problems = values.faults
        func expect(_ condition: Bool, _ text: @autoclosure () -> String) { if !condition { problems.append(text()) } }
        guard let first = rests.first, let last = rests.last else { return false }
        expect(values.started == values.ended, "\(values.started) calls started, \(values.ended) ended")
        expect(values.endedAgain == 0, "\(values.endedAgain) calls ended more than once")
        expect(!isRunning, "something still runs after the end")
        expect(
            last.descriptors <= first.descriptors + Tolerance.descriptors,
            "file descriptors at rest: \(first.descriptors) at first, \(last.descriptors) at last")
        expect(
            last.threads <= first.threads + Tolerance.threads,
            "threads at rest: \(first.threads) at first, \(last.threads) at last")
        expect(
            last.residentKilobytes <= first.residentKilobytes + Tolerance.residentKilobytes,
            "KiB at rest: \(first.residentKilobytes) at first, \(last.residentKilobytes) at last")
        let middle = rests[rests.count / 2]
        expect(
            rests.count < 8 || last.residentKilobytes <= middle.residentKilobytes + Tolerance.lateKilobytes,
            "KiB at rest: \(middle.residentKilobytes) in the middle, \(last.residentKilobytes) at last")
        expect(last.temporaries == 0, "temporary files are left: \(ProcessFigures.temporaries(root).prefix(5))")
        // With the pipeline gone there is no pool and no connection that could explain anything.
        expect(
            after.descriptors <= before.descriptors,
            "file descriptors: \(before.descriptors) before the pipeline, \(after.descriptors) after it: "
                + ProcessFigures.openFiles().joined(separator: ", "))
        // Swift's own pool stays.
        expect(
            after.threads <= before.threads + ProcessInfo.processInfo.activeProcessorCount + 1,
            "threads: \(before.threads) before the pipeline, \(after.threads) after it")
        // A run that has not covered everything is a failure.
        for code in ["badStatus", "truncated", "timedOut", "tlsFailed", "cancelled", "tooManyRedirects"] {
            expect(values.ends.values.contains { $0[code] != nil }, "no call ended with \(code)")
        }
        for source in ["memory", "disk", "network"] {
            expect(values.sources[source] != nil, "nothing came from \(source)")
        }
        for (what, ends) in values.ends.sorted(by: { $0.key < $1.key }) {
            let list = ends.sorted { $0.key < $1.key }.map { "\($0.key.isEmpty ? "ok" : $0.key) \($0.value)" }
            print("  \(what): \(list.joined(separator: ", "))")
        }
        print(
            "  sources: \(values.sources.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))"
        )
        print(
            "  disturbed by: \(disturbances.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))"
        )
        print(
            "  before the pipeline: \(before.descriptors) fds, \(before.threads) threads; "
                + "after it: \(after.descriptors) fds, \(after.threads) threads"
        )
        for problem in problems { print("soak: FAULT: \(problem)") }
        if values.faultCount > values.faults.count { print("soak: \(values.faultCount) faults in all") }
        print(
            problems.isEmpty
                ? "soak: every call ended once, every image was right, nothing was left behind" : "soak: FAILED")
        return problems.isEmpty
    }
}
