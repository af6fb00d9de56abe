import TintypeBase

/// The contents of a PNG or APNG file: everything but the pixels, and the offsets of their compressed data.
struct PNGFile: Sendable {
    var header: PNGHeader
    /// RGB triples, at most 256.
    var palette: [UInt8] = []
    /// The contents of tRNS, valid for the colour type; empty if there is none.
    var transparency: [UInt8] = []
    var orientation = ImageOrientation.up
    var color = PNGColorChunks()
    /// Offsets of the compressed data of the default image.
    var imageData: [Range<Int>] = []
    var animation: PNGAnimation?
    /// False if the bytes end before the IEND chunk.
    var hasEnd = false
    var warnings: [String] = []

    var hasAlpha: Bool { header.colorType.hasAlpha || !transparency.isEmpty }

    /// - Parameters:
    ///   - isComplete: false if `bytes` is a prefix, which throws `needsMoreData` if it ends before the pixels.
    init(_ bytes: UnsafeRawBufferPointer, isComplete: Bool = true, isLenient: Bool, limits: DecodeLimits) throws {
        let reader = ByteReader(bytes)
        guard bytes.starts(with: PNGChunk.signature) else {
            throw ImagingError.corrupt(.png, "its signature is damaged")
        }
        var parser = try PNGFileParser(reader, isComplete: isComplete, isLenient: isLenient, limits: limits)
        try parser.run()
        self = parser.file
    }

    init(header: PNGHeader) { self.header = header }
}

/// Reads the chunks once.
private struct PNGFileParser {
    var file: PNGFile
    private let reader: ByteReader
    private let isComplete: Bool
    private let isLenient: Bool
    private let limits: DecodeLimits
    private var offset: Int
    private var animation = PNGAnimationParser()
    private var imageDataEnded = false
    private var hasPalette = false

    init(_ reader: ByteReader, isComplete: Bool, isLenient: Bool, limits: DecodeLimits) throws {
        self.reader = reader
        self.isComplete = isComplete
        self.isLenient = isLenient
        self.limits = limits
        switch PNGChunk.read(reader, at: PNGChunk.signature.count) {
        case .truncated(_, let needed):
            throw isComplete ? ImagingError.truncated(.png) : .needsMoreData(.png, byteCount: min(needed, 64))
        case .notAChunk: throw ImagingError.corrupt(.png, "no chunk after the signature")
        case .chunk(let chunk):
            guard chunk.type == PNGChunk.header else {
                throw ImagingError.corrupt(.png, "the first chunk is \(chunk.name), not IHDR")
            }
            guard isLenient || chunk.hasValidChecksum(reader) else {
                throw ImagingError.corrupt(.png, "the header's checksum is wrong")
            }
            let contents = ByteReader(UnsafeRawBufferPointer(rebasing: reader.bytes[chunk.range]))
            file = PNGFile(header: try PNGHeader(contents, limits: limits))
            offset = chunk.end
        }
    }

    mutating func run() throws {
        while !file.hasEnd {
            switch PNGChunk.read(reader, at: offset) {
            case .chunk(let chunk):
                try take(chunk)
                offset = chunk.end
            case .truncated(let chunk, let needed):
                guard isComplete || !file.imageData.isEmpty || chunk?.type == PNGChunk.data else {
                    throw ImagingError.needsMoreData(.png, byteCount: needed)
                }
                takeTruncated(chunk)
                return finish()
            case .notAChunk:
                file.warnings.append("the bytes from offset \(offset) on are no chunk and were ignored")
                return finish()
            }
        }
        finish()
    }

    private mutating func finish() {
        file.animation = animation.finish(file: file, isComplete: isComplete && file.hasEnd)
        if file.header.colorType == .palette, !file.transparency.isEmpty,
            file.transparency.count > file.palette.count / 3
        {
            file.warnings.append("the tRNS chunk was ignored: it has more entries than the palette")
            file.transparency = []
        }
    }

    private mutating func takeTruncated(_ chunk: PNGChunk?) {
        guard let chunk else { return }
        if chunk.type == PNGChunk.data, !imageDataEnded {
            file.imageData.append(chunk.range)
            animation.imageData()
        } else if chunk.type == PNGChunk.frameData {
            animation.frameData(reader, chunk.range)
        }
    }

    private mutating func take(_ chunk: PNGChunk) throws {
        if chunk.type != PNGChunk.data, !file.imageData.isEmpty { imageDataEnded = true }
        switch chunk.type {
        case PNGChunk.data:
            guard !imageDataEnded else {
                return file.warnings.append("image data after other chunks was ignored")
            }
            file.imageData.append(chunk.range)
            animation.imageData()
            return
        case PNGChunk.frameData: return animation.frameData(reader, chunk.range)
        case PNGChunk.end: file.hasEnd = true
        case PNGChunk.header: throw ImagingError.corrupt(.png, "a second header")
        case PNGChunk.palette: try takePalette(chunk)
        case _ where !chunk.isAncillary:
            guard isLenient else { throw ImagingError.corrupt(.png, "the unknown critical chunk \(chunk.name)") }
            file.warnings.append("the unknown critical chunk \(chunk.name) was ignored")
        default: takeAncillary(chunk)
        }
    }

    private mutating func takePalette(_ chunk: PNGChunk) throws {
        guard file.header.colorType == .palette else { return }
        let isUsable = chunk.range.count % 3 == 0 && (1...256).contains(chunk.range.count / 3)
        guard isUsable, isLenient || chunk.hasValidChecksum(reader), file.palette.isEmpty else {
            throw ImagingError.corrupt(.png, "the palette is damaged")
        }
        file.palette = [UInt8](reader.bytes[chunk.range])
    }

    private mutating func takeAncillary(_ chunk: PNGChunk) {
        let known: Set<UInt32> = [
            PNGChunk.transparency, PNGChunk.gamma, PNGChunk.chromaticities, PNGChunk.sRGB, PNGChunk.profile,
            PNGChunk.codePoints, PNGChunk.exif, PNGChunk.animationControl, PNGChunk.frameControl,
        ]
        guard known.contains(chunk.type) else { return }
        guard chunk.hasValidChecksum(reader) else {
            return file.warnings.append("the chunk \(chunk.name) was ignored: its checksum is wrong")
        }
        let contents = ByteReader(UnsafeRawBufferPointer(rebasing: reader.bytes[chunk.range]))
        switch chunk.type {
        case PNGChunk.exif: file.orientation = ExifOrientation.read(contents.bytes)
        case PNGChunk.frameControl: animation.frameControl(contents, canvas: file.header.size, limits: limits)
        case _ where !file.imageData.isEmpty:
            file.warnings.append("the chunk \(chunk.name) was ignored: it comes after the image data")
        case PNGChunk.animationControl: animation.control(contents)
        case PNGChunk.transparency: takeTransparency(contents)
        default:
            file.color.take(chunk.type, contents, limits: limits, warnings: &file.warnings)
        }
    }

    private mutating func takeTransparency(_ reader: ByteReader) {
        let isValid =
            switch file.header.colorType {
            case .gray: reader.count == 2
            case .rgb: reader.count == 6
            case .palette: (1...256).contains(reader.count)
            case .grayAlpha, .rgba: false
            }
        guard isValid else {
            return file.warnings.append("the tRNS chunk was ignored: it does not fit the colour type")
        }
        file.transparency = [UInt8](reader.bytes)
    }
}
