#if JXL
    import CJXL

    /// Memory for the pixels of one frame, which libjxl writes and our conversion reads: pixels of 8 bits where the bitmap
    /// will have them, deeper ones apart.
    final class JXLPixels {
        private let size: PixelSize
        private let hasAlpha: Bool
        private let conversion: ColorConversion
        private let pixels: StraightPixels
        private let deepStorage: PixelStorage?
        private var deepPixels: UnsafeMutableBufferPointer<UInt16>? {
            deepStorage?.bytes.bindMemory(to: UInt16.self)
        }

        init(_ header: JXLHeader, warnings: inout [String]) throws {
            try header.checkColors()
            try header.checkMemory(isLayered: false)
            size = header.size
            hasAlpha = header.hasAlpha
            conversion = ColorConversion(
                profile: header.profile, codePoints: header.codePoints, isWide: header.isDeep, isGray: header.isGray,
                warnings: &warnings)
            pixels = try StraightPixels(size: size)
            deepStorage = header.isDeep ? try PixelStorage(byteCount: pixels.bytes.count * 2) : nil
        }

        func attach(to decoder: OpaquePointer) throws {
            // Grey is written to all three channels, and alpha that is missing is opaque.
            var format = JxlPixelFormat(
                num_channels: 4, data_type: deepPixels == nil ? JXL_TYPE_UINT8 : JXL_TYPE_UINT16,
                endianness: JXL_NATIVE_ENDIAN, align: 0)
            let buffer = deepPixels.map { UnsafeMutableRawBufferPointer($0) } ?? pixels.bytes
            var needed = 0
            guard JxlDecoderImageOutBufferSize(decoder, &format, &needed) == JXL_DEC_SUCCESS, needed <= buffer.count,
                JxlDecoderSetImageOutBuffer(decoder, &format, buffer.baseAddress, buffer.count) == JXL_DEC_SUCCESS
            else { throw ImagingError.corrupt(.jxl, "its pixels are of an unexpected size") }
        }

        /// The frame, once libjxl writes to it no more. Only once.
        func finish() -> Bitmap {
            convert(to: pixels)
            return pixels.bitmap(isOpaque: !hasAlpha)
        }

        /// A copy of what is there now.
        func preview() throws -> Bitmap {
            let copy = try StraightPixels(size: size)
            if deepPixels == nil { copy.bytes.copyMemory(from: UnsafeRawBufferPointer(pixels.bytes)) }
            convert(to: copy)
            return copy.bitmap(isOpaque: !hasAlpha)
        }

        private func convert(to target: StraightPixels) {
            for y in 0..<size.height {
                guard let row = target.row(y) else { break }
                if let source = deepPixels?.baseAddress {
                    conversion.convert(source + y * size.width * 4, to: row, pixelCount: size.width)
                } else {
                    conversion.convert(row, pixelCount: size.width)
                }
            }
        }
    }
#endif
