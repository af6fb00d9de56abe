/// Names one result: the resource and everything that changes its pixels. Equal keys mean equal images.
///
/// One pointer wide, with its hash computed once: a look-up in the memory cache compares pointers or hashes first.
public struct ImageKey: Sendable, Hashable, CustomStringConvertible {
    private final class Storage: Sendable {
        let string: String
        let hash: Int

        init(_ string: String) {
            self.string = string
            hash = string.hashValue
        }
    }

    private let storage: Storage

    public init(_ string: String) { storage = Storage(string) }

    /// The key as the disk cache writes it.
    public var string: String { storage.string }
    public var description: String { storage.string }

    public static func == (left: ImageKey, right: ImageKey) -> Bool {
        left.storage === right.storage
            || (left.storage.hash == right.storage.hash && left.storage.string == right.storage.string)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(storage.hash) }
}
