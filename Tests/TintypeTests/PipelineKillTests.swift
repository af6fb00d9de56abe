import Foundation
import Testing
import TintypeBase
import TintypeResponses

@testable import Soak
@testable import Tintype

/// Kills a process that uses everything at random moments, and looks at what it left. `TINTYPE_KILLS=200` makes it long.
@Suite(.serialized) struct PipelineKillTests {
    /// The Soak executable, beside the test bundle wherever that was built.
    private static var soak: String {
        let places = [
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")), CommandLine.arguments.first,
        ]
        let paths = places.compactMap(\.self).map {
            URL(fileURLWithPath: $0).deletingLastPathComponent().appendingPathComponent("Soak").path
        }
        return paths.first { FileManager.default.isExecutableFile(atPath: $0) } ?? "Soak"
    }

    /// For what blocks or computes for long: on the cooperative pool it would hold up every other test.
    private let blocking = WorkerPool(name: "kill-test", width: 1)

    private struct Found {
        var images = 0
        var processed = 0
        var answers = 0
    }

    @Test("S75: a process that loads, processes, refreshes and clears is killed: whole values or misses, sizes right")
    func kills() async throws {
        let rounds = ProcessInfo.processInfo.environment["TINTYPE_KILLS"].flatMap(Int.init) ?? 30
        let root = FileManager.default.temporaryDirectory.appending(path: "tintype-kills-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        let origin = try BadOrigin(secure: false)
        var total = Found()
        var kills = (beforeFirstLoad: 0, later: 0)
        for round in 0..<rounds {
            let child = try SoakChild(
                ["loader", root.path, origin.http.baseURL, "", "", String(round), "quick"], executable: Self.soak)
            if round % 5 == 4 {
                // Often while it still opens its caches.
                try await Task.sleep(for: .milliseconds(Int.random(in: 1...150)))
                kills.beforeFirstLoad += 1
            } else {
                let line = try await blocking.run { child.line() }
                #expect(line != nil, "the child ended by itself")
                try await Task.sleep(for: .microseconds(Int.random(in: 0...150_000)))
                kills.later += 1
            }
            child.kill()
            let status = try await blocking.run { child.wait() }
            try #require(status == -SIGKILL, "the child ended by itself, in round \(round)")
            let found = try await check(root, origin)
            total.images += found.images
            total.processed += found.processed
            total.answers += found.answers
        }
        print(
            "PipelineKillTests: \(rounds) kills, \(kills.beforeFirstLoad) of them at random from the start; found \(total)"
        )
        #expect(total.images > 0, "the children stored nothing")
        // Where everything is slow the children get to too few loads for the rarer kinds.
        #expect(total.images < 500 || total.processed > 0 && total.answers > 0, "the children stored too little")
    }

    /// Opens the folder as the next process would.
    private func check(_ root: URL, _ origin: BadOrigin) async throws -> Found {
        var found = Found()
        let disk = try DiskCache(.init(root: root, maximumByteCount: SoakRig.diskLimit))
        let configuration = ImagePipeline.Configuration(diskCache: disk)
        let pipeline = ImagePipeline(configuration)
        for entry in try await disk.entries() {
            guard let image = Self.image(in: entry.key) else {
                Issue.record("a key that was never stored: \(entry.key)")
                continue
            }
            let isSwapped = entry.key.contains(SwapProcessor().identifier)
            if isSwapped {
                let data = try #require(try await disk.entry(for: entry.key)?.data)
                let fault = try await blocking.run {
                    try image.fault(of: ImageCodecs.standard.decode(data), isSwapped: true)
                }
                #expect(fault == nil)
                found.processed += 1
            } else if !entry.key.hasPrefix("image-1;") {
                // Through a pipeline that may not send a request.
                var request = ImageRequest(string: entry.key)
                request.options = .fromCacheOnly
                let response = try await pipeline.response(for: request)
                #expect(response.source == .disk)
                let fault = try await blocking.run { try image.fault(of: response.image) }
                #expect(fault == nil)
                found.images += 1
            }
        }
        found.answers = try await blocking.run { try Self.checkAnswers(root, origin) }
        for namespace in ["default", "responses"] {
            let folder = root.appending(path: namespace)
            let cache = try DiskCache(.init(root: root, namespace: namespace))
            let files = try Self.files(folder.appending(path: "entries"))
            #expect(cache.count == files.count)
            #expect(cache.byteCount == files.reduce(0, +))
            let isSwept = await eventually {
                (try? FileManager.default.contentsOfDirectory(atPath: folder.path + "/tmp"))?.isEmpty == true
            }
            #expect(isSwept, "temporary files are left in \(namespace)")
        }
        return found
    }

    private static func checkAnswers(_ root: URL, _ origin: BadOrigin) throws -> Int {
        let answers = try ResponseCache(.init(root: root))
        var count = 0
        for number in 0..<200 {
            guard let data = answers.dataSynchronously(for: ResponseRequest("\(origin.http.baseURL)/json/\(number)"))
            else { continue }
            #expect(data == BadOrigin.json(named: String(number)))
            count += 1
        }
        return count
    }

    private static func image(in key: String) -> SoakImage? {
        guard let match = key.firstMatch(of: #/\/([0-9]+)\.(png|webp|jpg|gif)/#) else { return nil }
        return SoakImage(name: "\(match.1).\(match.2)")
    }

    private static func files(_ url: URL) throws -> [Int] {
        try FileManager.default.contentsOfDirectory(atPath: url.path).map { name in
            var status = stat()
            _ = lstat(url.path + "/" + name, &status)
            return Int(status.st_size)
        }
    }
}
