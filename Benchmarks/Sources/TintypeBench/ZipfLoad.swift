import Foundation

/// 70-byte URLs, four times as many as fit, asked for by a Zipf law. Look-up keys are other instances than stored ones.
struct ZipfLoad: Sendable {
    let capacity: Int
    let lookups: [String]
    let stored: [String]
    let values: [Payload]
    let sequence: [Int32]

    init(capacity: Int) {
        self.capacity = capacity
        let count = capacity * 4
        func url(_ index: Int) -> String {
            let digits = String(index)
            let name = String(repeating: "0", count: 10 - digits.count) + digits
            return "https://images.example.org/photos/2024/album-0042/image-\(name)-l.jpg"
        }
        lookups = (0..<count).map(url)
        stored = (0..<count).map(url)
        values = (0..<count).map(Payload.init)
        var generator = SplitMix(state: 42)
        var cumulative: [Double] = []
        var sum = 0.0
        for rank in 1...count {
            sum += 1 / pow(Double(rank), 0.9)
            cumulative.append(sum)
        }
        let order = (0..<Int32(count)).shuffled(using: &generator)
        sequence = (0..<2_000_000).map { _ in
            let point = Double(generator.next() >> 11) / Double(1 << 53) * sum
            var (low, high) = (0, count - 1)
            while low < high {
                let middle = (low + high) / 2
                if cumulative[middle] < point { low = middle + 1 } else { high = middle }
            }
            return order[low]
        }
    }
}

struct SplitMix: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
