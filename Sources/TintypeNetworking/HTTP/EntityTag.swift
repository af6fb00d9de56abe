/// An entity tag (RFC 9110 §8.8.3).
public struct EntityTag: Hashable, Sendable, CustomStringConvertible {
    public let isWeak: Bool
    /// Without quotes.
    public let opaque: String

    /// nil when the text is no entity tag: no quotes, or quotes inside.
    public init?(_ text: String) {
        var rest = trimmedBlanks(text)[...]
        isWeak = rest.hasPrefix("W/")
        if isWeak { rest = rest.dropFirst(2) }
        guard rest.utf8.count >= 2, rest.hasPrefix("\""), rest.hasSuffix("\"") else { return nil }
        opaque = String(rest.dropFirst().dropLast())
        guard !opaque.utf8.contains(34) else { return nil }
    }

    public var description: String { (isWeak ? "W/" : "") + "\"" + opaque + "\"" }

    /// The same bytes: both strong and equal. For ranges.
    public func isSame(as other: EntityTag) -> Bool { !isWeak && !other.isWeak && opaque == other.opaque }

    /// The same meaning: equal, strong or not. For `If-None-Match`.
    public func isEquivalent(to other: EntityTag) -> Bool { opaque == other.opaque }
}
