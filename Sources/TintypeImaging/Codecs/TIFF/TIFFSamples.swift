#if TIFF
    import CPixelKernels
    import CTIFF

    /// Reads strips and tiles as stored and converts the samples here: grey, RGB and CMYK of 8 or 16 bits, grey and
    /// RGB as floating point numbers, with or without alpha, contiguous or in planes.
    struct TIFFSamples {
        private let directory: TIFFDirectory
        private let colorCount: Int

        init(_ directory: TIFFDirectory) {
            self.directory = directory
            colorCount =
                switch Int32(directory.photometric) {
                case PHOTOMETRIC_MINISWHITE, PHOTOMETRIC_MINISBLACK: 1
                case PHOTOMETRIC_RGB: 3
                case PHOTOMETRIC_SEPARATED: 4
                default: 0
                }
        }

        var isSupported: Bool {
            guard colorCount > 0, directory.samplesPerPixel >= colorCount else { return false }
            if directory.isFloat { return colorCount < 4 && [16, 32, 64].contains(directory.bitsPerSample) }
            return (directory.bitsPerSample == 8 || directory.bitsPerSample == 16)
                && (directory.sampleFormat == Int(SAMPLEFORMAT_UINT) || directory.sampleFormat == 4)
        }

        /// Samples of a pixel that are read: the colours, and alpha if there is one.
        private var usedSamples: Int { colorCount + (directory.alpha == .none ? 0 : 1) }
        private var bytesPerSample: Int { directory.bitsPerSample / 8 }

        func decode(isLenient: Bool) throws -> TIFFResult {
            let pixels = try StraightPixels(size: directory.size)
            var warnings: [String] = []
            let converter = TIFFRowConverter(
                directory, colorCount: colorCount, usedSamples: usedSamples, warnings: &warnings)
            var wholeRows = 0
            do {
                try readBands { first, rows, bytesPerRow in
                    for (offset, row) in rows.enumerated() {
                        guard let target = pixels.row(first + offset) else { return }
                        converter.convert(row, to: target, width: directory.size.width)
                    }
                    wholeRows = first + rows.count
                }
            } catch let error as ImagingError {
                guard isLenient, wholeRows > 0 else { throw error }
                pixels.clear(from: wholeRows)
            }
            let isPartial = wholeRows < directory.size.height
            let bitmap = pixels.bitmap(
                isOpaque: directory.alpha == .none && !isPartial, isPremultiplied: converter.keepsPremultiplied)
            return TIFFResult(bitmap: bitmap, isPartial: isPartial, warnings: warnings)
        }

        /// Gives the image in bands of whole rows, top first, `usedSamples` interleaved samples to the pixel.
        private func readBands(
            _ body: (_ first: Int, _ rows: [UnsafeRawPointer], _ bytesPerRow: Int) throws -> Void
        ) throws {
            let size = directory.size
            let isTiled = TIFFIsTiled(directory.handle) != 0
            let block = isTiled ? tileSize : PixelSize(width: size.width, height: rowsPerStrip)
            let bytesPerRow = size.width * usedSamples * bytesPerSample
            let storedSamples = directory.isPlanar ? 1 : directory.samplesPerPixel
            let blockBytesPerRow = block.width * storedSamples * bytesPerSample
            let (blockByteCount, overflow) = blockBytesPerRow.multipliedReportingOverflow(by: block.height)
            let declared = isTiled ? TIFFTileSize(directory.handle) : TIFFStripSize(directory.handle)
            guard !overflow, blockByteCount > 0, Int(declared) == blockByteCount else {
                throw ImagingError.corrupt(.tiff, "strips of an impossible size")
            }
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: blockByteCount, alignment: 16)
            defer { buffer.deallocate() }
            // Strips that hold nothing but what is used are handed on as they are.
            let isDirect = !directory.isPlanar && storedSamples == usedSamples && block.width == size.width
            let band = UnsafeMutableRawBufferPointer.allocate(
                byteCount: isDirect ? 1 : bytesPerRow * min(block.height, size.height), alignment: 16)
            defer { band.deallocate() }
            for first in stride(from: 0, to: size.height, by: block.height) {
                let rows = min(block.height, size.height - first)
                for plane in 0..<(directory.isPlanar ? usedSamples : 1) {
                    for left in stride(from: 0, to: size.width, by: block.width) {
                        try read(x: left, y: first, plane: plane, rows: rows, isTiled: isTiled, into: buffer)
                        if isDirect { continue }
                        place(
                            buffer, blockBytesPerRow: blockBytesPerRow, columns: min(block.width, size.width - left),
                            rows: rows, left: left, plane: plane, band: band, bandBytesPerRow: bytesPerRow)
                    }
                }
                guard let base = (isDirect ? buffer : band).baseAddress else { return }
                try body(first, (0..<rows).map { UnsafeRawPointer(base + $0 * bytesPerRow) }, bytesPerRow)
            }
        }

        private func read(
            x: Int, y: Int, plane: Int, rows: Int, isTiled: Bool, into buffer: UnsafeMutableRawBufferPointer
        ) throws {
            let handle = directory.handle
            let count: Int
            if isTiled {
                let tile = TIFFComputeTile(handle, UInt32(x), UInt32(y), 0, UInt16(plane))
                count = Int(TIFFReadEncodedTile(handle, tile, buffer.baseAddress, tmsize_t(buffer.count)))
            } else {
                // The last strip is shorter.
                let wanted = buffer.count / rowsPerStrip * rows
                let strip = TIFFComputeStrip(handle, UInt32(y), UInt16(plane))
                count = Int(TIFFReadEncodedStrip(handle, strip, buffer.baseAddress, tmsize_t(wanted)))
                if count >= 0, count < wanted { throw directory.error() }
            }
            if count < 0 || directory.isCut { throw directory.error() }
        }

        /// Copies the samples that are used to their place in the band.
        private func place(
            _ buffer: UnsafeMutableRawBufferPointer, blockBytesPerRow: Int, columns: Int, rows: Int, left: Int,
            plane: Int, band: UnsafeMutableRawBufferPointer, bandBytesPerRow: Int
        ) {
            guard let from = buffer.baseAddress, let to = band.baseAddress else { return }
            let stored = directory.isPlanar ? 1 : directory.samplesPerPixel
            let step = usedSamples * bytesPerSample
            let copied = (directory.isPlanar ? 1 : usedSamples) * bytesPerSample
            for row in 0..<rows {
                let source = from + row * blockBytesPerRow
                let target = to + row * bandBytesPerRow + left * step + plane * bytesPerSample
                if !directory.isPlanar, stored == usedSamples {
                    target.copyMemory(from: source, byteCount: columns * step)
                    continue
                }
                for column in 0..<columns {
                    (target + column * step).copyMemory(
                        from: source + column * stored * bytesPerSample, byteCount: copied)
                }
            }
        }

        private var tileSize: PixelSize {
            PixelSize(
                width: Int(ta_tiff_u32(directory.handle, UInt32(TIFFTAG_TILEWIDTH), 1)),
                height: Int(ta_tiff_u32(directory.handle, UInt32(TIFFTAG_TILELENGTH), 1)))
        }

        private var rowsPerStrip: Int {
            let height = UInt32(directory.size.height)
            return Int(max(1, min(height, ta_tiff_u32(directory.handle, UInt32(TIFFTAG_ROWSPERSTRIP), height))))
        }
    }
#endif
