import Foundation
import Testing

/// Numbers as the boxes hold them, four bytes each.
func bigEndian(_ values: [Int]) -> [UInt8] {
    var bytes: [UInt8] = []
    for value in values { bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
    return bytes
}

/// Changes the boxes of a small HEIF or AVIF file, to make files that no encoder at hand writes.
struct HEIFFile {
    private var bytes: [UInt8]

    init(_ data: Data) { bytes = [UInt8](data) }

    private func find(_ name: String) throws -> Int {
        let code = Array(name.utf8)
        let index = bytes.indices.first { Array(bytes[$0..<min($0 + 4, bytes.count)]) == code }
        return try #require(index) - 4
    }

    private func read32(_ offset: Int) -> Int { (0..<4).reduce(0) { $0 << 8 | Int(bytes[offset + $1]) } }

    private mutating func add32(_ amount: Int, at offset: Int) {
        let value = read32(offset) + amount
        for index in 0..<4 { bytes[offset + index] = UInt8(value >> (24 - 8 * index) & 255) }
    }

    /// The file with one more property box in `ipco`, tied to the first item. The boxes around it grow, and the places
    /// of the media data move.
    func adding(_ name: String, _ content: [UInt8]) throws -> Data {
        var file = self
        let property = [0, 0, 0, UInt8(8 + content.count)] + Array(name.utf8) + content
        let ipma = try file.find("ipma")
        let ipco = try file.find("ipco")
        var count = 0
        var position = ipco + 8
        while position < ipco + file.read32(ipco) {
            count += 1
            position += file.read32(position)
        }
        // ipma, version 0: item count, then for each item its number, how many properties, and their indexes.
        let entry = ipma + 16
        let used = Int(file.bytes[entry + 2])
        file.bytes.insert(0x80 | UInt8(count + 1), at: entry + 3 + used)
        file.bytes[entry + 2] += 1
        file.add32(1, at: ipma)
        file.bytes.insert(contentsOf: property, at: position)
        file.add32(property.count, at: ipco)
        let grown = property.count + 1
        for name in ["iprp", "meta"] { file.add32(grown, at: try file.find(name)) }
        try file.move(by: grown)
        return Data(file.bytes)
    }

    /// iloc, version 0 or 1, with four bytes for each number and one extent for each item.
    private mutating func move(by amount: Int) throws {
        let iloc = try find("iloc")
        let version = Int(bytes[iloc + 8])
        let hasBase = bytes[iloc + 13] >> 4 == 4
        let items = Int(bytes[iloc + 14]) << 8 | Int(bytes[iloc + 15])
        var position = iloc + 16
        for _ in 0..<items {
            // Item, construction method, data reference.
            position += 2 + (version == 1 ? 2 : 0) + 2
            if hasBase {
                add32(amount, at: position)
                position += 4 + 2 + 8
            } else {
                add32(amount, at: position + 2)
                position += 2 + 8
            }
        }
    }
}
