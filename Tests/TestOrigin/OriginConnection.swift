import Foundation

/// Reads requests from one connection and plays their scripts. Confined to its thread.
final class OriginConnection {
    private unowned let origin: TestOrigin
    private let socket: OriginSocket
    private let number: Int
    private var ordinal = 0
    private var buffer = Data()

    init(origin: TestOrigin, socket: OriginSocket, number: Int) {
        self.origin = origin
        self.socket = socket
        self.number = number
    }

    func serve() {
        while let request = readRequest() {
            let handler = origin.state.withLock { state in
                state.log.append(request)
                return state.handlers[request.target] ?? state.handlers[request.path] ?? state.fallback
            }
            let response = handler?(request) ?? .status(404, body: Data("no script".utf8))
            guard play(response, for: request) else { return }
        }
    }

    /// false when the connection is over.
    private func play(_ response: OriginResponse, for request: OriginRequest) -> Bool {
        let wantsClose = request.header("Connection")?.lowercased() == "close" || request.requestLine.hasSuffix("/1.0")
        if let head = response.head {
            var text = "\(head.version) \(head.status) \(Self.reason(head.status))\r\n"
            for (name, value) in head.headers { text += "\(name): \(value)\r\n" }
            guard socket.write(Data((text + "\r\n").utf8)) else { return closed(request) }
            if request.method == "HEAD" { return response.keepsAlive && !wantsClose }
        }
        for step in response.steps {
            switch step {
            case .send(let data):
                guard socket.write(data) else { return closed(request) }
            case .wait(let seconds):
                if socket.peerCloses(within: seconds) { return closed(request) }
            case .gate(let gate):
                while !gate.isOpen {
                    if socket.peerCloses(within: 0.002) { return closed(request) }
                }
            case .stall:
                while !socket.peerCloses(within: 60) {}
                return closed(request)
            case .close:
                socket.finishWriting()
                return false
            case .reset:
                socket.resetOnClose()
                return false
            case .then(let next):
                return play(next(), for: request)
            }
        }
        return response.keepsAlive && !wantsClose
    }

    private func closed(_ request: OriginRequest) -> Bool {
        let closing = OriginClosing(path: request.path, connection: number, time: originClock())
        origin.state.withLock { $0.closings.append(closing) }
        return false
    }

    private func readRequest() -> OriginRequest? {
        let end = Data("\r\n\r\n".utf8)
        while true {
            if let found = buffer.range(of: end) {
                let text = String(decoding: buffer[buffer.startIndex..<found.lowerBound], as: UTF8.self)
                buffer = buffer.subdata(in: found.upperBound..<buffer.endIndex)
                return request(from: text)
            }
            guard fill(), buffer.count < 1 << 20 else { return nil }
            if buffer.first == 0x16 {
                // A TLS handshake on a plain port.
                _ = socket.write(Data("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n".utf8))
                socket.finishWriting()
                return nil
            }
        }
    }

    private func request(from text: String) -> OriginRequest? {
        let lines = text.components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ", omittingEmptySubsequences: false)
        guard words.count >= 3 else { return nil }
        let headers = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return (name: String(parts[0]), value: parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : "")
        }
        let length = headers.first { $0.name.lowercased() == "content-length" }.flatMap { Int($0.value) } ?? 0
        while buffer.count < length { guard fill() else { return nil } }
        let body = buffer.subdata(in: 0..<length)
        buffer = buffer.subdata(in: length..<buffer.endIndex)
        ordinal += 1
        let target = words[1...(words.count - 2)].joined(separator: " ")
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        return OriginRequest(
            requestLine: lines[0], method: String(words[0]), target: target, path: String(parts[0]),
            query: parts.count > 1 ? String(parts[1]) : nil, headers: headers, body: body, connection: number,
            ordinal: ordinal, time: originClock())
    }

    private func fill() -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { space in
            let count = socket.read(space)
            guard count > 0, let bytes = space.baseAddress else { return false }
            buffer.append(bytes.assumingMemoryBound(to: UInt8.self), count: count)
            return true
        }
    }

    private static func reason(_ status: Int) -> String {
        [200: "OK", 206: "Partial Content", 304: "Not Modified", 404: "Not Found"][status] ?? "Status"
    }
}
