#if AVIF
    /// The tracks of an AVIF sequence (ISO/IEC 14496-12, §8.3.1).
    enum AVIFTracks {
        /// Returns the offsets of the types of `trak` boxes without images. Tracks of other kinds, such as audio, have no
        /// size, which libavif before 1.1 reports as an error.
        static func hiddenTypes(_ bytes: ByteView) -> [Int] {
            tracks(bytes).filter { !isVisual($0, bytes) }.map { $0.typeOffset }
        }

        /// Returns the number of loops of the first track with images; 0 is forever, also where the file has no number.
        ///
        /// The edit list (§8.6.6) repeats if its first flag is set, until the duration in the track header is over. libavif
        /// reads it only from 1.0 on.
        static func loopCount(_ bytes: ByteView) -> Int {
            guard let track = tracks(bytes).first(where: { isVisual($0, bytes) }),
                let header = ISOBoxes(bytes, in: track.content).first("tkhd")?.content.lowerBound,
                let edits = ISOBoxes(bytes, in: track.content).first("edts"),
                let list = ISOBoxes(bytes, in: edits.content).first("elst")?.content.lowerBound
            else { return 0 }
            do {
                let repeats = try bytes.bigEndian32(list) & 1 != 0
                guard repeats else { return 1 }
                let segment = try duration(bytes, version: try bytes.u8(list), short: list + 8, long: list + 8)
                let total = try duration(bytes, version: try bytes.u8(header), short: header + 20, long: header + 28)
                guard let total, let segment else { return 0 }
                return max(1, Int(clamping: (total - 1) / segment + 1))
            } catch {
                // A truncated box has no number.
                return 0
            }
        }

        /// Reads a duration; nil if it is zero or the largest value, which is forever.
        private static func duration(_ bytes: ByteView, version: UInt8, short: Int, long: Int) throws -> UInt64? {
            if version == 0 {
                let value = try bytes.bigEndian32(short)
                return value == .max || value == 0 ? nil : UInt64(value)
            }
            let value = UInt64(try bytes.bigEndian32(long)) << 32 | UInt64(try bytes.bigEndian32(long + 4))
            return value == .max || value == 0 ? nil : value
        }

        private static func tracks(_ bytes: ByteView) -> [ISOBoxes.Box] {
            ISOBoxes(bytes).first("moov").map { movie in
                ISOBoxes(bytes, in: movie.content).filter { $0.type == ISOBoxes.code("trak") }
            } ?? []
        }

        /// Reads the type of the handler (§8.4.3); a track without one is left to libavif.
        private static func isVisual(_ track: ISOBoxes.Box, _ bytes: ByteView) -> Bool {
            guard let media = ISOBoxes(bytes, in: track.content).first("mdia"),
                let handler = ISOBoxes(bytes, in: media.content).first("hdlr"),
                let type = try? bytes.bigEndian32(handler.content.lowerBound + 8)
            else { return true }
            return type == ISOBoxes.code("pict") || type == ISOBoxes.code("vide") || type == ISOBoxes.code("auxv")
        }
    }
#endif
