import Foundation
import TintypeBase

/// Handlers that ask for a user name and password. The body of a success is `SCHEME-ok USER`.
extension TestOrigin {
    /// Basic (RFC 7617).
    public func onBasic(_ path: String, users: [String: String]) {
        on(path) { request in
            if let value = request.header("Authorization"), value.hasPrefix("Basic "),
                let data = Data(base64Encoded: String(value.dropFirst(6)))
            {
                let parts = String(decoding: data, as: UTF8.self).split(separator: ":", maxSplits: 1)
                if parts.count == 2, users[String(parts[0])] == String(parts[1]) {
                    return .text("basic-ok \(parts[0])")
                }
            }
            return .status(401, headers: [("WWW-Authenticate", "Basic realm=\"origin\"")])
        }
    }

    /// Digest (RFC 7616), with `MD5` or `SHA-256`.
    public func onDigest(_ path: String, users: [String: String], algorithm: String = "MD5") {
        let nonces = Locked(Set<String>())
        on(path) { request in
            let hash: (String) -> String = { text in
                let data = Data(text.utf8)
                return OriginDigests.hex(algorithm == "MD5" ? OriginDigests.md5(data) : OriginDigests.sha256(data))
            }
            let fields = Self.digestFields(request.header("Authorization") ?? "")
            if let user = fields["username"], let password = users[user], let nonce = fields["nonce"],
                nonces.withLock({ $0.contains(nonce) }), fields["uri"] == request.target
            {
                let first = hash("\(user):origin:\(password)")
                let second = hash("\(request.method):\(request.target)")
                let middle = [nonce, fields["nc"] ?? "", fields["cnonce"] ?? "", fields["qop"] ?? ""].joined(
                    separator: ":")
                if hash("\(first):\(middle):\(second)") == fields["response"] { return .text("digest-ok \(user)") }
            }
            let nonce = UUID().uuidString
            nonces.withLock { _ = $0.insert(nonce) }
            let challenge = "Digest realm=\"origin\", nonce=\"\(nonce)\", qop=\"auth\", algorithm=\(algorithm)"
            return .status(401, headers: [("WWW-Authenticate", challenge)])
        }
    }

    private static func digestFields(_ header: String) -> [String: String] {
        guard header.hasPrefix("Digest ") else { return [:] }
        var fields: [String: String] = [:]
        for part in header.dropFirst(7).split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            if pair.count == 2 { fields[pair[0]] = pair[1].trimmingCharacters(in: CharacterSet(charactersIn: "\"")) }
        }
        return fields
    }

    /// NTLMv2 ([MS-NLMP]), which authenticates the connection: further requests on it need nothing more.
    public func onNTLM(_ path: String, users: [String: String]) {
        struct Connections {
            var challenges: [Int: Data] = [:]
            var users: [Int: String] = [:]
        }
        let connections = Locked(Connections())
        on(path) { request in
            let number = request.connection
            let header = request.header("Authorization") ?? ""
            guard header.hasPrefix("NTLM "), let message = Data(base64Encoded: String(header.dropFirst(5))),
                message.count > 11
            else {
                if let user = connections.withLock({ $0.users[number] }) { return .text("ntlm-ok \(user)") }
                return .status(401, headers: [("WWW-Authenticate", "NTLM")])
            }
            if message[8] == 1 {
                let challenge = Data((0..<8).map { _ in UInt8.random(in: 0...255) })
                connections.withLock { $0.challenges[number] = challenge }
                let reply = OriginNTLM.challenge(challenge).base64EncodedString()
                return .status(401, headers: [("WWW-Authenticate", "NTLM \(reply)")])
            }
            let challenge = connections.withLock { $0.challenges.removeValue(forKey: number) }
            if let challenge, let user = OriginNTLM.user(of: message, challenge: challenge, users: users) {
                connections.withLock { $0.users[number] = user }
                return .text("ntlm-ok \(user)")
            }
            return .status(401, headers: [("WWW-Authenticate", "NTLM")])
        }
    }
}

/// The messages of NTLM.
enum OriginNTLM {
    static func challenge(_ challenge: Data) -> Data {
        let target = utf16("LAB")
        var information = Data()
        for (kind, value) in [(2, utf16("LAB")), (1, utf16("SRV")), (4, utf16("lab.test")), (3, utf16("srv.lab.test"))]
        {
            information += little16(kind) + little16(value.count) + value
        }
        information += Data(count: 4)
        // Unicode, NTLM, request target, target information, always sign, extended security, 128 bit, version.
        let flags = 0x0000_0001 | 0x0000_0200 | 0x0000_0004 | 0x0080_0000 | 0x0008_0000 | 0x0000_8000 | 0x2000_0000
        var message = Data("NTLMSSP\0".utf8) + little32(2)
        message += little16(target.count) + little16(target.count) + little32(56) + little32(flags)
        message += challenge + Data(count: 8)
        message += little16(information.count) + little16(information.count) + little32(56 + target.count)
        message += Data([10, 0, 0x63, 0x45, 0, 0, 0, 15]) + target + information
        return message
    }

    /// The user whose password the digest proves; nil for a wrong one, and for NTLMv1.
    static func user(of message: Data, challenge: Data, users: [String: String]) -> String? {
        guard let digest = field(message, 20), let domain = field(message, 28), let name = field(message, 36),
            digest.count > 24, let user = String(data: name, encoding: .utf16LittleEndian),
            let domainName = String(data: domain, encoding: .utf16LittleEndian), let password = users[user]
        else { return nil }
        let key = OriginDigests.hmacMD5(key: OriginDigests.md4(utf16(password)), utf16(user.uppercased() + domainName))
        let proof = OriginDigests.hmacMD5(key: key, challenge + digest.dropFirst(16))
        return proof == digest.prefix(16) ? user : nil
    }

    private static func field(_ message: Data, _ offset: Int) -> Data? {
        guard message.count >= offset + 8 else { return nil }
        let length = Int(message[offset]) | Int(message[offset + 1]) << 8
        let start = (0..<4).reduce(0) { $0 | Int(message[offset + 4 + $1]) << (8 * $1) }
        guard start >= 0, start + length <= message.count else { return nil }
        return message.subdata(in: start..<start + length)
    }

    private static func utf16(_ text: String) -> Data { text.data(using: .utf16LittleEndian) ?? Data() }

    private static func little16(_ value: Int) -> Data {
        Data([UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)])
    }

    private static func little32(_ value: Int) -> Data { little16(value) + little16(value >> 16) }
}
