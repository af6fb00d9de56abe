/// Samples of more than 8 bits, four to a pixel.
enum WideSamples {
    /// Little-endian samples of `bits` bits in two bytes each to the full 16 bits of the CPU's byte order.
    static func scale(_ source: UnsafeRawPointer, bits: Int, to target: UnsafeMutablePointer<UInt16>, count: Int) {
        let largest = UInt32(1) << UInt32(min(max(bits, 1), 16)) - 1
        for index in 0..<count {
            let sample = UInt16(littleEndian: source.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self))
            let value = min(UInt32(sample), largest)
            target[index] = UInt16((value * 65535 + largest / 2) / largest)
        }
    }

    static func unpremultiply(_ pixels: UnsafeMutablePointer<UInt16>, pixelCount: Int) {
        for index in 0..<pixelCount {
            let pixel = pixels + index * 4
            let alpha = UInt32(pixel[3])
            if alpha == 65535 { continue }
            for channel in 0..<3 {
                pixel[channel] =
                    alpha == 0 ? 0 : UInt16(min(65535, (UInt32(pixel[channel]) * 65535 + alpha / 2) / alpha))
            }
        }
    }

    /// 16 bits to 8, rounded to nearest.
    static func narrow(_ source: UnsafePointer<UInt16>, to target: UnsafeMutablePointer<UInt8>, count: Int) {
        // Exact for all 65,536 values: (v * 255 + 32767) / 65535.
        for index in 0..<count { target[index] = UInt8((UInt32(source[index]) * 255 + 32_895) >> 16) }
    }
}
