import Foundation

/// Builds version 2 matrix profiles.
enum ICCBuilder {
    /// The sRGB primaries, adapted to D50, as ICC profiles carry them.
    static let red = [0.4361, 0.2225, 0.0139]
    static let green = [0.3851, 0.7169, 0.0971]
    static let blue = [0.1431, 0.0606, 0.7141]

    /// An RGB profile with a power curve.
    static func rgb(red: [Double] = red, green: [Double] = green, blue: [Double] = blue, gamma: Double) -> Data {
        profile(
            space: "RGB ",
            tags: [
                ("desc", description("Test profile")), ("wtpt", xyz([0.9642, 1, 0.8249])), ("rXYZ", xyz(red)),
                ("gXYZ", xyz(green)), ("bXYZ", xyz(blue)), ("rTRC", curve(gamma)), ("gTRC", curve(gamma)),
                ("bTRC", curve(gamma)),
            ])
    }

    static func gray(gamma: Double) -> Data {
        profile(
            space: "GRAY",
            tags: [
                ("desc", description("Test grey")), ("wtpt", xyz([0.9642, 1, 0.8249])), ("kTRC", curve(gamma)),
            ])
    }

    static func profile(space: String, deviceClass: String = "mntr", tags: [(String, [UInt8])]) -> Data {
        var table = PNGBuilder.big32(tags.count)
        var contents: [UInt8] = []
        for (name, bytes) in tags {
            table += Array(name.utf8) + PNGBuilder.big32(132 + tags.count * 12 + contents.count)
            table += PNGBuilder.big32(bytes.count)
            contents += bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
        }
        var header =
            PNGBuilder.big32(128 + table.count + contents.count) + [0, 0, 0, 0] + PNGBuilder.big32(0x0210_0000)
        header += Array("\(deviceClass)\(space)XYZ ".utf8) + [UInt8](repeating: 0, count: 12) + Array("acsp".utf8)
        header += [UInt8](repeating: 0, count: 68 - header.count) + number(0.9642) + number(1) + number(0.8249)
        header += [UInt8](repeating: 0, count: 128 - header.count)
        return Data(header + table + contents)
    }

    private static func number(_ value: Double) -> [UInt8] { PNGBuilder.big32(Int((value * 65_536).rounded())) }
    private static func xyz(_ values: [Double]) -> [UInt8] { Array("XYZ \0\0\0\0".utf8) + values.flatMap(number) }
    private static func curve(_ gamma: Double) -> [UInt8] {
        Array("curv\0\0\0\0".utf8) + PNGBuilder.big32(1) + PNGBuilder.big16(Int((gamma * 256).rounded()))
    }
    private static func description(_ text: String) -> [UInt8] {
        Array("desc\0\0\0\0".utf8) + PNGBuilder.big32(text.utf8.count + 1) + Array(text.utf8) + [0]
            + [UInt8](repeating: 0, count: 78)
    }
}
