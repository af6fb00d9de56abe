/// A decoder of GIF's variable-length-code LZW (GIF89a, appendix F).
///
/// Every string of the table is already in the output, followed by its last byte. So an entry is a position in the output
/// and a length, and decoding a code copies within the output. The decoder can stop at any bit and continue when more
/// bytes have arrived.
final class LZWDecoder {
    enum State: Hashable {
        case needsInput
        /// All pixels are decoded.
        case full
        /// The end code came before the last pixel.
        case ended
        /// A code that is not in the table.
        case badCode
    }

    private static let tableSize = 4096
    /// The 256 one-byte strings precede the pixels in the output, so that they are entries like all others.
    private static let literalCount = 256
    /// Copies are made in steps of 16 bytes, and the last string may be longer than the rest of the output.
    private static let slack = tableSize + 32

    /// Position and length of each string: `position << 16 | length`.
    private let entries: UnsafeMutablePointer<UInt64>
    /// Memory of `output`; nothing before the first frame.
    private var storage: PixelStorage?
    private var output: UnsafeMutableRawPointer
    private var capacity = 0
    private(set) var pixelCount = 0
    /// Pixels written so far, never more than `pixelCount`.
    private(set) var count = 0
    private(set) var state = State.needsInput

    private var minimumCodeSize = 2
    private var codeSize = 3
    private var next = 6
    private var previous = (place: 0, length: 0)
    private var bits: UInt64 = 0
    private var bitCount = 0

    init() {
        entries = .allocate(capacity: Self.tableSize)
        entries.initialize(repeating: 0, count: Self.tableSize)
        output = UnsafeMutableRawPointer(entries)
    }

    deinit {
        entries.deallocate()
    }

    /// The palette index of each pixel, `count` of them; valid until the next call of a method.
    var pixels: UnsafePointer<UInt8> {
        UnsafePointer((output + Self.literalCount).assumingMemoryBound(to: UInt8.self))
    }

    /// Starts a frame. Returns false for a code size that GIF does not allow.
    func begin(minimumCodeSize: Int, pixelCount: Int) throws -> Bool {
        guard 1...11 ~= minimumCodeSize, pixelCount >= 0, pixelCount < Int(Int32.max) else { return false }
        let needed = Self.literalCount + pixelCount + Self.slack
        if needed > capacity || needed < capacity / 4 {
            output = UnsafeMutableRawPointer(entries)
            (capacity, count, storage) = (0, 0, nil)
            let larger = try PixelStorage(byteCount: needed)
            guard let base = larger.bytes.baseAddress else { return false }
            storage = larger
            output = base
            capacity = needed
        }
        for value in 0..<Self.literalCount { output.storeBytes(of: UInt8(value), toByteOffset: value, as: UInt8.self) }
        self.minimumCodeSize = minimumCodeSize
        self.pixelCount = pixelCount
        for code in 0..<(1 << minimumCodeSize) { entries[code] = UInt64(code & 255) << 16 | 1 }
        count = 0
        bits = 0
        bitCount = 0
        clearTable()
        state = pixelCount == 0 ? .full : .needsInput
        return true
    }

    private func clearTable() {
        codeSize = minimumCodeSize + 1
        next = (1 << minimumCodeSize) + 2
        previous = (0, 0)
    }

    /// Decodes bytes of the stream, without the sizes of the data blocks.
    func decode(_ input: UnsafeRawBufferPointer) {
        guard state == .needsInput, let source = input.baseAddress else { return }
        let end = input.count
        let clear = 1 << minimumCodeSize
        let entries = self.entries
        let output = self.output
        let limit = Self.literalCount + pixelCount
        var read = 0
        var place = Self.literalCount + count
        var bits = self.bits
        var bitCount = self.bitCount
        var codeSize = self.codeSize
        var next = self.next
        var (previousPlace, previousLength) = previous
        var state = State.needsInput

        while place < limit {
            if bitCount < codeSize {
                if read &+ 8 <= end {
                    let word = UInt64(littleEndian: source.loadUnaligned(fromByteOffset: read, as: UInt64.self))
                    bits |= word &<< UInt64(bitCount)
                    let taken = (63 &- bitCount) &>> 3
                    read &+= taken
                    bitCount &+= taken &* 8
                } else {
                    while bitCount <= 56, read < end {
                        bits |= UInt64(source.load(fromByteOffset: read, as: UInt8.self)) &<< UInt64(bitCount)
                        read &+= 1
                        bitCount &+= 8
                    }
                    if bitCount < codeSize { break }
                }
            }
            let code = Int(bits & ((1 &<< UInt64(codeSize)) &- 1))
            bits &>>= UInt64(codeSize)
            bitCount &-= codeSize

            if code == clear {
                codeSize = minimumCodeSize &+ 1
                next = clear &+ 2
                previousLength = 0
                continue
            }
            if code == clear &+ 1 {
                state = .ended
                break
            }
            let adds = previousLength != 0 && next < Self.tableSize
            if adds {
                entries[next] = UInt64(previousPlace) &<< 16 | UInt64(previousLength &+ 1)
                next &+= 1
            }
            if next >= 1 &<< codeSize, codeSize < 12 { codeSize &+= 1 }
            guard code < next else {
                state = .badCode
                break
            }
            let entry = entries[code]
            let length = Int(entry & 0xFFFF)
            let from = output + Int(entry &>> 16)
            let to = output + place
            to.storeBytes(of: from.loadUnaligned(as: SIMD16<UInt8>.self), as: SIMD16<UInt8>.self)
            if length > 16 {
                var done = 16
                while done < length {
                    (to + done).storeBytes(
                        of: (from + done).loadUnaligned(as: SIMD16<UInt8>.self), as: SIMD16<UInt8>.self)
                    done &+= 16
                }
            }
            // The string that was just added ends with its own first byte, which was not written before.
            if adds, code == next &- 1 {
                to.storeBytes(of: to.load(as: UInt8.self), toByteOffset: length &- 1, as: UInt8.self)
            }
            previousPlace = place
            previousLength = length
            place &+= length
        }

        if state == .needsInput, place >= limit { state = .full }
        self.state = state
        count = min(place, limit) - Self.literalCount
        self.bits = bits
        self.bitCount = bitCount
        self.codeSize = codeSize
        self.next = next
        previous = (previousPlace, previousLength)
    }
}
