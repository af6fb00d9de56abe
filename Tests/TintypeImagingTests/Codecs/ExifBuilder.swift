import Foundation

/// Builds the TIFF part of an EXIF block with an orientation and some company.
enum ExifBuilder {
    static func block(orientation: Int, isBigEndian: Bool = true, isLong: Bool = false) -> Data {
        func number(_ value: Int, _ size: Int) -> [UInt8] {
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
            return isBigEndian ? bytes.reversed() : bytes
        }
        var data = Data((isBigEndian ? "MM" : "II").utf8)
        data += number(42, 2) + number(8, 4) + number(2, 2)
        // ResolutionUnit out of order, then Orientation.
        data += number(0x0128, 2) + number(3, 2) + number(1, 4) + number(2, 2) + [0, 0]
        data += number(0x0112, 2) + number(isLong ? 4 : 3, 2) + number(1, 4)
        data += isLong ? number(orientation, 4) : number(orientation, 2) + [0, 0]
        data += number(0, 4)
        return data
    }
}
