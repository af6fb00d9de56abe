import CDeflate

/// Decodes image data of one PNG or APNG file: the default image, or a frame of its own size. Used by one thread at a
/// time.
struct PNGPixelDecoder {
    private let file: PNGFile
    private let bytes: UnsafeRawBufferPointer
    private let transform: ColorTransform?
    private let isLenient: Bool
    /// What was ignored of the colours.
    let warnings: [String]

    struct Outcome {
        /// True if rows are missing, which happens only in lenient decoding.
        var isPartial: Bool
        /// True if every decoded pixel is opaque.
        var isOpaque: Bool
        var warning: String?
    }

    /// Larger images with a target are inflated row by row, which takes a third longer but two rows of memory instead of
    /// the whole image.
    static let streamingThreshold = 8_000_000

    /// - Parameter bytes: the whole file, which must stay valid as long as the decoder.
    init(_ file: PNGFile, bytes: UnsafeRawBufferPointer, isLenient: Bool) {
        self.file = file
        self.bytes = bytes
        self.isLenient = isLenient
        var warnings: [String] = []
        transform = file.color.transform(for: file.header, warnings: &warnings)
        self.warnings = warnings
    }

    /// Decodes rows into a sink on which `begin` was called; missing rows are left out.
    ///
    /// - Parameter pieces: offsets of zlib data in the file, in order.
    /// - Throws: `truncated` or `corrupt`; in lenient decoding only if there is no row.
    func decode(
        _ pieces: [Range<Int>], size: PixelSize, into sink: any RowSink, savesMemory: Bool
    ) throws -> Outcome {
        guard let expected = file.header.inflatedByteCount(size: size) else {
            throw ImagingError.imageTooLarge(width: size.width, height: size.height, limit: Int(Int32.max))
        }
        let compressedByteCount = pieces.reduce(0) { $0 + $1.count }
        // Deflate makes at most 258 bytes of 2 bits: an image that needs more is truncated.
        if !isLenient, expected / 1032 > compressedByteCount { throw ImagingError.truncated(.png) }
        var placer = try PNGRowPlacer(
            converter: PNGRowConverter(file, transform: transform), size: size,
            isInterlaced: file.header.isInterlaced, sink: sink)
        if !savesMemory, expected <= 512 << 20,
            let raw = try inflateAtOnce(pieces, byteCount: compressedByteCount, expected: expected)
        {
            if try place(raw, size: size, with: &placer) {
                try placer.finish()
                return Outcome(isPartial: false, isOpaque: isOpaque(placer))
            }
        }
        return try stream(pieces, size: size, with: &placer)
    }

    private func isOpaque(_ placer: PNGRowPlacer) -> Bool { placer.converter.alphaAnd == 255 }

    // MARK: All at once

    /// Inflates all data; nil if it is damaged or of an unexpected length, and must be decoded row by row.
    private func inflateAtOnce(_ pieces: [Range<Int>], byteCount: Int, expected: Int) throws -> PixelStorage? {
        guard let decompressor = libdeflate_alloc_decompressor() else { return nil }
        defer { libdeflate_free_decompressor(decompressor) }
        let joined: PixelStorage?
        let input: UnsafeRawBufferPointer
        if pieces.count == 1 {
            joined = nil
            input = UnsafeRawBufferPointer(rebasing: bytes[pieces[0]])
        } else {
            let storage = try PixelStorage(byteCount: max(1, byteCount))
            var offset = 0
            for piece in pieces {
                UnsafeMutableRawBufferPointer(rebasing: storage.bytes[offset...]).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: bytes[piece]))
                offset += piece.count
            }
            joined = storage
            input = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(storage.bytes)[..<byteCount])
        }
        return try withExtendedLifetime(joined) {
            // Kernels read a little past the end of a row.
            let raw = try PixelStorage(byteCount: expected + 16)
            var produced = 0
            let result = libdeflate_zlib_decompress(
                decompressor, input.baseAddress, input.count, raw.bytes.baseAddress, expected, &produced)
            return result == LIBDEFLATE_SUCCESS && produced == expected ? raw : nil
        }
    }

    /// Unfilters in place and places all rows. Returns false before the first row if a filter does not exist.
    private func place(_ raw: PixelStorage, size: PixelSize, with placer: inout PNGRowPlacer) throws -> Bool {
        guard let base = raw.bytes.bindMemory(to: UInt8.self).baseAddress else { return false }
        let passes = file.header.passes(size: size)
        guard hasValidFilters(base, passes) else { return false }
        let zeros = [UInt8](repeating: 0, count: file.header.rowByteCount(width: size.width) + 16)
        try zeros.withUnsafeBufferPointer { zeros in
            guard var previous = zeros.baseAddress else { return }
            var next = base
            for pass in passes {
                if let start = zeros.baseAddress { previous = start }
                let rowByteCount = file.header.rowByteCount(width: pass.size.width)
                for row in 0..<pass.size.height {
                    let samples = next + 1
                    if next[0] > 0 {
                        pixelKernels.png_unfilter(
                            samples, previous, rowByteCount, UInt32(file.header.filterStride), UInt32(next[0]))
                    }
                    try placer.place(samples, pass: pass, row: row, fillsBlocks: false)
                    previous = UnsafePointer(samples)
                    next = samples + rowByteCount
                }
            }
        }
        return true
    }

    private func hasValidFilters(_ base: UnsafePointer<UInt8>, _ passes: [PNGPass]) -> Bool {
        var next = base
        for pass in passes {
            let rowByteCount = file.header.rowByteCount(width: pass.size.width) + 1
            for _ in 0..<pass.size.height {
                guard next[0] <= 4 else { return false }
                next += rowByteCount
            }
        }
        return true
    }

    // MARK: Row by row

    private func stream(
        _ pieces: [Range<Int>], size: PixelSize, with placer: inout PNGRowPlacer
    ) throws -> Outcome {
        let inflater = try PNGInflater(header: file.header, size: size)
        var rowCount = 0
        for piece in pieces where inflater.damage == nil && !inflater.isFinished {
            try inflater.append(UnsafeRawBufferPointer(rebasing: bytes[piece])) { samples, pass, row in
                try placer.place(samples, pass: pass, row: row, fillsBlocks: isLenient)
                rowCount += 1
            }
        }
        if !inflater.isFinished {
            // Data that just ends is truncated; data that contradicts itself is damaged.
            let error: ImagingError = inflater.damage.map { .corrupt(.png, $0) } ?? .truncated(.png)
            guard isLenient, rowCount > 0 else { throw error }
        }
        if inflater.isFinished || file.header.isInterlaced { try placer.finish() }
        return Outcome(
            isPartial: !inflater.isFinished, isOpaque: isOpaque(placer) && inflater.isFinished,
            warning: inflater.damage)
    }
}
