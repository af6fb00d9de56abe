import Foundation
import Tintype

/// Small images, made in code.
enum Images {
    /// Red to the right, green downwards; blue tells images apart.
    static func bitmap(_ width: Int, _ height: Int, blue: UInt8 = 0, isOpaque: Bool = true) throws -> Bitmap {
        try Bitmap(width: width, height: height, isOpaque: isOpaque) { bytes, bytesPerRow in
            for y in 0..<height {
                for x in 0..<width {
                    let alpha: UInt8 = isOpaque || (x + y) % 2 == 0 ? 255 : 0
                    let pixel = [UInt8(x * 255 / max(1, width - 1)), UInt8(y * 255 / max(1, height - 1)), blue, 255]
                    for channel in 0..<4 { bytes[y * bytesPerRow + x * 4 + channel] = alpha == 0 ? 0 : pixel[channel] }
                }
            }
        }
    }

    static func png(_ width: Int = 40, _ height: Int = 20, blue: UInt8 = 0, isOpaque: Bool = true) throws -> Data {
        try ImageCodecs.standard.encode(bitmap(width, height, blue: blue, isOpaque: isOpaque), as: .png)
    }

    static func jpeg(_ width: Int = 40, _ height: Int = 20) throws -> Data {
        try ImageCodecs.standard.encode(bitmap(width, height), as: .jpeg)
    }
}
