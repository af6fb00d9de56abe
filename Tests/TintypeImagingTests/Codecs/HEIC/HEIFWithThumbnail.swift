import Foundation
import Testing

/// Puts an image and a thumbnail of it, taken from two files with one HEVC image each, into one HEIF file.
struct HEIFWithThumbnail {
    /// One coded image and its properties.
    struct Item {
        var properties: [[UInt8]] = []
        var data: [UInt8]
        /// False leaves it out of the table of places.
        var isLocated = true

        /// The first image of a small file.
        init(_ file: Data) throws {
            let bytes = [UInt8](file)
            func box(_ name: String, from start: Int = 0) throws -> Range<Int> {
                let code = Array(name.utf8)
                let index = try #require(
                    bytes.indices.first { $0 >= start && Array(bytes[$0..<min($0 + 4, bytes.count)]) == code })
                let size = (0..<4).reduce(0) { $0 << 8 | Int(bytes[index - 4 + $1]) }
                return index - 4..<index - 4 + size
            }
            for name in ["hvcC", "ispe"] { properties.append(Array(bytes[try box(name)])) }
            // The first extent of the first item; all numbers have four bytes.
            let iloc = try box("iloc").lowerBound
            func number(_ offset: Int) -> Int { (0..<4).reduce(0) { $0 << 8 | Int(bytes[offset + $1]) } }
            var place = iloc + (bytes[iloc + 8] == 1 ? 22 : 20)
            var start = 0
            if bytes[iloc + 13] >> 4 == 4 {
                start = number(place)
                place += 4
            }
            start += number(place + 2)
            let length = number(place + 6)
            data = Array(bytes[start..<start + length])
        }

        mutating func add(_ name: String, _ content: [UInt8]) {
            properties.append(HEIFWithThumbnail.box(name, content))
        }
    }

    var image: Item
    var thumbnail: Item

    /// The thumbnail's data comes first, so that a file that is cut has it still.
    func data() -> Data {
        let items = [image, thumbnail]
        let head = Self.box("ftyp", Array("heic".utf8) + bigEndian([0]) + Array("mif1heic".utf8))
        func meta(_ start: Int) -> [UInt8] {
            let starts = [start + thumbnail.data.count, start]
            let located = items.indices.filter { items[$0].isLocated }
            let places = located.flatMap { index in
                short(index + 1) + short(0) + short(1) + bigEndian([starts[index], items[index].data.count])
            }
            let entries = items.indices.flatMap { index in
                Self.box("infe", [2, 0, 0, 0] + short(index + 1) + short(0) + Array("hvc1".utf8) + [0])
            }
            var first = 1
            let associations = items.indices.flatMap { index in
                let numbers = (first..<first + items[index].properties.count).map { UInt8($0) | 0x80 }
                first += numbers.count
                return short(index + 1) + [UInt8(numbers.count)] + numbers
            }
            let handler = bigEndian([0, 0]) + Array("pict".utf8) + bigEndian([0, 0, 0]) + [0]
            let content =
                Self.box("hdlr", handler) + Self.box("pitm", bigEndian([0]) + short(1))
                + Self.box("iloc", bigEndian([0]) + [0x44, 0] + short(located.count) + places)
                + Self.box("iinf", bigEndian([0]) + short(2) + entries)
                + Self.box(
                    "iprp",
                    Self.box("ipco", Array(items.flatMap(\.properties).joined()))
                        + Self.box("ipma", bigEndian([0, 2]) + associations))
                + Self.box("iref", bigEndian([0]) + Self.box("thmb", short(2) + short(1) + short(1)))
            return Self.box("meta", bigEndian([0]) + content)
        }
        let start = head.count + meta(0).count + 8
        return Data(head + meta(start) + Self.box("mdat", thumbnail.data + image.data))
    }

    private func short(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 255)] }

    static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
        bigEndian([8 + content.count]) + Array(name.utf8) + content
    }
}
