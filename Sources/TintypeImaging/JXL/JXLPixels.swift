#if JXL
    import CJXL

    /// Memory for the pixels of one frame, in the form that libjxl writes and our conversion reads.
    final class JXLPixels {
        private let size: PixelSize
        private let hasAlpha: Bool
        private let conversion: ColorConversion
        private let isWide: Bool
        private let buffer: UnsafeMutableRawBufferPointer

        init(_ header: JXLHeader, warnings: inout [String]) throws {
            size = header.size
            hasAlpha = header.hasAlpha
            isWide = header.isDeep
            conversion = ColorConversion(
                profile: header.profile, codePoints: header.codePoints, isWide: isWide, isGray: header.isGray,
                warnings: &warnings)
            let bytesPerRow = try Bitmap.bytesPerRow(width: size.width, height: size.height)
            buffer = .allocate(byteCount: bytesPerRow * size.height * (isWide ? 2 : 1), alignment: 64)
        }

        deinit { buffer.deallocate() }

        func attach(to decoder: OpaquePointer) throws {
            // Grey is written to all three channels, and alpha that is missing is opaque.
            var format = JxlPixelFormat(
                num_channels: 4, data_type: isWide ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8, endianness: JXL_NATIVE_ENDIAN,
                align: 0)
            var needed = 0
            guard JxlDecoderImageOutBufferSize(decoder, &format, &needed) == JXL_DEC_SUCCESS, needed <= buffer.count,
                JxlDecoderSetImageOutBuffer(decoder, &format, buffer.baseAddress, buffer.count) == JXL_DEC_SUCCESS
            else { throw ImagingError.corrupt(.jxl, "its pixels are of an unexpected size") }
        }

        /// Copies what is in the buffer now, which may be a preview.
        func bitmap() throws -> Bitmap {
            let pixels = try StraightPixels(size: size)
            guard let base = buffer.baseAddress else { return pixels.bitmap(isOpaque: false) }
            let samples = size.width * 4
            for y in 0..<size.height {
                guard let row = pixels.row(y) else { break }
                if isWide {
                    let source = base.assumingMemoryBound(to: UInt16.self) + y * samples
                    conversion.convert(source, to: row, pixelCount: size.width)
                } else {
                    row.update(from: base.assumingMemoryBound(to: UInt8.self) + y * samples, count: samples)
                    conversion.convert(row, pixelCount: size.width)
                }
            }
            return pixels.bitmap(isOpaque: !hasAlpha)
        }
    }
#endif
