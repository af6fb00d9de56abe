/// The offsets of the parts of a GIF file, read from its blocks without decoding pixels (GIF89a, §17–27).
struct GIFIndex: Sendable {
    struct Frame: Sendable {
        /// As stored; may lie outside the canvas, may be empty.
        var rect: PixelRect
        var isInterlaced = false
        /// Bytes of the colour table in the file; nil is the global one.
        var palette: Range<Int>?
        var transparentIndex: Int?
        var disposal = FrameDisposal.keep
        /// Hundredths of a second.
        var delay = 0
        /// Offset of the byte "LZW minimum code size"; the data blocks follow it.
        var dataOffset: Int
        /// Offset after the block terminator, or the end of the bytes.
        var dataEnd: Int
        /// False if the bytes end before the block terminator.
        var isWhole = false
    }

    /// The reason why reading ended.
    enum Ending: Sendable, Hashable {
        case trailer
        /// The bytes end between two blocks, which players accept.
        case missingTrailer
        /// The bytes end inside a block.
        case truncated
        /// A byte that starts no block, at this offset.
        case garbage(Int)
        /// The frame limit was reached.
        case limit
    }

    /// The logical screen; a side of 0 is that of the first frame, as in browsers.
    var canvas: PixelSize
    var globalPalette: Range<Int>?
    /// Number of loops, 0 is forever.
    var loopCount = 1
    /// Frames in the order of the file. Only the last one may be truncated.
    var frames: [Frame] = []
    var ending = Ending.truncated

    /// Number of frames that are complete.
    var wholeFrameCount: Int { frames.count - (frames.last?.isWhole == false ? 1 : 0) }

    /// The frame's part of the canvas.
    func visibleRect(_ frame: Frame) -> PixelRect { frame.rect.clipped(to: canvas) }
}

extension GIFIndex {
    /// Reads the blocks of a file or of a prefix.
    ///
    /// - Throws: `ImagingError.corrupt` if it is no GIF, `needsMoreData` if the bytes end before the size of the canvas
    ///   is known. `ending` tells every other fault.
    init(_ bytes: UnsafeRawBufferPointer, maximumFrameCount: Int) throws {
        guard bytes.count >= 13 else { throw ImagingError.needsMoreData(.gif, byteCount: 13) }
        guard bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8) else {
            throw ImagingError.corrupt(.gif, "it does not start with GIF87a or GIF89a")
        }
        var reader = GIFBlockReader(bytes: bytes, offset: 6)
        canvas = PixelSize(width: reader.word() ?? 0, height: reader.word() ?? 0)
        let flags = reader.byte() ?? 0
        reader.offset += 2
        if !readBlocks(&reader, screenFlags: flags, maximumFrameCount: maximumFrameCount) { ending = .truncated }
        try settleCanvas()
    }

    private mutating func settleCanvas() throws {
        guard canvas.width == 0 || canvas.height == 0 else { return }
        guard let first = frames.first else {
            if ending == .truncated { throw ImagingError.needsMoreData(.gif, byteCount: nil) }
            throw ImagingError.corrupt(.gif, "it holds no frame")
        }
        if canvas.width == 0 { canvas.width = first.rect.x + first.rect.width }
        if canvas.height == 0 { canvas.height = first.rect.y + first.rect.height }
    }

    /// Returns false if the bytes end inside a block.
    private mutating func readBlocks(_ reader: inout GIFBlockReader, screenFlags: UInt8, maximumFrameCount: Int) -> Bool
    {
        if screenFlags & 0x80 != 0 {
            guard let palette = reader.range(3 << (Int(screenFlags & 7) + 1)) else { return false }
            globalPalette = palette
        }
        var control = GIFBlockReader.Control()
        while true {
            let start = reader.offset
            guard let introducer = reader.byte() else {
                ending = .missingTrailer
                return true
            }
            switch introducer {
            case 0x2C:
                guard frames.count < maximumFrameCount else {
                    ending = .limit
                    return true
                }
                guard readFrame(&reader, control) else { return false }
                control = GIFBlockReader.Control()
            case 0x21:
                guard readExtension(&reader, &control) else { return false }
            case 0x3B:
                ending = .trailer
                return true
            case 0:
                // A superfluous block terminator: some encoders write two.
                continue
            default:
                ending = .garbage(start)
                return true
            }
        }
    }

    private mutating func readFrame(_ reader: inout GIFBlockReader, _ control: GIFBlockReader.Control) -> Bool {
        guard let x = reader.word(), let y = reader.word(), let width = reader.word(), let height = reader.word(),
            let flags = reader.byte()
        else { return false }
        var palette: Range<Int>?
        if flags & 0x80 != 0 {
            guard let range = reader.range(3 << (Int(flags & 7) + 1)) else { return false }
            palette = range
        }
        var frame = Frame(
            rect: PixelRect(x: x, y: y, width: width, height: height), isInterlaced: flags & 0x40 != 0,
            palette: palette, transparentIndex: control.transparentIndex, disposal: control.disposal,
            delay: control.delay, dataOffset: reader.offset, dataEnd: reader.offset)
        frame.isWhole = reader.byte() != nil && reader.skipSubBlocks()
        frame.dataEnd = reader.offset
        frames.append(frame)
        return frame.isWhole
    }

    private mutating func readExtension(_ reader: inout GIFBlockReader, _ control: inout GIFBlockReader.Control) -> Bool
    {
        guard let label = reader.byte() else { return false }
        let start = reader.offset
        switch label {
        case 0xF9:
            guard let size = reader.byte() else { return false }
            if size >= 4 {
                guard let flags = reader.byte(), let delay = reader.word(), let index = reader.byte() else {
                    return false
                }
                control = GIFBlockReader.Control(flags: flags, delay: delay, index: index)
            }
        case 0xFF:
            guard let size = reader.byte(), let name = reader.range(Int(size)) else { return false }
            if size == 11, let loops = reader.loopCount(application: name) {
                // The file counts repetitions, and 0 is forever (Netscape's extension; ANIMEXTS is the same).
                loopCount = loops == 0 ? 0 : loops + 1
            }
        default: break
        }
        reader.offset = start
        return reader.skipSubBlocks()
    }
}

/// A reader of GIF blocks; returns nil or false where the bytes end.
private struct GIFBlockReader {
    /// The graphic control extension (§23), which applies to the next frame only.
    struct Control {
        var delay = 0
        var transparentIndex: Int?
        var disposal = FrameDisposal.keep

        init() {}

        init(flags: UInt8, delay: Int, index: UInt8) {
            self.delay = delay
            transparentIndex = flags & 1 != 0 ? Int(index) : nil
            // 4 is not in the specification, but some old encoders wrote it for 3.
            disposal =
                switch (flags >> 2) & 7 {
                case 2: .clear
                case 3, 4: .restore
                default: .keep
                }
        }
    }

    let bytes: UnsafeRawBufferPointer
    var offset: Int

    mutating func byte() -> UInt8? {
        guard offset < bytes.count else { return nil }
        defer { offset += 1 }
        return bytes[offset]
    }

    mutating func word() -> Int? {
        guard offset + 2 <= bytes.count else { return nil }
        defer { offset += 2 }
        return Int(bytes[offset]) | Int(bytes[offset + 1]) << 8
    }

    mutating func range(_ count: Int) -> Range<Int>? {
        guard offset + count <= bytes.count else { return nil }
        defer { offset += count }
        return offset..<offset + count
    }

    /// Skips to after the next block terminator, or to the end of the bytes, and returns whether there is one.
    mutating func skipSubBlocks() -> Bool {
        while offset < bytes.count {
            let size = Int(bytes[offset])
            offset += 1 + size
            if size == 0 { return true }
        }
        offset = bytes.count
        return false
    }

    /// Returns the repetitions in the sub-blocks that follow, if this is the looping extension.
    mutating func loopCount(application name: Range<Int>) -> Int? {
        let name = UnsafeRawBufferPointer(rebasing: bytes[name])
        guard name.elementsEqual("NETSCAPE2.0".utf8) || name.elementsEqual("ANIMEXTS1.0".utf8) else { return nil }
        while let size = byte(), size != 0 {
            let next = offset + Int(size)
            if size >= 3, byte() == 1, let count = word() { return count }
            offset = next
        }
        return nil
    }
}
