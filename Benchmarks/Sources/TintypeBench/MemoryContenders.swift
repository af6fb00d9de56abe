import Foundation
import TintypeCaching

/// What every contender can do.
protocol MemoryContender: Sendable {
    func get(_ index: Int) -> Payload?
    func set(_ value: Payload, _ index: Int, cost: Int)
}

final class Payload: Sendable {
    let number: Int
    init(_ number: Int) { self.number = number }
}

struct TintypeMemory: MemoryContender {
    let cache: MemoryCache<String, Payload>
    let load: ZipfLoad
    init(_ load: ZipfLoad, costLimit: Int? = nil, policy: MemoryCachePolicy = .default) {
        self.load = load
        cache = MemoryCache(
            .init(countLimit: costLimit == nil ? load.capacity : nil, costLimit: costLimit, policy: policy))
    }
    func get(_ index: Int) -> Payload? { cache.value(for: load.lookups[index]) }
    func set(_ value: Payload, _ index: Int, cost: Int) { cache.set(value, for: load.stored[index], cost: cost) }
}

// `NSCache` is thread-safe; the class is only marked unavailable for Sendable.
final class FoundationMemory: MemoryContender, @unchecked Sendable {
    let cache = NSCache<NSString, Payload>()
    let lookups: [NSString]
    let stored: [NSString]
    init(_ load: ZipfLoad, costLimit: Int? = nil) {
        if let costLimit { cache.totalCostLimit = costLimit } else { cache.countLimit = load.capacity }
        lookups = load.lookups.map { NSString(string: $0) }
        stored = load.stored.map { NSString(string: $0) }
    }
    func get(_ index: Int) -> Payload? { cache.object(forKey: lookups[index]) }
    func set(_ value: Payload, _ index: Int, cost: Int) { cache.setObject(value, forKey: stored[index], cost: cost) }
    deinit { cache.removeAllObjects() }
}

/// Dictionary, doubly linked list of objects, lock: what one writes in half an hour.
final class TextbookLRU: MemoryContender, @unchecked Sendable {
    final class Node {
        let key: String
        var value: Payload
        unowned(unsafe) var previous: Node?
        var next: Node?
        init(_ key: String, _ value: Payload) {
            self.key = key
            self.value = value
        }
    }
    let lock = NSLock()
    var nodes: [String: Node] = [:]
    var head: Node?
    var tail: Node?
    let load: ZipfLoad
    init(_ load: ZipfLoad) { self.load = load }

    func unlink(_ node: Node) {
        if let previous = node.previous { previous.next = node.next } else { head = node.next }
        if let next = node.next { next.previous = node.previous } else { tail = node.previous }
        node.previous = nil
        node.next = nil
    }

    func push(_ node: Node) {
        node.next = head
        head?.previous = node
        head = node
        if tail == nil { tail = node }
    }

    func get(_ index: Int) -> Payload? {
        lock.lock()
        defer { lock.unlock() }
        guard let node = nodes[load.lookups[index]] else { return nil }
        unlink(node)
        push(node)
        return node.value
    }

    func set(_ value: Payload, _ index: Int, cost: Int) {
        lock.lock()
        defer { lock.unlock() }
        let key = load.stored[index]
        if let node = nodes[key] {
            node.value = value
            unlink(node)
            push(node)
            return
        }
        let node = Node(key, value)
        nodes[key] = node
        push(node)
        if nodes.count > load.capacity, let oldest = tail {
            unlink(oldest)
            nodes[oldest.key] = nil
        }
    }

    deinit {
        while let node = head { unlink(node) }
    }
}
