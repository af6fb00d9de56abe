/// A little-endian TIFF of one strip for tests; tags can be added or replaced.
struct TIFFFile {
    /// Each tag's type (3 SHORT, 4 LONG, 7 UNDEFINED) and values.
    var tags: [Int: (type: Int, values: [Int])] = [:]
    var pixels: [UInt8] = []

    init(width: Int, height: Int, bits: [Int], photometric: Int, pixels: [UInt8]) {
        self.pixels = pixels
        tags[256] = (4, [width])
        tags[257] = (4, [height])
        tags[258] = (3, bits)
        tags[259] = (3, [1])
        tags[262] = (3, [photometric])
        tags[277] = (3, [bits.count])
        tags[278] = (4, [height])
    }

    /// - Parameter directoryFirst: false puts the directory behind the pixels, as many writers do.
    func build(directoryFirst: Bool = true) -> ByteBuilder {
        var all = tags
        all[279] = (4, [pixels.count])
        all[273] = (4, [0])
        let sorted = all.sorted { $0.key < $1.key }
        let directory = directoryFirst ? 8 : 8 + pixels.count + pixels.count % 2
        var extra = ByteBuilder()
        let extraOffset = directory + 2 + sorted.count * 12 + 4
        // The values that do not fit into an entry follow the directory.
        func payload(_ tag: (type: Int, values: [Int])) -> [UInt8] {
            var bytes = ByteBuilder()
            for value in tag.values {
                switch tag.type {
                case 3: bytes.u16(value)
                case 4: bytes.u32(value)
                default: bytes.u8(value)
                }
            }
            return bytes.bytes
        }
        let extraCount = sorted.map { payload($0.value).count }.filter { $0 > 4 }.map { $0 + $0 % 2 }.reduce(0, +)
        let pixelOffset = directoryFirst ? extraOffset + extraCount : 8
        var entries = ByteBuilder()
        entries.u16(sorted.count)
        for (tag, value) in sorted {
            entries.u16(tag, value.type)
            entries.u32(value.values.count)
            var bytes = tag == 273 ? payload((4, [pixelOffset])) : payload(value)
            if bytes.count > 4 {
                entries.u32(extraOffset + extra.bytes.count)
                if bytes.count % 2 == 1 { bytes.append(0) }
                extra.append(bytes)
            } else {
                entries.append(bytes + [UInt8](repeating: 0, count: 4 - bytes.count))
            }
        }
        entries.u32(0)
        var file = ByteBuilder()
        file.ascii("II")
        file.u16(42)
        file.u32(directory)
        if !directoryFirst { file.append(pixels + [UInt8](repeating: 0, count: pixels.count % 2)) }
        file.append(entries)
        file.append(extra)
        if directoryFirst { file.append(pixels) }
        return file
    }
}
