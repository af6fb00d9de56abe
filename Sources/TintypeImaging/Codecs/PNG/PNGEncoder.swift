import CDeflate
import TintypeBase

/// PNG with 8 bits a channel: RGB for opaque images, RGBA for others. Effort 0…9 trades time for size; 6 by default.
public struct PNGEncoder: ImageEncoder {
    public init() {}

    public var format: ImageFormat { .png }

    public func encode(_ bitmap: Bitmap, options: EncodeOptions) throws -> Data {
        let compressed = try PNGPixelEncoder.compress(bitmap, effort: options.effort)
        var writer = PNGChunkWriter()
        try writer.reserve(compressed.count + 64)
        writer.appendHeader(size: bitmap.size, hasAlpha: !bitmap.isOpaque)
        writer.append("IDAT", compressed)
        writer.append("IEND", Data())
        return writer.data
    }
}

/// Writes chunks with their lengths and checksums.
package struct PNGChunkWriter {
    package private(set) var data = Data(PNGChunk.signature)

    package init() {}

    /// Makes room for more bytes, without which the file would be copied as it grows.
    /// - Throws: `ImagingError.outOfMemory`.
    package mutating func reserve(_ byteCount: Int) throws {
        try ImageMemory.check(byteCount: data.count + byteCount)
        data.reserveCapacity(data.count + byteCount)
    }

    package mutating func appendHeader(size: PixelSize, hasAlpha: Bool) {
        var contents = Data()
        contents.appendBigEndian(UInt32(size.width))
        contents.appendBigEndian(UInt32(size.height))
        contents.append(contentsOf: [
            8, hasAlpha ? PNGHeader.ColorType.rgba.rawValue : PNGHeader.ColorType.rgb.rawValue, 0, 0, 0,
        ])
        append("IHDR", contents)
    }

    /// - Parameter type: four ASCII letters.
    package mutating func append(_ type: String, _ contents: Data) {
        data.appendBigEndian(UInt32(contents.count))
        let start = data.count
        data.append(contentsOf: type.utf8)
        data.append(contents)
        let checksum = data.withUnsafeBytes { bytes in
            libdeflate_crc32(0, bytes.baseAddress.map { $0 + start }, bytes.count - start)
        }
        data.appendBigEndian(checksum)
    }
}

extension Data {
    package mutating func appendBigEndian(_ value: UInt32) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }

    package mutating func appendBigEndian(_ value: UInt16) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}
