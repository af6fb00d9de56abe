#if SVG
    import CDeflate

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// The XML of an SVG file, which may be compressed (svgz).
    enum SVGSource {
        /// - Throws: `unsupportedFormat` for documents over the limit; `truncated` or `corrupt` for bad gzip data.
        static func plain(_ data: Data) throws -> Data {
            guard data.count <= SVGDecoder.maximumByteCount else { throw tooLong }
            guard data.starts(with: [0x1F, 0x8B]) else { return data }
            guard let decompressor = libdeflate_alloc_decompressor() else {
                throw ImagingError.outOfMemory(byteCount: nil)
            }
            defer { libdeflate_free_decompressor(decompressor) }
            // The last four bytes state the length modulo 2^32 (RFC 1952, §2.3.1); a bomb lies or is over the limit.
            var capacity = max(stated(data), 4096)
            while true {
                guard capacity <= SVGDecoder.maximumByteCount else { throw tooLong }
                try ImageMemory.check(byteCount: capacity)
                var plain = Data(count: capacity)
                var count = 0
                let result = data.withUnsafeBytes { source in
                    plain.withUnsafeMutableBytes { target in
                        libdeflate_gzip_decompress(
                            decompressor, source.baseAddress, source.count, target.baseAddress, target.count, &count)
                    }
                }
                switch result {
                case LIBDEFLATE_SUCCESS: return plain.prefix(count)
                case LIBDEFLATE_INSUFFICIENT_SPACE: capacity *= 2
                default: throw ImagingError.corrupt(.svg, "its gzip data cannot be inflated")
                }
            }
        }

        /// Text that is looked at for the size.
        private static let startByteCount = SVGSignature.maximumByteCount + (1 << 20)

        /// The first part of the XML, which is enough for `SVGFilter.header`; and whether more follows.
        static func start(_ data: Data) throws -> (text: Data, isCut: Bool) {
            guard data.count <= SVGDecoder.maximumByteCount else { throw tooLong }
            guard data.starts(with: [0x1F, 0x8B]) else {
                return (data.prefix(startByteCount), data.count > startByteCount)
            }
            guard stated(data) <= SVGDecoder.maximumByteCount else { throw tooLong }
            let text = data.withUnsafeBytes { SVGSignature.inflatedStart($0, limit: startByteCount) }
            guard !text.isEmpty else { throw ImagingError.corrupt(.svg, "its gzip data cannot be inflated") }
            return (Data(text), text.count == startByteCount)
        }

        private static var tooLong: ImagingError {
            .unsupportedFormat("an SVG of more than \(SVGDecoder.maximumByteCount >> 20) MiB")
        }

        private static func stated(_ data: Data) -> Int {
            let length = data.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            return data.count >= 18 ? length : 0
        }
    }
#endif
