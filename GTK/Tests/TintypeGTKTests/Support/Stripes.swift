import Foundation
import Tintype

/// Images whose parts can be told apart.
enum Stripes {
    static let red = PixelColor(red: 220, green: 0, blue: 0)
    static let green = PixelColor(red: 0, green: 180, blue: 0)
    static let blue = PixelColor(red: 0, green: 0, blue: 220)

    /// - Parameter colour: of a column.
    static func picture(width: Int, height: Int, _ colour: (Int) -> PixelColor) throws -> Data {
        let bitmap = try Bitmap(width: width, height: height, isOpaque: true) { bytes, bytesPerRow in
            for y in 0..<height {
                for x in 0..<width {
                    let (offset, colour) = (y * bytesPerRow + x * 4, colour(x))
                    bytes[offset] = colour.red
                    bytes[offset + 1] = colour.green
                    bytes[offset + 2] = colour.blue
                    bytes[offset + 3] = 255
                }
            }
        }
        return try ImageCodecs.standard.encode(bitmap, as: .png)
    }

    /// A quarter red, half green, a quarter blue.
    static func flag(width: Int, height: Int) throws -> ImageRequest {
        let data = try picture(width: width, height: height) { x in
            x < width / 4 ? red : x < width * 3 / 4 ? green : blue
        }
        return ImageRequest(id: "flag \(width)x\(height)") { data }
    }

    /// Red and blue columns in turn.
    static func lines(width: Int, height: Int) throws -> ImageRequest {
        let data = try picture(width: width, height: height) { $0 % 2 == 0 ? red : blue }
        return ImageRequest(id: "lines \(width)x\(height)") { data }
    }
}

extension PixelColor {
    /// As far as a resampler and a software renderer can be trusted.
    func isNear(_ other: PixelColor, within tolerance: Int = 24) -> Bool {
        let differences = [
            Int(red) - Int(other.red), Int(green) - Int(other.green), Int(blue) - Int(other.blue),
            Int(alpha) - Int(other.alpha),
        ]
        return differences.allSatisfy { abs($0) <= tolerance }
    }
}
