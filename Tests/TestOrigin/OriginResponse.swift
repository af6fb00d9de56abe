import Foundation

/// The script of one response: any sequence of bytes, waits and ways to end.
public struct OriginResponse: Sendable {
    public enum Step: Sendable {
        case send(Data)
        /// Waits, but ends the connection at once when the client does.
        case wait(seconds: Double)
        /// Waits until the gate opens.
        case gate(OriginGate)
        /// Does nothing until the client closes.
        case stall
        /// Orderly end (FIN).
        case close
        /// RST.
        case reset
        /// The rest of the response is decided only now.
        case then(@Sendable () -> OriginResponse)
    }

    public var steps: [Step]
    /// Whether the connection serves further requests afterwards.
    public var keepsAlive: Bool
    /// Kept apart so that a HEAD request gets none; nil for raw scripts, which are sent as they are.
    var head: Head?

    struct Head: Sendable {
        var status: Int
        var headers: [(String, String)]
        var version = "HTTP/1.1"
    }

    public init(steps: [Step], keepsAlive: Bool = false) {
        self.steps = steps
        self.keepsAlive = keepsAlive
    }

    init(head: Head, steps: [Step], keepsAlive: Bool = true) {
        self.head = head
        self.steps = steps
        self.keepsAlive = keepsAlive
    }

    /// Status and fields as given, and a body with its right length.
    public init(_ status: Int, headers: [(String, String)] = [], body: Data = Data()) {
        var fields = headers
        if status >= 200, status != 204, status != 304,
            !headers.contains(where: { $0.0.lowercased() == "content-length" })
        {
            fields.append(("Content-Length", String(body.count)))
        }
        self.init(head: Head(status: status, headers: fields), steps: body.isEmpty ? [] : [.send(body)])
    }

    // MARK: Plain responses

    public static func ok(
        _ body: Data, type: String? = "application/octet-stream", headers: [(String, String)] = []
    ) -> OriginResponse {
        OriginResponse(200, headers: (type.map { [("Content-Type", $0)] } ?? []) + headers, body: body)
    }

    public static func text(_ body: String, type: String = "text/plain", headers: [(String, String)] = [])
        -> OriginResponse
    {
        ok(Data(body.utf8), type: type, headers: headers)
    }

    public static func status(_ status: Int, headers: [(String, String)] = [], body: Data = Data("status".utf8))
        -> OriginResponse
    {
        OriginResponse(status, headers: headers, body: status == 304 || status == 204 ? Data() : body)
    }

    /// `location` nil leaves the field out.
    public static func redirect(to location: String?, status: Int = 302, headers: [(String, String)] = [])
        -> OriginResponse
    {
        OriginResponse(status, headers: (location.map { [("Location", $0)] } ?? []) + headers, body: Data("moved".utf8))
    }

    /// Exactly these bytes, then the end of the connection.
    public static func raw(_ bytes: Data) -> OriginResponse { OriginResponse(steps: [.send(bytes), .close]) }

    public static func raw(_ text: String) -> OriginResponse { raw(Data(text.utf8)) }

    // MARK: Changes to a response

    /// With a further field.
    public func header(_ name: String, _ value: String) -> OriginResponse {
        var result = self
        result.head?.headers.append((name, value))
        return result
    }

    /// Without a field.
    public func without(_ name: String) -> OriginResponse {
        var result = self
        result.head?.headers.removeAll { $0.0.lowercased() == name.lowercased() }
        return result
    }

    /// After a wait.
    public func delayed(_ seconds: Double) -> OriginResponse { prefixed(.wait(seconds: seconds)) }

    /// Once the gate is open.
    public func gated(_ gate: OriginGate) -> OriginResponse { prefixed(.gate(gate)) }

    /// Ends the connection afterwards and says so.
    public func closing() -> OriginResponse {
        var result = header("Connection", "close")
        result.keepsAlive = false
        result.steps.append(.close)
        return result
    }

    private func prefixed(_ step: Step) -> OriginResponse {
        let inner = self
        return OriginResponse(steps: [step, .then { inner }], keepsAlive: keepsAlive)
    }
}
