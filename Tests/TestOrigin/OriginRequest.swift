import Foundation

/// A request as it came over the wire.
public struct OriginRequest: Sendable {
    /// Such as `GET /a%20b.png HTTP/1.1`, byte for byte.
    public let requestLine: String
    public let method: String
    /// Path and query as sent.
    public let target: String
    /// The target without its query.
    public let path: String
    public let query: String?
    public let headers: [(name: String, value: String)]
    public let body: Data
    /// 1 for the first connection.
    public let connection: Int
    /// 1 for the first request of its connection.
    public let ordinal: Int
    /// When its head was complete, on ``originClock()``.
    public let time: Double

    /// The first field of this name, compared without case.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// The client closed a connection during its response.
public struct OriginClosing: Sendable {
    public let path: String
    public let connection: Int
    /// On ``originClock()``.
    public let time: Double
}
