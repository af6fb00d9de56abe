#if TIFF
    import CTIFF

    /// The colours of a palette as RGB of 8 bits.
    struct TIFFPalette {
        private let colors: [(UInt8, UInt8, UInt8)]

        init(_ directory: TIFFDirectory) throws {
            var (red, green, blue): (UnsafePointer<UInt16>?, UnsafePointer<UInt16>?, UnsafePointer<UInt16>?)
            guard ta_tiff_palette(directory.handle, &red, &green, &blue) != 0, let red, let green, let blue else {
                throw ImagingError.corrupt(.tiff, "it has no palette")
            }
            let columns = [red, green, blue].map {
                UnsafeBufferPointer(start: $0, count: 1 << directory.bitsPerSample)
            }
            // Old writers gave 8 bits where the specification has 16.
            let isNarrow = columns.allSatisfy { $0.allSatisfy { $0 < 256 } }
            // The upper byte is right for the writers that repeat 8 bits and for those that shift them.
            func narrow(_ value: UInt16) -> UInt8 { UInt8(truncatingIfNeeded: isNarrow ? value : value >> 8) }
            colors = (0..<columns[0].count).map { index in
                (narrow(columns[0][index]), narrow(columns[1][index]), narrow(columns[2][index]))
            }
        }

        /// - Parameter target: gets RGB; alpha is left alone.
        func write(_ index: Int, to target: UnsafeMutablePointer<UInt8>) {
            (target[0], target[1], target[2]) = colors.indices.contains(index) ? colors[index] : (0, 0, 0)
        }
    }
#endif
