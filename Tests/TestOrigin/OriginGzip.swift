import CZlib
import Foundation

/// gzip of some bytes.
public func originGzip(_ data: Data) -> Data { compress(windowBits: 31) { feed in feed(data) } }

/// The zlib format, or bare deflate data.
public func originDeflate(_ data: Data, isBare: Bool) -> Data {
    compress(windowBits: isBare ? -15 : 15) { feed in feed(data) }
}

/// gzip of many zero bytes, made piece by piece.
func originGzipZeros(_ byteCount: Int) -> Data {
    compress(windowBits: 31) { feed in
        let piece = Data(count: 1 << 20)
        var left = byteCount
        while left > 0 {
            feed(piece.prefix(left))
            left -= min(left, piece.count)
        }
    }
}

private func compress(windowBits: Int32, _ body: ((Data) -> Void) -> Void) -> Data {
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    defer {
        deflateEnd(stream)
        stream.deallocate()
    }
    guard
        deflateInit2_(
            stream, 9, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { return Data() }
    var result = Data()
    var space = [UInt8](repeating: 0, count: 64 << 10)
    func run(_ flush: Int32) {
        repeat {
            space.withUnsafeMutableBufferPointer { buffer in
                stream.pointee.next_out = buffer.baseAddress
                stream.pointee.avail_out = UInt32(buffer.count)
                deflate(stream, flush)
            }
            result.append(contentsOf: space.prefix(space.count - Int(stream.pointee.avail_out)))
        } while stream.pointee.avail_out == 0
    }
    body { data in
        var bytes = [UInt8](data)
        bytes.withUnsafeMutableBufferPointer { buffer in
            stream.pointee.next_in = buffer.baseAddress
            stream.pointee.avail_in = UInt32(buffer.count)
            run(Z_NO_FLUSH)
        }
    }
    run(Z_FINISH)
    return result
}
