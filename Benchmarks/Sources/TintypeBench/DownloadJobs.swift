import Foundation
import TintypeNetworking

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension Job {
    /// `count` files below `origin`, `concurrency` at once.
    static let download: [Job] = [
        Job(name: "download", by: "tintype") { parameters in
            let (urls, concurrency) = (try urls(parameters), try parameters.number("concurrency"))
            return Work(operations: urls.count) { try tintype(urls, concurrency) }
        },
        Job(name: "download", by: "curl --parallel") { parameters in
            let (urls, concurrency) = (try urls(parameters), try parameters.number("concurrency"))
            return Work(operations: urls.count) { try curl(urls, concurrency) }
        },
        Job(name: "download", by: "URLSession") { parameters in
            let (urls, concurrency) = (try urls(parameters), try parameters.number("concurrency"))
            return Work(operations: urls.count) { try urlSession(urls, concurrency) }
        },
        Job(name: "memory growth", by: "tintype", prepare: growth),
        Job(name: "cancel", by: "tintype", prepare: cancel),
    ]

    private static func urls(_ parameters: Parameters) throws -> [String] {
        let origin = try parameters.text("origin")
        return (0..<(try parameters.number("count"))).map { "\(origin)/\($0)" }
    }

    private static func downloader(_ concurrency: Int) -> ImageDownloader {
        var configuration = ImageDownloader.Configuration()
        configuration.maximumConcurrentTransfers = concurrency
        configuration.maximumPerHost = concurrency
        return ImageDownloader(configuration)
    }

    private static func tintype(_ urls: [String], _ concurrency: Int) throws {
        let downloader = downloader(concurrency)
        try wait {
            // As the others do, it lets each body go when it has come.
            var transfers = Array(urls.map { downloader.transfer(for: DownloadRequest(url: $0)) }.reversed())
            while let transfer = transfers.popLast() { _ = try await transfer.result() }
            await downloader.shutdown()
        }
    }

    private static func curl(_ urls: [String], _ concurrency: Int) throws {
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

    private static func urlSession(_ urls: [String], _ concurrency: Int) throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = concurrency
        configuration.urlCache = nil
        let session = URLSession(configuration: configuration)
        let (slots, group, failures) = (
            DispatchSemaphore(value: concurrency), DispatchGroup(), DispatchSemaphore(value: 0)
        )
        for text in urls {
            guard let url = URL(string: text) else { throw Failed() }
            slots.wait()
            group.enter()
            session.dataTask(with: url) { data, _, _ in
                if data?.isEmpty ?? true { failures.signal() }
                slots.signal()
                group.leave()
            }.resume()
        }
        group.wait()
        session.finishTasksAndInvalidate()
        guard failures.wait(timeout: .now()) == .timedOut else { throw Failed() }
    }

    private struct Failed: Error {}

    /// `requests` with one downloader: how many bytes resident memory grows after the first twelfth.
    private static func growth(_ parameters: Parameters) throws -> Work {
        let (urls, requests) = (try urls(parameters), try parameters.number("requests"))
        let downloader = downloader(32)
        return Work.withFigures(operations: requests) {
            var early = 0
            for (index, start) in stride(from: 0, to: requests, by: requests / 12).enumerated() {
                try wait {
                    try await forEach(below: min(requests / 12, requests - start), workers: 32) { number in
                        _ = try await downloader.data(for: DownloadRequest(url: urls[(start + number) % urls.count]))
                    }
                }
                if index == 0 { early = ResidentMemory.bytes }
            }
            return ["growth": Double(ResidentMemory.bytes - early)]
        }
    }

    /// From the call of `cancel` until a server that never ends its response sees the connection closed.
    private static func cancel(_ parameters: Parameters) throws -> Work {
        let origin = try StallingOrigin()
        let downloader = downloader(6)
        return Work.withFigures {
            let transfer = downloader.transfer(for: DownloadRequest(url: "http://127.0.0.1:\(origin.port)/"))
            let connection = try origin.acceptRequest()
            // The response head has time to arrive, so that the transfer is cancelled during its body.
            usleep(20_000)
            let cost = Cost.of {
                transfer.cancel()
                origin.waitForEnd(of: connection)
            }
            _ = try? wait { try await transfer.result() }
            return cost.figures
        }
    }
}

/// Sends the beginning of a long body and then stalls.
private final class StallingOrigin {
    let port: Int
    private let listener: Int32

    init() throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isBound = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 16) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound else { throw StoreFailed(errno) }
        port = Int(UInt16(bigEndian: name.sin_port))
    }

    func acceptRequest() throws -> Int32 {
        let connection = accept(listener, nil, nil)
        var buffer = [UInt8](repeating: 0, count: 16384)
        guard connection >= 0, read(connection, &buffer, buffer.count) > 0 else { throw StoreFailed(errno) }
        let response = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 100000\r\n\r\n0123456789"
        guard write(connection, response, response.utf8.count) > 0 else { throw StoreFailed(errno) }
        return connection
    }

    func waitForEnd(of connection: Int32) {
        var byte: UInt8 = 0
        while read(connection, &byte, 1) > 0 {}
        close(connection)
    }
}
