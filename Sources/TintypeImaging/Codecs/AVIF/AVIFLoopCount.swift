#if AVIF
    /// How often an AVIF sequence plays: from the edit list of its track (ISO/IEC 14496-12, §8.6.6), which repeats if
    /// its first flag is set, until the duration in the track header is used up. libavif tells it only from 1.0 on.
    enum AVIFLoopCount {
        /// Plays in total; 0 for ever, also where the file does not say.
        static func read(_ bytes: ByteView) -> Int {
            guard let track = AVIFTracks.firstVisual(bytes),
                let header = ISOBoxes(bytes, in: track.content).first("tkhd"),
                let edits = ISOBoxes(bytes, in: track.content).first("edts"),
                let list = ISOBoxes(bytes, in: edits.content).first("elst")
            else { return 0 }
            return (try? count(bytes, header: header.content.lowerBound, list: list.content.lowerBound)) ?? 0
        }

        private static func count(_ bytes: ByteView, header: Int, list: Int) throws -> Int {
            let repeats = try bytes.bigEndian32(list) & 1 != 0
            guard repeats else { return 1 }
            let segment = try duration(bytes, version: try bytes.u8(list), short: list + 8, long: list + 8)
            let total = try duration(bytes, version: try bytes.u8(header), short: header + 20, long: header + 28)
            guard let total, let segment, segment > 0 else { return 0 }
            return max(1, Int(clamping: (total - 1) / segment + 1))
        }

        /// Nil if it is the largest value, which stands for "for ever", or zero.
        private static func duration(_ bytes: ByteView, version: UInt8, short: Int, long: Int) throws -> UInt64? {
            if version == 0 {
                let value = try bytes.bigEndian32(short)
                return value == .max || value == 0 ? nil : UInt64(value)
            }
            let value = UInt64(try bytes.bigEndian32(long)) << 32 | UInt64(try bytes.bigEndian32(long + 4))
            return value == .max || value == 0 ? nil : value
        }
    }
#endif
