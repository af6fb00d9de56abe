/// How urgent a load is. Work that several loads share runs at the highest of theirs.
public enum ImagePriority: Int, Sendable, Hashable, Comparable, CaseIterable {
    case veryLow, low, normal, high, veryHigh

    public static func < (left: ImagePriority, right: ImagePriority) -> Bool { left.rawValue < right.rawValue }
}
