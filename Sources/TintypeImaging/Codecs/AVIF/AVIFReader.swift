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
        /// Where the types of boxes are that libavif shall not see, found with the first read; ascending.
        private var hidden: [Int]?
        /// Bytes with such a box, lent to libavif until the next read.
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
            // Items that claim to be larger are refused before libavif allocates for them.
            callbacks.sizeHint = UInt64(waitsForMore ? max(data.count, Self.largestFile) : data.count)
            callbacks.persistent = AVIF_FALSE
            io.initialize(to: callbacks)
            io.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        }

        deinit {
            patched?.deallocate()
            io.deallocate()
        }

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
