import Foundation
import TintypeNetworking

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension Subject {
    static let download = Subject(
        name: "download", summary: "2,000 small files from a local nginx, beside curl --parallel and URLSession"
    ) { measurement in
        let server = try BenchServer(fileCount: 2000)
        for concurrency in [6, 32, 64] {
            let name = "2000 files, \(concurrency) at once"
            guard measurement.filter.isEmpty || name.contains(measurement.filter) else { continue }
            var contenders: [(by: String, run: () throws -> Void)] = [
                ("tintype", { try DownloadContenders.tintype(server.urls, concurrency) }),
                ("curl --parallel", { try DownloadContenders.curl(server.urls, concurrency) }),
                ("URLSession", { try DownloadContenders.urlSession(server.urls, concurrency) }),
            ]
            var results: [String: [DownloadContenders.Cost]] = [:]
            // In turns, so that a neighbour on the machine hits all alike; the order turns as well.
            for _ in 0..<7 {
                for contender in contenders {
                    results[contender.by, default: []].append(try DownloadContenders.cost(contender.run))
                }
                contenders.append(contenders.removeFirst())
            }
            for (by, costs) in results.sorted(by: { $0.key < $1.key }) {
                let walls = costs.map(\.wall).sorted()
                let cpus = costs.map(\.cpu).sorted()
                let line =
                    """
                    {"subject":"download","case":"\(name)","by":"\(by)","runs":\(costs.count),\
                    "wall_ms":\(walls[walls.count / 2] * 1000),"wall_min_ms":\(walls[0] * 1000),\
                    "cpu_ms":\(cpus[cpus.count / 2] * 1000),"cpu_min_ms":\(cpus[0] * 1000),\
                    "requests_per_second":\(Int(2000 / walls[walls.count / 2]))}
                    """
                FileHandle.standardOutput.write(Data((line + "\n").utf8))
            }
        }
    }
}

enum DownloadContenders {
    struct Cost {
        let wall: Double
        /// User and system time of this process and of the children that ended.
        let cpu: Double
    }

    struct Failed: Error {}

    static func cost(_ body: () throws -> Void) throws -> Cost {
        let cpu = cpuSeconds()
        let wall = DispatchTime.now().uptimeNanoseconds
        try body()
        return Cost(
            wall: Double(DispatchTime.now().uptimeNanoseconds - wall) / 1e9, cpu: cpuSeconds() - cpu)
    }

    private static func cpuSeconds() -> Double {
        [Int32(RUSAGE_SELF.rawValue), Int32(RUSAGE_CHILDREN.rawValue)].reduce(0) { sum, who in
            var usage = rusage()
            getrusage(who, &usage)
            return sum + Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
                + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
        }
    }

    static func tintype(_ urls: [String], _ concurrency: Int) throws {
        var configuration = ImageDownloader.Configuration()
        configuration.maximumConcurrentTransfers = concurrency
        configuration.maximumPerHost = concurrency
        let downloader = ImageDownloader(configuration)
        try wait {
            let transfers = urls.map { downloader.transfer(for: HTTPRequest(url: $0)) }
            for transfer in transfers { _ = try await transfer.result() }
            await downloader.shutdown()
        }
    }

    static func curl(_ urls: [String], _ concurrency: Int) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "curl", "-s", "--noproxy", "*", "--parallel", "--parallel-max", String(concurrency), "-K", "-",
        ]
        let input = Pipe()
        process.standardInput = input
        try process.run()
        let list = urls.map { "url = \"\($0)\"\noutput = \"/dev/null\"\n" }.joined()
        input.fileHandleForWriting.write(Data(list.utf8))
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failed() }
    }

    static func urlSession(_ urls: [String], _ concurrency: Int) throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = concurrency
        configuration.urlCache = nil
        let session = URLSession(configuration: configuration)
        let slots = DispatchSemaphore(value: concurrency)
        let group = DispatchGroup()
        let failures = FailureCount()
        for text in urls {
            guard let url = URL(string: text) else { throw Failed() }
            slots.wait()
            group.enter()
            session.dataTask(with: url) { data, _, _ in
                if data?.isEmpty ?? true { failures.add() }
                slots.signal()
                group.leave()
            }.resume()
        }
        group.wait()
        session.finishTasksAndInvalidate()
        guard failures.isZero else { throw Failed() }
    }

    private static func wait(_ body: @escaping @Sendable () async throws -> Void) throws {
        let done = DispatchSemaphore(value: 0)
        let failures = FailureCount()
        Task {
            do { try await body() } catch { failures.add() }
            done.signal()
        }
        done.wait()
        guard failures.isZero else { throw Failed() }
    }

    private final class FailureCount: @unchecked Sendable {
        // `lock` guards `count`.
        private let lock = NSLock()
        private var count = 0

        func add() { lock.withLock { count += 1 } }

        var isZero: Bool { lock.withLock { count == 0 } }
    }
}

/// An nginx of its own with files of 5 to 45 KB.
final class BenchServer {
    let urls: [String]
    private let folder: String
    private let process = Process()

    init(fileCount: Int) throws {
        folder = NSTemporaryDirectory() + "tintype-bench-" + UUID().uuidString
        let manager = FileManager.default
        try manager.createDirectory(atPath: folder + "/www", withIntermediateDirectories: true)
        try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder)
        var state: UInt64 = 88_172_645_463_325_252
        for index in 0..<fileCount {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let count = 5000 + Int(state >> 33) % 40_000
            try Data(repeating: UInt8(truncatingIfNeeded: index), count: count)
                .write(to: URL(fileURLWithPath: "\(folder)/www/\(index)"))
        }
        let port = Int.random(in: 20_000..<60_000)
        urls = (0..<fileCount).map { "http://127.0.0.1:\(port)/\($0)" }
        let configuration = """
            daemon off; worker_processes 1; pid \(folder)/pid; error_log \(folder)/error.log;
            events { worker_connections 1024; }
            http { access_log off; keepalive_requests 1000000; client_body_temp_path \(folder)/b; proxy_temp_path \(folder)/p;
              fastcgi_temp_path \(folder)/f; uwsgi_temp_path \(folder)/u; scgi_temp_path \(folder)/s;
              server { listen 127.0.0.1:\(port); root \(folder)/www; } }
            """
        try configuration.write(toFile: folder + "/nginx.conf", atomically: true, encoding: .utf8)
        process.executableURL = URL(fileURLWithPath: "/usr/sbin/nginx")
        process.arguments = ["-c", folder + "/nginx.conf", "-e", folder + "/error.log"]
        try process.run()
        for _ in 0..<100 where !manager.fileExists(atPath: folder + "/pid") { usleep(20_000) }
        usleep(100_000)
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
        try? FileManager.default.removeItem(atPath: folder)
    }
}
