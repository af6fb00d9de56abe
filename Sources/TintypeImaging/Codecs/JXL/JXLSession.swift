#if JXL
    import CJXL

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// One libjxl decoder and the bytes it reads, which may still be arriving. Used by one thread at a time.
    final class JXLSession {
        private let decoder: OpaquePointer
        private let limits: DecodeLimits
        private let memory = JXLMemory()
        /// Bytes that the decoder has not taken yet are those from `position` on.
        private var data: Data
        private var position = 0
        /// The decoder has been offered the bytes before this one.
        private var offeredEnd = 0
        private let events: Int32

        private(set) var header: JXLHeader?
        private(set) var warnings: [String] = []
        private var pixels: JXLPixels?

        /// - Parameters:
        ///   - events: beyond the header: `JXL_DEC_FRAME`, `JXL_DEC_FULL_IMAGE`, `JXL_DEC_FRAME_PROGRESSION`.
        ///   - mergesLayers: false gives every layer as a frame of its own.
        init(_ data: Data, events: [JxlDecoderStatus], limits: DecodeLimits, mergesLayers: Bool = true) throws {
            var manager = memory.manager
            guard let decoder = JxlDecoderCreate(&manager) else {
                throw ImagingError.outOfMemory(byteCount: nil)
            }
            self.decoder = decoder
            self.data = data
            self.limits = limits
            let all = [JXL_DEC_BASIC_INFO, JXL_DEC_COLOR_ENCODING] + events
            self.events = all.reduce(0) { $0 | Int32(bitPattern: $1.rawValue) }
            JxlDecoderSubscribeEvents(decoder, self.events)
            // With straight colours profiles can be applied; libjxl turns the image itself.
            JxlDecoderSetUnpremultiplyAlpha(decoder, JXL_TRUE)
            JxlDecoderSetCoalescing(decoder, mergesLayers ? JXL_TRUE : JXL_FALSE)
        }

        deinit { JxlDecoderDestroy(decoder) }

        func append(_ more: Data) {
            data = data.suffix(from: data.startIndex + position) + more
            offeredEnd -= position
            position = 0
        }

        /// Starts again at the first frame. Only for whole files.
        func rewind() {
            JxlDecoderRewind(decoder)
            JxlDecoderSubscribeEvents(decoder, events)
            position = 0
            offeredEnd = 0
            pixels = nil
        }

        func skipFrames(_ count: Int) { JxlDecoderSkipFrames(decoder, count) }

        /// Goes on to the next event that is not about the header. Gives `JXL_DEC_NEED_MORE_INPUT` where the bytes end.
        func advance() throws -> JxlDecoderStatus {
            while true {
                let status = try step()
                switch status {
                case JXL_DEC_BASIC_INFO:
                    header = header ?? JXLHeader()
                    try header?.readBasicInfo(decoder, limits: limits)
                case JXL_DEC_COLOR_ENCODING:
                    header?.readColors(decoder, limits: limits, warnings: &warnings)
                case JXL_DEC_NEED_IMAGE_OUT_BUFFER:
                    guard let header else { throw ImagingError.corrupt(.jxl, "pixels before the header") }
                    let pixels = try JXLPixels(header, warnings: &warnings)
                    try pixels.attach(to: decoder)
                    self.pixels = pixels
                case JXL_DEC_ERROR where memory.isExceeded:
                    let size = header?.size ?? PixelSize(width: 0, height: 0)
                    throw ImagingError.tooCostly(
                        .jxl, "an image of \(size) needs more than \(JXLMemory.defaultLimit) bytes of memory")
                case JXL_DEC_ERROR:
                    throw ImagingError.corrupt(.jxl, "libjxl cannot decode it")
                default:
                    return status
                }
            }
        }

        /// Offers the bytes in small parts, so that the work can be stopped between frames that libjxl does not report.
        private func step() throws -> JxlDecoderStatus {
            while true {
                try ImagingCancellation.check()
                let status = process()
                guard status == JXL_DEC_NEED_MORE_INPUT, offeredEnd < data.count else { return status }
                offeredEnd = min(data.count, offeredEnd + max(64, data.count / 1024))
            }
        }

        /// The bytes are lent to the decoder only during the call.
        private func process() -> JxlDecoderStatus {
            data.withUnsafeBytes { bytes in
                let rest = bytes[min(position, offeredEnd)..<offeredEnd]
                JxlDecoderSetInput(
                    decoder, UnsafeRawBufferPointer(rebasing: rest).bindMemory(to: UInt8.self).baseAddress, rest.count)
                let status = JxlDecoderProcessInput(decoder)
                position = offeredEnd - JxlDecoderReleaseInput(decoder)
                return status
            }
        }

        /// The duration of the frame whose `JXL_DEC_FRAME` event has come, in seconds; and whether it is the last.
        func frameTiming() -> (duration: Double, isLast: Bool) {
            var frame = JxlFrameHeader()
            guard JxlDecoderGetFrameHeader(decoder, &frame) == JXL_DEC_SUCCESS, let header else { return (0, true) }
            return (Double(frame.duration) * header.secondsPerTick, frame.is_last != 0)
        }

        /// Pixels of the layer whose `JXL_DEC_FRAME` event has come; and whether it ends what is shown as one frame.
        func layer() -> (pixelCount: Int, endsFrame: Bool) {
            var frame = JxlFrameHeader()
            guard JxlDecoderGetFrameHeader(decoder, &frame) == JXL_DEC_SUCCESS else { return (0, true) }
            let size = PixelSize(width: Int(frame.layer_info.xsize), height: Int(frame.layer_info.ysize))
            return (size.area, frame.duration > 0 || frame.is_last != 0)
        }

        /// The pixels of the frame that is complete.
        func takeBitmap() throws -> Bitmap {
            guard let pixels else { throw ImagingError.corrupt(.jxl, "no pixels came out of it") }
            self.pixels = nil
            return pixels.finish()
        }

        /// What there is of the frame in the works; nil if nothing can be shown yet.
        func partialBitmap() throws -> Bitmap? {
            guard let pixels, JxlDecoderFlushImage(decoder) == JXL_DEC_SUCCESS else { return nil }
            return try pixels.preview()
        }
    }
#endif
