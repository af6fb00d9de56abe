#if TIFF
    import CTIFF
    import TintypeBase

    /// Bytes in memory as a file of libtiff. Records reads beyond the end, which tell a truncated file from a damaged one. Used
    /// by one thread; the bytes must outlive it.
    final class TIFFSource {
        private let bytes: UnsafeRawBufferPointer
        private var position: UInt64 = 0
        /// The end of the furthest read of missing bytes; 0 if there was none.
        private(set) var missingByteCount = 0

        init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

        /// Callbacks that refer to this object, which must live as long as libtiff uses them.
        var callbacks: ta_tiff_source {
            ta_tiff_source(
                context: Unmanaged.passUnretained(self).toOpaque(),
                read: { context, buffer, count in
                    tmsize_t(TIFFSource.from(context)?.read(buffer, Int(count)) ?? -1)
                },
                write: { _, _, _ in 0 },
                seek: { context, offset, origin in TIFFSource.from(context)?.seek(offset, origin) ?? .max },
                close: { _ in 0 },
                size: { context in UInt64(TIFFSource.from(context)?.bytes.count ?? 0) })
        }

        private static func from(_ context: thandle_t?) -> TIFFSource? {
            context.map { Unmanaged<TIFFSource>.fromOpaque($0).takeUnretainedValue() }
        }

        private func read(_ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
            guard let buffer, count > 0 else { return 0 }
            let available = position < UInt64(bytes.count) ? bytes.count - Int(position) : 0
            let served = min(count, available)
            if served < count {
                let end = position.addingReportingOverflow(UInt64(count)).partialValue
                missingByteCount = max(missingByteCount, Int(clamping: end))
            }
            guard served > 0, let base = bytes.baseAddress else { return 0 }
            buffer.copyMemory(from: base + Int(position), byteCount: served)
            position += UInt64(served)
            return served
        }

        private func seek(_ offset: UInt64, _ origin: Int32) -> UInt64 {
            let start: UInt64 =
                switch origin {
                case SEEK_SET: 0
                case SEEK_CUR: position
                default: UInt64(bytes.count)
                }
            // Negative offsets arrive as their two's complement.
            position = start &+ offset
            return position
        }
    }
#endif
