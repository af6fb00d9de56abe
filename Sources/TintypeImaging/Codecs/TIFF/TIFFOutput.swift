#if TIFF
    /// Takes the rows of a TIFF one by one, resized on the way if there is a target.
    final class TIFFOutput {
        private let directory: TIFFDirectory
        private let destination: DecodeDestination
        private var alphas: UInt8 = 255
        private(set) var rowCount = 0

        init(_ directory: TIFFDirectory, _ options: DecodeOptions) throws {
            self.directory = directory
            destination = DecodeDestination(
                try options.plan(storedSize: directory.size, orientation: directory.orientation))
            try destination.begin(size: directory.size, isOpaque: directory.alpha == .none)
        }

        /// Adds one row.
        /// - Parameters:
        ///   - isPremultiplied: true if `makeRow` gives colours that are multiplied by alpha already.
        ///   - makeRow: writes RGBA of 8 bits in sRGB.
        func write(isPremultiplied: Bool, _ makeRow: (UnsafeMutablePointer<UInt8>) throws -> Void) throws {
            let row = try destination.rows(1).bytes.assumingMemoryBound(to: UInt8.self)
            try makeRow(row)
            if directory.alpha != .none {
                alphas &= StraightPixels.premultiply(
                    row, width: directory.size.width, isPremultiplied: isPremultiplied)
            }
            try destination.commit(1)
            rowCount += 1
        }

        /// Rows that never came are transparent.
        func finish(warnings: [String]) throws -> TIFFResult {
            let isPartial = rowCount < directory.size.height
            if isPartial { try destination.fillRest() }
            return TIFFResult(
                bitmap: try destination.finish(isOpaque: !isPartial && alphas == 255), isPartial: isPartial,
                warnings: warnings)
        }
    }
#endif
