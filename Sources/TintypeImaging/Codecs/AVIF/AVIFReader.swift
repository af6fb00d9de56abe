#if AVIF
    import CAVIF

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// Gives libavif the bytes of an image, and says "not there yet" rather than "damaged" where a prefix ends.
    final class AVIFReader {
        /// What the whole file may have at most when only a prefix of it is there.
        static let largestFile = 256 << 20

        let data: Data
        /// True if libavif shall wait for bytes that are missing, false if their absence is an error.
        let waitsForMore: Bool
        /// The end of the furthest read that could not be served; 0 if there was none.
        private(set) var missingByteCount = 0
        let io: UnsafeMutablePointer<avifIO>
        /// The bytes of `data`, only while libavif is being called.
        private var window: UnsafeRawBufferPointer?

        init(_ data: Data, waitsForMore: Bool) {
            self.data = data
            self.waitsForMore = waitsForMore
            io = .allocate(capacity: 1)
            var callbacks = avifIO()
            callbacks.read = { io, _, offset, size, output in
                guard let io, let output, let context = io.pointee.data else { return AVIF_RESULT_IO_ERROR }
                return Unmanaged<AVIFReader>.fromOpaque(context).takeUnretainedValue().read(offset, size, output)
            }
            // Items that claim to be larger are refused before libavif allocates for them.
            callbacks.sizeHint = UInt64(waitsForMore ? max(data.count, Self.largestFile) : data.count)
            callbacks.persistent = AVIF_FALSE
            io.initialize(to: callbacks)
            io.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        }

        deinit { io.deallocate() }

        /// Every call of libavif that may read goes through here.
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
            output.pointee.data = window.bindMemory(to: UInt8.self).baseAddress.map { $0 + Int(offset) }
            output.pointee.size = min(size, available)
            return AVIF_RESULT_OK
        }
    }
#endif
