/// A row of premultiplied RGBA pixels that is put on the canvas.
struct PremultipliedRow {
    private let source: UnsafePointer<UInt32>
    private let count: Int

    /// The address must be aligned to 4 bytes.
    init(_ address: UnsafeRawPointer, count: Int) {
        source = address.assumingMemoryBound(to: UInt32.self)
        self.count = count
    }

    func draw(on target: UnsafeMutableRawPointer, replacing: Bool) {
        let target = target.assumingMemoryBound(to: UInt32.self)
        if replacing { target.update(from: source, count: count) } else { blend(onto: target) }
    }

    /// Source over: `s + d * (256 - alpha) / 256` in each byte, as libwebp does it. No byte can overflow, because a
    /// premultiplied one is never larger than its alpha.
    private func blend(onto target: UnsafeMutablePointer<UInt32>) {
        let mask: UInt32 = 0x00FF_00FF
        var x = 0
        while x < count {
            let pixel = UInt32(littleEndian: source[x])
            let alpha = pixel &>> 24
            if alpha == 255 {
                target[x] = source[x]
            } else if alpha != 0 {
                let below = UInt32(littleEndian: target[x])
                let scale = 256 &- alpha
                let redBlue = (((below & mask) &* scale) &>> 8) & mask
                let greenAlpha = (((below &>> 8) & mask) &* scale) & ~mask
                target[x] = UInt32(littleEndian: pixel &+ (redBlue | greenAlpha))
            }
            x &+= 1
        }
    }
}
