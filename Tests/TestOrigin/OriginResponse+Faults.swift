import Foundation

extension OriginResponse {
    /// Announces `declared` bytes (nil: the whole body), sends the first `sent` and closes.
    public static func truncated(
        _ body: Data, sent: Int, declared: Int? = nil, headers: [(String, String)] = []
    ) -> OriginResponse {
        lying(body.prefix(sent), declared: declared ?? body.count, headers: headers)
    }

    /// Sends a body under a length that is not its own, and closes.
    public static func lying(_ body: Data, declared: Int, headers: [(String, String)] = []) -> OriginResponse {
        OriginResponse(
            head: Head(status: 200, headers: headers + [("Content-Length", String(declared))]),
            steps: [.send(Data(body)), .close], keepsAlive: false)
    }

    /// No length at all; the end of the connection is the end of the body, as in HTTP/1.0.
    public static func withoutLength(_ body: Data, version: String = "HTTP/1.0", headers: [(String, String)] = [])
        -> OriginResponse
    {
        OriginResponse(
            head: Head(status: 200, headers: headers + [("Connection", "close")], version: version),
            steps: [.send(body), .close], keepsAlive: false)
    }

    /// The head and the first `sent` bytes, then RST.
    public static func reset(_ body: Data, after sent: Int, headers: [(String, String)] = []) -> OriginResponse {
        OriginResponse(
            head: Head(status: 200, headers: headers + [("Content-Length", String(body.count))]),
            steps: [.send(Data(body.prefix(sent))), .wait(seconds: 0.02), .reset], keepsAlive: false)
    }

    /// RST before a single byte.
    public static var resetAtOnce: OriginResponse { OriginResponse(steps: [.reset]) }

    /// FIN before a single byte.
    public static var closedAtOnce: OriginResponse { OriginResponse(steps: [.close]) }

    /// Never responds; the connection stays open until the client gives up.
    public static var hang: OriginResponse { OriginResponse(steps: [.stall]) }

    /// The head and the first `sent` bytes, then nothing more.
    public static func stalled(_ body: Data, after sent: Int, headers: [(String, String)] = []) -> OriginResponse {
        OriginResponse(
            head: Head(status: 200, headers: headers + [("Content-Length", String(body.count))]),
            steps: [.send(Data(body.prefix(sent))), .stall], keepsAlive: false)
    }

    /// In pieces with a wait between them.
    public static func dripped(
        _ body: Data, piece: Int, interval: Double, headers: [(String, String)] = []
    ) -> OriginResponse {
        var steps: [Step] = []
        for start in stride(from: 0, to: body.count, by: piece) {
            if start > 0 { steps.append(.wait(seconds: interval)) }
            steps.append(.send(body.subdata(in: start..<min(start + piece, body.count))))
        }
        return OriginResponse(
            head: Head(status: 200, headers: headers + [("Content-Length", String(body.count))]), steps: steps)
    }

    /// `Transfer-Encoding: chunked`; without `final` the last chunk is missing and the connection ends.
    public static func chunked(
        _ pieces: [Data], final: Bool = true, interval: Double = 0, headers: [(String, String)] = [],
        trailers: [(String, String)] = []
    ) -> OriginResponse {
        var steps: [Step] = []
        for (index, piece) in pieces.enumerated() {
            if index > 0, interval > 0 { steps.append(.wait(seconds: interval)) }
            steps.append(
                .send(Data((String(piece.count, radix: 16) + "\r\n").utf8) + piece + Data("\r\n".utf8)))
        }
        if final {
            let fields = trailers.map { "\($0.0): \($0.1)\r\n" }.joined()
            steps.append(.send(Data("0\r\n\(fields)\r\n".utf8)))
        } else {
            steps.append(.close)
        }
        return OriginResponse(
            head: Head(status: 200, headers: headers + [("Transfer-Encoding", "chunked")]), steps: steps,
            keepsAlive: final)
    }

    /// Compressed, with the right length of what is sent; `cut` bytes are missing at the end of the compressed form.
    public static func gzip(_ body: Data, cut: Int = 0, headers: [(String, String)] = []) -> OriginResponse {
        let packed = originGzip(body)
        return .ok(packed.dropLast(cut), headers: headers + [("Content-Encoding", "gzip")])
    }

    /// A small compressed body that unpacks to `byteCount` zero bytes.
    public static func bomb(byteCount: Int) -> OriginResponse {
        .ok(originGzipZeros(byteCount), type: "image/png", headers: [("Content-Encoding", "gzip")])
    }
}
