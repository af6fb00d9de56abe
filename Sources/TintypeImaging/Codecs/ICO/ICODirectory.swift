/// The directory of an icon or cursor file: ICONDIR and its ICONDIRENTRYs.
///
/// The sizes and depths in the directory are often wrong, so they are read from the entries themselves.
struct ICODirectory {
    struct Entry {
        enum Content {
            case bitmap(BMPHeader)
            case png(size: PixelSize, bitsPerPixel: Int)
        }

        var offset: Int
        /// As the directory says; the content may be longer.
        var byteCount: Int
        var content: Content

        var size: PixelSize {
            switch content {
            case .bitmap(let header): header.size
            case .png(let size, _): size
            }
        }

        var bitsPerPixel: Int {
            switch content {
            case .bitmap(let header): header.bitCount
            case .png(_, let bits): bits
            }
        }
    }

    /// The entries with a valid header, in the order of the file.
    private(set) var entries: [Entry] = []
    /// The faults of the other entries.
    private(set) var warnings: [String] = []
    /// True if an entry is beyond the end of the file.
    private(set) var isTruncated = false

    /// - Parameter isComplete: false if `bytes` is a prefix; an entry beyond its end then throws `PastEnd`.
    init(_ bytes: ByteView, isComplete: Bool) throws {
        let kind = try bytes.u16(2)
        guard try bytes.u16(0) == 0, kind == 1 || kind == 2 else {
            throw ImagingError.corrupt(.ico, "it is neither an icon nor a cursor")
        }
        let count = Int(try bytes.u16(4))
        guard count > 0 else { throw ImagingError.corrupt(.ico, "it has no entries") }
        for index in 0..<count {
            do {
                let start = 6 + index * 16
                let entry = try Self.entry(
                    bytes, byteCount: Int(try bytes.u32(start + 8)), offset: Int(try bytes.u32(start + 12)))
                entries.append(entry)
            } catch let end as ByteView.PastEnd {
                guard isComplete else { throw end }
                isTruncated = true
                // All entries that follow are missing too.
                if 6 + (index + 1) * 16 > bytes.count {
                    warn("the directory ends after \(index) of \(count) entries")
                    break
                }
                warn("entry \(index) lies beyond the end of the file")
            } catch let error as ImagingError {
                warn("entry \(index): \(error)")
            }
        }
    }

    private mutating func warn(_ text: String) {
        if warnings.count < 8 { warnings.append(text) }
    }

    private static func entry(_ bytes: ByteView, byteCount: Int, offset: Int) throws -> Entry {
        let pngSignature: UInt32 = 0x474E_5089
        if try bytes.u32(offset) == pngSignature {
            let size = PixelSize(
                width: Int(try bytes.bigEndian32(offset + 16)), height: Int(try bytes.bigEndian32(offset + 20)))
            guard size.width > 0, size.height > 0, size.width <= Int(Int32.max), size.height <= Int(Int32.max) else {
                throw ImagingError.corrupt(.ico, "a PNG of \(size)")
            }
            let bits = try bitsPerPixel(depth: bytes.u8(offset + 24), colorType: bytes.u8(offset + 25))
            return Entry(offset: offset, byteCount: byteCount, content: .png(size: size, bitsPerPixel: bits))
        }
        var header = try BMPHeader(bytes, at: offset, pixelOffset: nil)
        // In an icon the fourth byte of a plain 32 bit pixel is alpha.
        if header.bitCount == 32, header.compression == .none { header.masks.alpha = 0xFF00_0000 }
        return Entry(offset: offset, byteCount: byteCount, content: .bitmap(header))
    }

    private static func bitsPerPixel(depth: UInt8, colorType: UInt8) throws -> Int {
        let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][colorType]
        guard let channels else { throw ImagingError.corrupt(.ico, "a PNG of colour type \(colorType)") }
        return Int(depth) * channels
    }

    /// Returns the entries, the best one first.
    ///
    /// - Parameter wanted: nil prefers the largest; otherwise the smallest that covers this size comes first, then larger
    ///   ones, then the largest of those that do not cover it. Among equal sizes, the greatest depth, then the first.
    func ranked(for wanted: PixelSize?) -> [Entry] {
        entries.enumerated().sorted { left, right in
            let (a, b) = (left.element, right.element)
            if let wanted {
                let (coversA, coversB) = (a.size.covers(wanted), b.size.covers(wanted))
                if coversA != coversB { return coversA }
                if a.size.area != b.size.area { return coversA == (a.size.area < b.size.area) }
            } else if a.size.area != b.size.area {
                return a.size.area > b.size.area
            }
            if a.bitsPerPixel != b.bitsPerPixel { return a.bitsPerPixel > b.bitsPerPixel }
            return left.offset < right.offset
        }.map(\.element)
    }
}

extension PixelSize {
    fileprivate func covers(_ other: PixelSize) -> Bool { width >= other.width && height >= other.height }
}
