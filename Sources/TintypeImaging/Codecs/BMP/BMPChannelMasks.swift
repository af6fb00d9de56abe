/// Which bits of a 16 or 32 bit pixel hold which channel. Any set of bits is allowed, also overlapping ones.
struct BMPChannelMasks: Hashable {
    var red: UInt32
    var green: UInt32
    var blue: UInt32
    var alpha: UInt32

    static let none = BMPChannelMasks(red: 0, green: 0, blue: 0, alpha: 0)
    static let rgb555 = BMPChannelMasks(red: 0x7C00, green: 0x03E0, blue: 0x001F, alpha: 0)
    static let rgb888 = BMPChannelMasks(red: 0xFF_0000, green: 0xFF00, blue: 0xFF, alpha: 0)

    /// Bits of the widest colour channel.
    var bitDepth: Int {
        max(1, max(Channel(red).bits, max(Channel(green).bits, Channel(blue).bits)))
    }

    /// Takes one channel out of a pixel and widens or narrows it to 8 bits.
    struct Channel {
        let mask: UInt32
        let shift: UInt32
        let bits: Int
        /// Every value of the channel at 8 bits, for channels of up to 8 bits.
        private let table: [UInt8]

        init(_ mask: UInt32) {
            self.mask = mask
            shift = mask == 0 ? 0 : UInt32(mask.trailingZeroBitCount)
            let bits = mask == 0 ? 0 : 32 - mask.leadingZeroBitCount - mask.trailingZeroBitCount
            self.bits = bits
            if bits == 0 || bits > 8 {
                table = []
            } else {
                let largest = (1 << bits) - 1
                table = (0...largest).map { UInt8(($0 * 255 + largest / 2) / largest) }
            }
        }

        @inline(__always) func value(_ pixel: UInt32) -> UInt8 {
            if bits == 0 { return 0 }
            let value = Int((pixel & mask) >> shift)
            if bits <= 8 { return table[value] }
            let largest = (1 << bits) - 1
            return UInt8((value * 255 + largest / 2) / largest)
        }
    }
}
