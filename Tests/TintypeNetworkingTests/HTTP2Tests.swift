import Foundation
import TestOrigin
import Testing

@testable import TintypeNetworking

/// HTTP/2 over TLS, served by nginx.
@Suite(.enabled(if: NginxServer.isInstalled, "nginx is not installed (nginx-light)")) struct HTTP2Tests {
    @Test func manyTransfersShareOneConnection() async throws {
        let certificates = try SecurityTests.certificates.get()
        let server = try NginxServer(certificates)
        let files = (0..<200).map { noise(1000 + $0 * 150, seed: UInt64($0)) }
        for (index, file) in files.enumerated() { try server.write(file, "f\(index)") }
        var configuration = ImageDownloader.Configuration()
        configuration.maximumConcurrentTransfers = 64
        configuration.maximumPerHost = 64
        configuration.certificateAuthorityFile = certificates.authority
        let downloader = ImageDownloader(configuration)
        let url = server.url
        let connections = try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<200 {
                group.addTask {
                    let (data, response) = try await downloader.data(for: .test("\(url)/f\(index)"))
                    #expect(data == files[index])
                    #expect(response.metrics.protocolName == "h2")
                    return !response.metrics.reusedConnection
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(connections == 1)
        let (_, old) = try await ImageDownloader().data(
            for: .test("\(url)/f0") { $0.certificateAuthorityFile = certificates.authority })
        #expect(old.metrics.protocolName == "h2")
        var without = configuration
        without.allowsHTTP2 = false
        #expect(try await ImageDownloader(without).data(for: .test("\(url)/f0")).1.metrics.protocolName == "http/1.1")
    }

    @Test func cancelledAndPausedStreamsLeaveTheConnectionToOthers() async throws {
        let certificates = try SecurityTests.certificates.get()
        let server = try NginxServer(certificates)
        try server.write(noise(24 << 20), "large")
        try server.write(noise(1000), "small")
        var configuration = ImageDownloader.Configuration()
        configuration.certificateAuthorityFile = certificates.authority
        let downloader = ImageDownloader(configuration)
        let paused = downloader.transfer(for: .test("\(server.url)/large") { $0.keepsBody = false })
        var iterator = paused.chunks.makeAsyncIterator()
        _ = try await iterator.next()
        for _ in 0..<50 {
            let cancelled = downloader.transfer(for: .test("\(server.url)/large"))
            for await report in cancelled.progress where report.received > 0 { break }
            cancelled.cancel()
            let (data, response) = try await downloader.data(for: .test("\(server.url)/small"))
            #expect(data.count == 1000)
            #expect(response.metrics.reusedConnection)
        }
        var count = 1
        while try await iterator.next() != nil { count += 1 }
        #expect(count > 1)
        _ = try await paused.result()
    }
}

/// An nginx of its own on a free port, with a folder of its own.
final class NginxServer: Sendable {
    static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/sbin/nginx")

    let folder: String
    let port: Int
    let plainPort: Int
    private let process: Int32

    var url: String { "https://localhost:\(port)" }

    init(_ certificates: OriginCertificates) throws {
        folder = NSTemporaryDirectory() + "tintype-nginx-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder + "/www", withIntermediateDirectories: true)
        // Ports that were free a moment ago.
        let (first, second) = (try TestOrigin(), try TestOrigin())
        port = first.port
        plainPort = second.port
        first.stop()
        second.stop()
        let configuration = """
            daemon off; worker_processes 1; pid \(folder)/pid; error_log \(folder)/error.log;
            events { worker_connections 1024; }
            http {
              access_log off; client_body_temp_path \(folder)/b; proxy_temp_path \(folder)/p; fastcgi_temp_path \(folder)/f;
              uwsgi_temp_path \(folder)/u; scgi_temp_path \(folder)/s; keepalive_requests 100000; http2_max_requests 100000;
              server { listen 127.0.0.1:\(port) ssl http2; listen 127.0.0.1:\(plainPort); root \(folder)/www;
                ssl_certificate \(certificates.certificate("server")); ssl_certificate_key \(certificates.key("server")); }
            }
            """
        try configuration.write(toFile: folder + "/nginx.conf", atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/sbin/nginx")
        process.arguments = ["-c", folder + "/nginx.conf", "-e", folder + "/error.log"]
        process.standardError = FileHandle.nullDevice
        try process.run()
        self.process = process.processIdentifier
        for _ in 0..<200 {
            if FileManager.default.fileExists(atPath: folder + "/pid"), isListening() { return }
            usleep(20_000)
        }
        throw OriginError(
            "nginx did not start: \((try? String(contentsOfFile: folder + "/error.log", encoding: .utf8)) ?? "")")
    }

    private func isListening() -> Bool {
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(client) }
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = UInt16(port).bigEndian
        name.sin_addr.s_addr = inet_addr("127.0.0.1")
        return withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    deinit {
        kill(process, SIGTERM)
        try? FileManager.default.removeItem(atPath: folder)
    }

    func write(_ data: Data, _ name: String) throws {
        try data.write(to: URL(fileURLWithPath: "\(folder)/www/\(name)"))
    }
}
