import CSSL
import Foundation
import TintypeBase

/// A certificate to serve https with.
public final class OriginTLS: @unchecked Sendable {
    // An SSL_CTX may be used from many threads once it is set up, and it is not changed after `init`.
    private let context: OpaquePointer

    /// - Parameters:
    ///   - certificate: PEM files of the certificate and its key.
    ///   - clientAuthority: when given, clients must show a certificate of this authority.
    public init(certificate: String, key: String, clientAuthority: String? = nil) throws {
        guard let context = SSL_CTX_new(TLS_server_method()) else { throw OriginError("SSL_CTX_new") }
        self.context = context
        guard SSL_CTX_use_certificate_chain_file(context, certificate) == 1,
            SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1
        else { throw OriginError("the certificate or key cannot be used") }
        if let clientAuthority {
            SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
            guard SSL_CTX_load_verify_locations(context, clientAuthority, nil) == 1 else {
                throw OriginError("the client authority cannot be used")
            }
        }
    }

    deinit {
        SSL_CTX_free(context)
    }

    /// Does the handshake; false when the client does not like it.
    func accept(_ socket: OriginSocket) -> Bool {
        guard let session = SSL_new(context) else { return false }
        SSL_set_fd(session, socket.fileDescriptor)
        guard SSL_accept(session) == 1 else {
            SSL_free(session)
            return false
        }
        socket.setLayer(Layer(session))
        return true
    }

    private final class Layer: OriginLayer, @unchecked Sendable {
        // Used by the thread of its connection only.
        private let session: OpaquePointer

        init(_ session: OpaquePointer) {
            self.session = session
        }

        deinit {
            SSL_free(session)
        }

        func read(_ space: UnsafeMutableRawBufferPointer) -> Int {
            Int(SSL_read(session, space.baseAddress, Int32(space.count)))
        }

        func write(_ bytes: UnsafeRawBufferPointer) -> Int {
            Int(SSL_write(session, bytes.baseAddress, Int32(min(bytes.count, 1 << 20))))
        }

        func end() {
            SSL_shutdown(session)
        }
    }
}

/// An authority and certificates of its own, made by the `openssl` command in a folder that goes away with it.
public final class OriginCertificates: Sendable {
    public let folder: String

    public init() throws {
        folder = NSTemporaryDirectory() + "origin-certificates-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Self.openssl(
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-keyout", "authority.key", "-out", "authority.pem", "-subj", "/CN=Test authority",
                "-addext", "keyUsage=critical,keyCertSign,cRLSign",
            ], in: folder)
        try make("server", subject: "/CN=127.0.0.1", names: "IP:127.0.0.1,DNS:localhost")
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    public var authority: String { folder + "/authority.pem" }

    public func certificate(_ name: String) -> String { "\(folder)/\(name).pem" }

    public func key(_ name: String) -> String { "\(folder)/\(name).key" }

    /// A certificate signed by the authority.
    public func make(_ name: String, subject: String, names: String, days: Int = 2) throws {
        try Self.openssl(
            [
                "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-keyout", "\(name).key", "-out", "\(name).csr", "-subj", subject,
                "-addext", "subjectAltName=\(names)",
            ], in: folder)
        try Self.openssl(
            [
                "x509", "-req", "-in", "\(name).csr", "-CA", "authority.pem", "-CAkey", "authority.key",
                "-CAcreateserial", "-copy_extensions", "copy", "-days", String(days), "-out", "\(name).pem",
            ], in: folder)
    }

    /// Serves with the certificate of this name.
    public func tls(_ name: String = "server", requiresClient: Bool = false) throws -> OriginTLS {
        try OriginTLS(
            certificate: certificate(name), key: key(name), clientAuthority: requiresClient ? authority : nil)
    }

    private static func openssl(_ arguments: [String], in folder: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw OriginError("openssl \(arguments.first ?? "") ended with \(process.terminationStatus)")
        }
    }
}
