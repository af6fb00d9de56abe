import TintypeBase

/// The segments of a JPEG file before its first scan (ITU-T T.81, annex B): size, process, and the application segments
/// that affect display.
struct JPEGHeader {
    var size = PixelSize(width: 0, height: 0)
    var precision = 8
    var componentCount = 0
    /// The low nibble of the SOF marker: 0 baseline, 1 extended, 2 progressive, 9 and 10 the same with arithmetic coding.
    var process = 0
    /// Blocks of 8x8 samples in all components together.
    var blockCount = 0
    var adobeTransform: Int?
    var orientation = ImageOrientation.up
    var iccProfile: Data?
    var warnings: [String] = []
    /// Offset of the data of the first scan.
    var scanOffset = 0

    private var iccChunks: [Int: Range<Int>] = [:]
    private var iccChunkCount: Int?
    private var hasExif = false

    /// - Throws: `needsMoreData` or `truncated` if the bytes end before the first scan.
    init(_ bytes: UnsafeRawBufferPointer, isComplete: Bool, limits: DecodeLimits) throws {
        let reader = ByteReader(bytes)
        guard reader.uint16(0) == 0xFFD8 else { throw ImagingError.corrupt(.jpeg, "it does not start with FF D8") }
        var offset = 2
        var hasFrame = false
        while true {
            // Bytes between segments are skipped, as by libjpeg: FF may be repeated before a marker.
            while let byte = reader.byte(offset), byte != 0xFF { offset += 1 }
            while reader.byte(offset) == 0xFF { offset += 1 }
            guard let marker = reader.byte(offset) else { throw Self.ended(isComplete, at: offset) }
            offset += 1
            switch marker {
            case 0x00, 0x01, 0xD0...0xD8: continue
            case 0xD9: throw ImagingError.corrupt(.jpeg, "it ends before the first scan")
            default: break
            }
            guard let length = reader.uint16(offset) else { throw Self.ended(isComplete, at: offset + 2) }
            if length < 2, Self.isSkippable(marker) {
                // libjpeg treats it as an empty segment.
                offset += 2
                continue
            }
            guard length >= 2 else { throw ImagingError.corrupt(.jpeg, "a segment of length \(length)") }
            guard let segment = reader.slice(offset + 2, length - 2) else {
                throw Self.ended(isComplete, at: offset + length)
            }
            if marker == 0xDA {
                guard hasFrame else { throw ImagingError.corrupt(.jpeg, "a scan before the frame header") }
                scanOffset = offset + length
                break
            }
            if Self.isFrameHeader(marker) {
                try readFrame(ByteReader(segment), process: Int(marker & 0x0F), limits: limits)
                hasFrame = true
            } else {
                readApplication(marker, ByteReader(segment), at: offset + 2)
            }
            offset += length
        }
        assembleProfile(bytes, limits: limits)
    }

    private static func ended(_ isComplete: Bool, at offset: Int) -> ImagingError {
        isComplete ? .truncated(.jpeg) : .needsMoreData(.jpeg, byteCount: offset)
    }

    /// Returns whether a marker is one of SOF0…SOF15, without DHT (C4), JPG (C8) and DAC (CC).
    private static func isFrameHeader(_ marker: UInt8) -> Bool {
        (0xC0...0xCF).contains(marker) && marker != 0xC4 && marker != 0xC8 && marker != 0xCC
    }

    /// Returns whether libjpeg can skip a segment: DNL, application segments and comments.
    private static func isSkippable(_ marker: UInt8) -> Bool {
        marker == 0xDC || (0xE0...0xEF).contains(marker) || marker == 0xFE
    }

    private mutating func readFrame(_ reader: ByteReader, process: Int, limits: DecodeLimits) throws {
        guard let precision = reader.byte(0), let height = reader.uint16(1), let width = reader.uint16(3),
            let count = reader.byte(5), count > 0, reader.count >= 6 + Int(count) * 3
        else { throw ImagingError.corrupt(.jpeg, "a short frame header") }
        self.process = process
        self.precision = Int(precision)
        size = PixelSize(width: width, height: height)
        componentCount = Int(count)
        try limits.check(size, format: .jpeg)
        let factors = (0..<Int(count)).map { index in
            let byte = Int(reader.byte(7 + index * 3) ?? 0x11)
            return (horizontal: max(1, byte >> 4), vertical: max(1, byte & 15))
        }
        let maximum = (
            horizontal: factors.map(\.horizontal).max() ?? 1, vertical: factors.map(\.vertical).max() ?? 1
        )
        blockCount = factors.reduce(0) { sum, factor in
            let columns = (width * factor.horizontal / maximum.horizontal + 7) / 8
            let rows = (height * factor.vertical / maximum.vertical + 7) / 8
            return sum + columns * rows
        }
    }

    private mutating func readApplication(_ marker: UInt8, _ reader: ByteReader, at offset: Int) {
        switch marker {
        case 0xE1 where !hasExif && reader.matches("Exif\0", at: 0):
            hasExif = true
            orientation = ExifOrientation.read(reader.bytes)
        case 0xE2 where reader.matches("ICC_PROFILE\0", at: 0) && reader.count > 14:
            iccChunks[Int(reader.bytes[12])] = offset + 14..<offset + reader.count
            iccChunkCount = Int(reader.bytes[13])
        case 0xEE where reader.matches("Adobe", at: 0):
            adobeTransform = reader.byte(11).map(Int.init)
        default: break
        }
    }

    /// Joins the parts of an ICC profile (ICC.1:2010, annex B.4), which may come in any order.
    private mutating func assembleProfile(_ bytes: UnsafeRawBufferPointer, limits: DecodeLimits) {
        guard let count = iccChunkCount else { return }
        let total = iccChunks.values.reduce(0) { $0 + $1.count }
        guard count > 0, (1...count).allSatisfy({ iccChunks[$0] != nil }) else {
            warnings.append("the ICC profile was ignored: parts of it are missing")
            return
        }
        guard limits.acceptsProfile(byteCount: total, warnings: &warnings) else { return }
        var profile = Data(capacity: total)
        for index in 1...count {
            guard let range = iccChunks[index] else { continue }
            profile.append(contentsOf: bytes[range])
        }
        iccProfile = profile
    }
}

extension JPEGHeader {
    /// Returns whether a file of this length may be complete, before memory is allocated for its pixels.
    ///
    /// A block of a Huffman-coded image takes at least two bits: a code for its first coefficient and, unless the file is
    /// progressive, one for the end of the block. Arithmetic coding has no such bound.
    func canHoldImage(byteCount: Int) -> Bool {
        switch process {
        case 0, 1: return byteCount - scanOffset >= blockCount / 4
        case 2: return byteCount - scanOffset >= blockCount / 8
        default: return true
        }
    }

    /// The most scans of a progressive file to decode. Encoders write about a dozen; a file of the same size can hold
    /// thousands, each of which costs a pass over the image. 2^26 blocks take a few seconds.
    var maximumScanCount: Int { min(500, max(64, (1 << 26) / max(1, blockCount))) }

    func info() -> ImageInfo {
        let colorSpace =
            switch componentCount {
            case 1: "Gray"
            case 4: "CMYK"
            default: "sRGB"
            }
        return ImageInfo(
            format: .jpeg, storedSize: size, orientation: orientation, bitDepth: precision, hasAlpha: false,
            colorSpace: iccProfile.flatMap(ICCHeader.describe) ?? colorSpace)
    }
}
