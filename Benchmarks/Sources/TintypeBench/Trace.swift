import Foundation
import TintypeCaching

/// Requests as dense numbers, with sizes where the trace has them.
struct Trace {
    var ids: [Int32] = []
    var distinct = 0
    var sizes: [Int]?
    var distinctBytes: Int { (sizes ?? []).reduce(0, +) }

    init(_ path: String, _ name: String) throws {
        let bytes = try Self.decompress(path)
        var keys: [UInt64] = []
        var sizesOfRequests: [Int] = []
        if name.hasPrefix("adapt_size") {
            // Sequence number, key, size. The same key with another size is another object.
            for line in bytes.split(separator: 10) {
                let fields = line.split(separator: 32).compactMap { UInt64(String(decoding: $0, as: UTF8.self)) }
                guard fields.count >= 3 else { continue }
                keys.append(fields[1] &* 0x9E37_79B9_7F4A_7C15 ^ fields[2] &* 0xC2B2_AE3D_27D4_EB4F)
                sizesOfRequests.append(max(1, Int(fields[2])))
            }
        } else {
            let width = name.hasPrefix("scarab") ? 8 : 4
            for start in stride(from: 0, to: bytes.count - width + 1, by: width) {
                keys.append(bytes[start..<start + width].reduce(0) { $0 << 8 | UInt64($1) })
            }
        }
        var numbers: [UInt64: Int32] = [:]
        var sizes: [Int] = []
        for (index, key) in keys.enumerated() {
            if let number = numbers[key] {
                ids.append(number)
            } else {
                let number = Int32(numbers.count)
                numbers[key] = number
                ids.append(number)
                if !sizesOfRequests.isEmpty { sizes.append(sizesOfRequests[index]) }
            }
        }
        distinct = numbers.count
        self.sizes = sizesOfRequests.isEmpty ? nil : sizes
    }

    private static func decompress(_ path: String) throws -> [UInt8] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/xz")
        process.arguments = ["-dc", path]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0, !data.isEmpty else { throw Parameters.Missing(key: path) }
        return [UInt8](data)
    }

    /// Percent of requests, and of bytes, that the real cache serves.
    func hitRatio(_ configuration: MemoryCache<Int32, Int32>.Configuration) -> (objects: Double, bytes: Double) {
        let cache = MemoryCache<Int32, Int32>(configuration)
        var (hits, hitBytes, bytes) = (0, 0, 0)
        for id in ids {
            let size = sizes?[Int(id)] ?? 1
            bytes += size
            if cache.value(for: id) != nil {
                hits += 1
                hitBytes += size
            } else {
                cache.set(id, for: id, cost: size)
            }
        }
        return (Double(hits) / Double(ids.count) * 100, Double(hitBytes) / Double(bytes) * 100)
    }

    /// Belady's optimum for entries of one size.
    func optimum(_ capacity: Int) -> Double {
        var next = [Int](repeating: .max, count: ids.count)
        var last = [Int](repeating: .max, count: distinct)
        for position in ids.indices.reversed() {
            next[position] = last[Int(ids[position])]
            last[Int(ids[position])] = position
        }
        // A heap of (next use, key), the farthest on top; entries that are out of date are skipped.
        var heap: [(use: Int, id: Int32)] = []
        func push(_ entry: (use: Int, id: Int32)) {
            heap.append(entry)
            var child = heap.count - 1
            while child > 0, heap[(child - 1) / 2].use < heap[child].use {
                heap.swapAt(child, (child - 1) / 2)
                child = (child - 1) / 2
            }
        }
        func pop() -> (use: Int, id: Int32) {
            heap.swapAt(0, heap.count - 1)
            let top = heap.removeLast()
            var parent = 0
            while true {
                var largest = parent
                for child in [2 * parent + 1, 2 * parent + 2]
                where child < heap.count && heap[child].use > heap[largest].use {
                    largest = child
                }
                if largest == parent { return top }
                heap.swapAt(parent, largest)
                parent = largest
            }
        }
        var held = [Int](repeating: -1, count: distinct)
        var (count, hits) = (0, 0)
        for position in ids.indices {
            let id = Int(ids[position])
            if held[id] >= 0 {
                hits += 1
            } else {
                while count >= capacity {
                    let victim = pop()
                    guard held[Int(victim.id)] == victim.use else { continue }
                    held[Int(victim.id)] = -1
                    count -= 1
                }
                count += 1
            }
            held[id] = next[position]
            push((next[position], ids[position]))
        }
        return Double(hits) / Double(ids.count) * 100
    }
}
