#if SVG
    import CRSVG

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// One document parsed by librsvg. Used by one thread.
    final class SVGDocument {
        private let handle: UnsafeMutablePointer<RsvgHandle>
        /// In CSS pixels, rounded up.
        let size: PixelSize
        private let exactSize: (width: Double, height: Double)

        /// The handle gets no base address, so librsvg resolves no reference. What libxml2 would bound without the
        /// "unlimited" flag (entities, nesting, lengths) has been bounded by the filter, which keeps embedded images of
        /// any length.
        init(_ filtered: Data) throws {
            var problem: UnsafeMutablePointer<GError>?
            let handle = filtered.withUnsafeBytes { bytes -> UnsafeMutablePointer<RsvgHandle>? in
                guard let stream = g_memory_input_stream_new_from_data(bytes.baseAddress, bytes.count, nil) else {
                    return nil
                }
                defer { g_object_unref(stream) }
                return rsvg_handle_new_from_stream_sync(stream, nil, RSVG_HANDLE_FLAG_UNLIMITED, nil, &problem)
            }
            guard let handle else { throw Self.error(problem) }
            self.handle = handle
            do {
                rsvg_handle_set_dpi(handle, 96)
                exactSize = Self.size(handle)
                guard exactSize.width > 0, exactSize.height > 0 else {
                    throw ImagingError.corrupt(.svg, "its size is \(exactSize.width)x\(exactSize.height)")
                }
                size = PixelSize(width: Self.pixels(exactSize.width), height: Self.pixels(exactSize.height))
            } catch {
                g_object_unref(handle)
                throw error
            }
        }

        deinit { g_object_unref(handle) }

        private static func pixels(_ length: Double) -> Int {
            // A hair above a whole number is rounding, not another pixel.
            Int(exactly: max(1, (length - 0.001).rounded(.up))) ?? .max
        }

        private static func size(_ handle: UnsafeMutablePointer<RsvgHandle>) -> (width: Double, height: Double) {
            var (width, height) = (0.0, 0.0)
            if rsvg_handle_get_intrinsic_size_in_pixels(handle, &width, &height) != 0 { return (width, height) }
            var (hasWidth, hasHeight, hasViewBox): (gboolean, gboolean, gboolean) = (0, 0, 0)
            var (widthLength, heightLength) = (RsvgLength(), RsvgLength())
            var viewBox = RsvgRectangle()
            rsvg_handle_get_intrinsic_dimensions(
                handle, &hasWidth, &widthLength, &hasHeight, &heightLength, &hasViewBox, &viewBox)
            let definiteWidth = hasWidth != 0 ? pixels(widthLength) : nil
            let definiteHeight = hasHeight != 0 ? pixels(heightLength) : nil
            let box = hasViewBox != 0 && viewBox.width > 0 && viewBox.height > 0 ? viewBox : nil
            // CSS 2.2, §10.3.2 and §10.6.2: one side and the proportions give the other.
            switch (definiteWidth, definiteHeight, box) {
            case (let width?, let height?, _): return (width, height)
            case (let width?, nil, let box?): return (width, width * box.height / box.width)
            case (nil, let height?, let box?): return (height * box.width / box.height, height)
            case (nil, nil, let box?): return (box.width, box.height)
            case (let width, let height, nil): return (width ?? 300, height ?? 150)
            }
        }

        /// Nil for lengths that depend on what is around the drawing.
        private static func pixels(_ length: RsvgLength) -> Double? {
            let value = Double(length.length)
            return switch length.unit {
            case RSVG_UNIT_PX: value
            case RSVG_UNIT_IN: value * 96
            case RSVG_UNIT_CM: value * 96 / 2.54
            case RSVG_UNIT_MM: value * 96 / 25.4
            case RSVG_UNIT_PT: value * 96 / 72
            case RSVG_UNIT_PC: value * 16
            default: nil
            }
        }

        /// Cairo's own bound on the sides of a surface.
        private static let maximumSide = 32_767

        func render(at target: PixelSize) throws -> Bitmap {
            guard target.width <= Self.maximumSide, target.height <= Self.maximumSide else {
                throw ImagingError.imageTooLarge(
                    width: target.width, height: target.height, limit: Self.maximumSide * Self.maximumSide)
            }
            let pixels = try StraightPixels(size: target)
            pixels.clear()
            try draw(on: pixels)
            for y in 0..<target.height {
                if let row = pixels.row(y) { Self.swapRedAndBlue(row, width: target.width) }
            }
            return pixels.bitmap(isOpaque: false, isPremultiplied: true)
        }

        private func draw(on pixels: StraightPixels) throws {
            guard
                let surface = cairo_image_surface_create_for_data(
                    pixels.row(0), CAIRO_FORMAT_ARGB32, Int32(pixels.size.width), Int32(pixels.size.height),
                    Int32(pixels.bytesPerRow))
            else { throw ImagingError.outOfMemory(byteCount: nil) }
            defer { cairo_surface_destroy(surface) }
            guard let context = cairo_create(surface) else {
                throw ImagingError.outOfMemory(byteCount: nil)
            }
            defer { cairo_destroy(context) }
            cairo_scale(
                context, Double(pixels.size.width) / exactSize.width, Double(pixels.size.height) / exactSize.height)
            var viewport = RsvgRectangle(x: 0, y: 0, width: exactSize.width, height: exactSize.height)
            var problem: UnsafeMutablePointer<GError>?
            guard rsvg_handle_render_document(handle, context, &viewport, &problem) != 0 else {
                throw Self.error(problem)
            }
            cairo_surface_finish(surface)
            guard cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS else {
                throw ImagingError.processorFailed("cairo could not draw it")
            }
        }

        /// Cairo keeps ARGB in words of the CPU's byte order.
        private static func swapRedAndBlue(_ row: UnsafeMutablePointer<UInt8>, width: Int) {
            let words = UnsafeMutableRawPointer(row).assumingMemoryBound(to: UInt32.self)
            for x in 0..<width {
                let word = words[x]
                words[x] = (word & 0xFF00_FF00 | word >> 16 & 0xFF | (word & 0xFF) << 16).littleEndian
            }
        }

        private static func error(_ problem: UnsafeMutablePointer<GError>?) -> ImagingError {
            guard let problem else { return .corrupt(.svg, "librsvg cannot read it") }
            defer { g_error_free(problem) }
            let message = problem.pointee.message.map { String(cString: $0) } ?? "librsvg cannot read it"
            if message.contains("Premature end of data") { return .truncated(.svg) }
            let line = message.split(separator: "\n").first.map(String.init) ?? message
            return .corrupt(.svg, line)
        }
    }
#endif
