#if AVIF
    import CAVIF
    import TintypeBase

    /// The source of bytes for libavif, which tells the end of a prefix from damaged data.
    final class AVIFReader {
        /// The most bytes of a file of which only a prefix is there.
        static let largestFile = 256 << 20

        let data: Data
        /// True if libavif waits for missing bytes, false if they are an error.
        let waitsForMore: Bool
        /// The end of the furthest read of missing bytes; 0 if there was none.
        private(set) var missingByteCount = 0
        let io: UnsafeMutablePointer<avifIO>
        /// The bytes of `data` during a call of libavif.
        private var window: UnsafeRawBufferPointer?
        /// Offsets of the types of boxes to hide from libavif, ascending; found at the first read.
        private var hidden: [Int]?
        /// A copy of bytes with such a box, valid until the next read.
        private var patched: UnsafeMutableRawBufferPointer?

        init(_ data: Data, waitsForMore: Bool) {
            self.data = data
            self.waitsForMore = waitsForMore
            io = .allocate(capacity: 1)
            var callbacks = avifIO()
            callbacks.read = { io, _, offset, size, output in
                guard let io, let output, let context = io.pointee.data else { return AVIF_RESULT_IO_ERROR }
                return Unmanaged<AVIFReader>.fromOpaque(context).takeUnretainedValue().read(offset, size, output)
            }
            // Items that claim to be larger are refused before libavif allocates memory for them.
            callbacks.sizeHint = UInt64(waitsForMore ? max(data.count, Self.largestFile) : data.count)
            callbacks.persistent = AVIF_FALSE
            io.initialize(to: callbacks)
            io.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        }

        deinit {
            patched?.deallocate()
            io.deallocate()
        }

        /// Runs a call of libavif that may read.
        func reading<Result>(_ body: () throws -> Result) rethrows -> Result {
            try data.withUnsafeBytes { bytes in
                window = bytes
                defer { window = nil }
                return try body()
            }
        }

        private func read(_ offset: UInt64, _ size: Int, _ output: UnsafeMutablePointer<avifROData>) -> avifResult {
            guard let window else { return AVIF_RESULT_IO_ERROR }
            let available = offset > UInt64(window.count) ? nil : window.count - Int(offset)
            if available.map({ $0 < size }) ?? true, waitsForMore {
                let end = offset.addingReportingOverflow(UInt64(size)).partialValue
                missingByteCount = max(missingByteCount, Int(clamping: end))
                return AVIF_RESULT_WAITING_ON_IO
            }
            guard let available else { return AVIF_RESULT_IO_ERROR }
            let count = min(size, available)
            if hidden == nil { hidden = AVIFTracks.hiddenTypes(ByteView(window)) }
            if let hidden, hidden.contains(where: { $0 + 4 > Int(offset) && $0 < Int(offset) + count }) {
                let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
                copy.copyMemory(from: UnsafeRawBufferPointer(rebasing: window[Int(offset)..<Int(offset) + count]))
                for position in hidden {
                    for (index, byte) in "free".utf8.enumerated() {
                        let target = position + index - Int(offset)
                        if copy.indices.contains(target) { copy[target] = byte }
                    }
                }
                patched?.deallocate()
                patched = copy
                output.pointee.data = UnsafePointer(copy.bindMemory(to: UInt8.self).baseAddress)
                output.pointee.size = count
                return AVIF_RESULT_OK
            }
            output.pointee.data = window.bindMemory(to: UInt8.self).baseAddress.map { $0 + Int(offset) }
            output.pointee.size = count
            return AVIF_RESULT_OK
        }
    }
#endif
