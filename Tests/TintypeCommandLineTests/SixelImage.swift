import Foundation
import Tintype

/// Reads sixel graphics back to pixels: enough of DEC STD 070 for what the tool writes.
struct SixelImage {
    typealias Color = [UInt8]

    private(set) var width = 0
    private(set) var height = 0
    var size: PixelSize { PixelSize(width: width, height: height) }
    /// RGB; nil where nothing was drawn.
    private var pixels: [Int: Color] = [:]

    struct Malformed: Error {
        let what: String
    }

    init(_ text: String) throws {
        guard let start = text.range(of: "\u{1B}P"),
            let end = text.range(of: "\u{1B}\\", range: start.upperBound..<text.endIndex)
        else { throw Malformed(what: "no device control string") }
        let body = Array(text[start.upperBound..<end.lowerBound].utf8)
        guard let q = body.firstIndex(of: UInt8(ascii: "q")),
            body[..<q].allSatisfy({ $0 == 0x3B || (0x30...0x39).contains($0) })
        else { throw Malformed(what: "no q after the parameters") }
        var position = q + 1
        var colors: [Int: Color] = [:]
        var current: Color?
        var (x, top, repetition) = (0, 0, 1)

        func numbers() -> [Int] {
            var list = [0]
            while position < body.count {
                if (0x30...0x39).contains(body[position]) {
                    list[list.count - 1] = list[list.count - 1] * 10 + Int(body[position] - 0x30)
                } else if body[position] == 0x3B {
                    list.append(0)
                } else {
                    break
                }
                position += 1
            }
            return list
        }

        while position < body.count {
            let byte = body[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                let raster = numbers()
                guard raster.count == 4, raster[0] == 1, raster[1] == 1 else {
                    throw Malformed(what: "raster \(raster)")
                }
                (width, height) = (raster[2], raster[3])
            case UInt8(ascii: "#"):
                let list = numbers()
                if list.count == 5 {
                    guard list[1] == 2, list[2...].allSatisfy({ $0 <= 100 }) else {
                        throw Malformed(what: "colour \(list)")
                    }
                    colors[list[0]] = list[2...].map { UInt8(($0 * 255 + 50) / 100) }
                }
                guard list.count == 5 || list.count == 1, let color = colors[list[0]] else {
                    throw Malformed(what: "colour \(list)")
                }
                current = color
            case UInt8(ascii: "!"): repetition = numbers()[0]
            case UInt8(ascii: "$"): x = 0
            case UInt8(ascii: "-"): (x, top) = (0, top + 6)
            case 63...126:
                for _ in 0..<repetition {
                    for row in 0..<6 where (byte - 63) >> UInt8(row) & 1 == 1 {
                        guard x < width, top + row < height, let current else {
                            throw Malformed(what: "pixel \(x),\(top + row)")
                        }
                        pixels[(top + row) * width + x] = current
                    }
                    x += 1
                }
                repetition = 1
            default: throw Malformed(what: "byte \(byte)")
            }
        }
    }

    subscript(x x: Int, y y: Int) -> Color? { pixels[y * width + x] }
}
