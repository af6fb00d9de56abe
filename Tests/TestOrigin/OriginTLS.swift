/// A certificate to serve https with.
public final class OriginTLS: Sendable {
    func accept(_ socket: OriginSocket) -> Bool { false }
}
