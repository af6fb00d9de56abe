#if TIFF
    import CTIFF

    /// A reader of an image in bands of whole rows, top first, with the used samples of a pixel side by side.
    struct TIFFBands {
        /// The most memory for reading and converting, without the file: 1 GB.
        static let maximumByteCount = 1_000_000_000
        /// Larger strips are read row by row.
        private static let largeStrip = 8 << 20
        private static let rowsPerScanlineBand = 16

        private let directory: TIFFDirectory
        private let layout: TIFFSampleLayout
        private let isTiled: Bool
        private let rowsPerStrip: Int
        private let storedSamples: Int

        init(_ directory: TIFFDirectory, _ layout: TIFFSampleLayout) {
            self.directory = directory
            self.layout = layout
            isTiled = TIFFIsTiled(directory.handle) != 0
            let height = UInt32(directory.size.height)
            rowsPerStrip = Int(
                max(1, min(height, ta_tiff_u32(directory.handle, UInt32(TIFFTAG_ROWSPERSTRIP), height))))
            storedSamples = directory.isPlanar ? 1 : directory.samplesPerPixel
        }

        /// - Parameter body: gets the rows of the next band.
        /// - Throws: what `body` throws; `imageTooLarge` if a strip or row of tiles takes too much memory.
        func read(_ body: (_ rows: [UnsafeRawPointer]) throws -> Void) throws {
            let size = directory.size
            var block = isTiled ? tileSize : PixelSize(width: size.width, height: rowsPerStrip)
            let blockBytesPerRow = (block.width * storedSamples * layout.storedBits + 7) / 8
            var (blockByteCount, overflow) = blockBytesPerRow.multipliedReportingOverflow(by: block.height)
            let declared = isTiled ? TIFFTileSize(directory.handle) : TIFFStripSize(directory.handle)
            guard !overflow, blockByteCount > 0, Int(declared) == blockByteCount else {
                throw ImagingError.corrupt(.tiff, "strips of an impossible size")
            }
            let readsRows = !isTiled && !directory.isPlanar && blockByteCount > Self.largeStrip
            if readsRows {
                block.height = min(Self.rowsPerScanlineBand, size.height)
                blockByteCount = blockBytesPerRow * block.height
            }
            let bytesPerRow = size.width * layout.usedSamples * layout.bytesPerSample
            // Strips with only used samples are passed on without a copy.
            let isDirect =
                layout.isUnpacked && !directory.isPlanar && storedSamples == layout.usedSamples
                && block.width == size.width
            let bandByteCount = isDirect ? 1 : bytesPerRow * min(block.height, size.height)
            guard bandByteCount + blockByteCount <= Self.maximumByteCount else {
                throw ImagingError.imageTooLarge(
                    width: size.width, height: size.height, limit: Self.maximumByteCount / (bytesPerRow / size.width))
            }
            let bufferStorage = try PixelStorage(byteCount: blockByteCount)
            let bandStorage = try PixelStorage(byteCount: bandByteCount)
            defer { withExtendedLifetime((bufferStorage, bandStorage)) {} }
            let (buffer, band) = (bufferStorage.bytes, bandStorage.bytes)
            guard let blockBase = buffer.baseAddress, let bandBase = band.baseAddress else { return }
            for first in stride(from: 0, to: size.height, by: block.height) {
                let rows = min(block.height, size.height - first)
                for plane in 0..<(directory.isPlanar ? layout.usedSamples : 1) {
                    for left in stride(from: 0, to: size.width, by: block.width) {
                        if readsRows {
                            try readRows(first, rows, bytesPerRow: blockBytesPerRow, into: blockBase)
                        } else {
                            try readBlock(x: left, y: first, plane: plane, rows: rows, into: buffer)
                        }
                        if isDirect { continue }
                        let columns = min(block.width, size.width - left)
                        for row in 0..<rows {
                            place(
                                blockBase + row * blockBytesPerRow, columns: columns, plane: plane,
                                at: bandBase + row * bytesPerRow + left * layout.usedSamples * layout.bytesPerSample)
                        }
                    }
                }
                let base = isDirect ? blockBase : bandBase
                try body((0..<rows).map { UnsafeRawPointer(base + $0 * bytesPerRow) })
            }
        }

        private func readRows(
            _ first: Int, _ count: Int, bytesPerRow: Int, into buffer: UnsafeMutableRawPointer
        ) throws {
            guard TIFFScanlineSize(directory.handle) == tmsize_t(bytesPerRow) else {
                throw ImagingError.corrupt(.tiff, "rows of an impossible size")
            }
            for row in 0..<count {
                let status = TIFFReadScanline(directory.handle, buffer + row * bytesPerRow, UInt32(first + row), 0)
                if status < 0 || directory.isTruncated { throw directory.error() }
            }
        }

        private func readBlock(
            x: Int, y: Int, plane: Int, rows: Int, into buffer: UnsafeMutableRawBufferPointer
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
            if count < 0 || directory.isTruncated { throw directory.error() }
        }

        /// Unpacks the used samples to their position in the band.
        private func place(
            _ source: UnsafeRawPointer, columns: Int, plane: Int, at target: UnsafeMutableRawPointer
        ) {
            let step = layout.usedSamples * layout.bytesPerSample
            let samples = directory.isPlanar ? 1 : layout.usedSamples
            guard layout.isUnpacked else {
                for sample in 0..<samples {
                    let index = directory.isPlanar ? plane : sample
                    layout.unpack(
                        source, first: sample, step: storedSamples, count: columns,
                        to: target + index * layout.bytesPerSample, targetStep: step,
                        isIndex: layout.colors == .palette && index == 0)
                }
                return
            }
            let target = target + plane * layout.bytesPerSample
            if !directory.isPlanar, storedSamples == layout.usedSamples {
                target.copyMemory(from: source, byteCount: columns * step)
                return
            }
            for column in 0..<columns {
                (target + column * step).copyMemory(
                    from: source + column * storedSamples * layout.bytesPerSample,
                    byteCount: samples * layout.bytesPerSample)
            }
        }

        private var tileSize: PixelSize {
            PixelSize(
                width: Int(ta_tiff_u32(directory.handle, UInt32(TIFFTAG_TILEWIDTH), 1)),
                height: Int(ta_tiff_u32(directory.handle, UInt32(TIFFTAG_TILELENGTH), 1)))
        }
    }
#endif
