#if AVIF
    /// The tracks of an AVIF sequence (ISO/IEC 14496-12, §8.3.1). Those of other kinds, such as audio, have no size,
    /// which libavif before 1.1 takes for a fault of the file.
    enum AVIFTracks {
        /// Where the types of the `trak` boxes are that hold no images.
        static func hiddenTypes(_ bytes: ByteView) -> [Int] {
            tracks(bytes).filter { !isVisual($0, bytes) }.map { $0.typeOffset }
        }

        /// The first track with images; nil if there is none.
        static func firstVisual(_ bytes: ByteView) -> ISOBoxes.Box? {
            tracks(bytes).first { isVisual($0, bytes) }
        }

        private static func tracks(_ bytes: ByteView) -> [ISOBoxes.Box] {
            ISOBoxes(bytes).first("moov").map { movie in
                ISOBoxes(bytes, in: movie.content).filter { $0.type == ISOBoxes.code("trak") }
            } ?? []
        }

        /// By the handler's type (§8.4.3); a track that does not say so is left to libavif.
        private static func isVisual(_ track: ISOBoxes.Box, _ bytes: ByteView) -> Bool {
            guard let media = ISOBoxes(bytes, in: track.content).first("mdia"),
                let handler = ISOBoxes(bytes, in: media.content).first("hdlr"),
                let type = try? bytes.bigEndian32(handler.content.lowerBound + 8)
            else { return true }
            return type == ISOBoxes.code("pict") || type == ISOBoxes.code("vide") || type == ISOBoxes.code("auxv")
        }
    }
#endif
