/// How a ``MemoryCache`` finds an evicted value again while somebody else still holds it.
///
/// The cache keeps a weak reference to the object behind each value that it evicts. A later miss that finds the
/// object alive is a hit: the entry returns with its old cost, without a decode.
public struct SecondChance<Value>: Sendable {
    let object: @Sendable (Value) -> AnyObject?
    let value: @Sendable (AnyObject) -> Value?

    /// - Parameters:
    ///   - object: the object whose life decides, for instance the pixel storage of an image; nil: no second chance.
    ///   - value: rebuilds the value around the living object. Both are called under the lock of the cache and
    ///     must not call it.
    public init(object: @escaping @Sendable (Value) -> AnyObject?, value: @escaping @Sendable (AnyObject) -> Value?) {
        self.object = object
        self.value = value
    }
}

extension SecondChance where Value: AnyObject {
    /// For values that are objects themselves.
    public static var weak: SecondChance<Value> {
        SecondChance(object: { $0 }, value: { $0 as? Value })
    }
}

/// The weakly held evicted values. Guarded by the lock of the cache that owns it.
final class SecondChanceTable<Key: Hashable, Value> {
    private struct Entry {
        weak var object: AnyObject?
        let cost: Int
        let deadline: Int64
        let lifetime: UInt32
    }

    private let rule: SecondChance<Value>
    private var entries: [Key: Entry] = [:]
    private var sweepAt = 64

    init(_ rule: SecondChance<Value>) {
        self.rule = rule
    }

    func insert(_ value: Value, for key: Key, cost: Int, deadline: Int64, lifetime: UInt32) {
        guard let object = rule.object(value) else { return }
        entries[key] = Entry(object: object, cost: cost, deadline: deadline, lifetime: lifetime)
        guard entries.count >= sweepAt else { return }
        // Dead references are swept each time the table has doubled: constant cost per insertion.
        entries = entries.filter { $0.value.object != nil }
        sweepAt = max(64, entries.count * 2)
    }

    func take(_ key: Key) -> (value: Value, cost: Int, deadline: Int64, lifetime: UInt32)? {
        guard !entries.isEmpty, let entry = entries.removeValue(forKey: key), let object = entry.object,
            let value = rule.value(object)
        else { return nil }
        return (value, entry.cost, entry.deadline, entry.lifetime)
    }

    func contains(_ key: Key) -> Bool {
        entries[key]?.object != nil
    }

    func remove(_ key: Key) {
        entries[key] = nil
    }

    func removeAll() {
        entries = [:]
        sweepAt = 64
    }
}
