#if AVIF
    import CAVIF

    /// The transforms in the boxes, applied once and in this order: `clap` crops, `irot` turns, `imir` mirrors
    /// (ISO/IEC 23000-22, MIAF, §7.3.6.7).
    struct AVIFTransform {
        private let image: avifImage

        init(_ image: avifImage) { self.image = image }

        private func has(_ flag: avifTransformFlag) -> Bool {
            image.transformFlags & avifTransformFlags(flag.rawValue) != 0
        }

        /// The EXIF orientation that equals `irot` and `imir`.
        var orientation: ImageOrientation {
            // `irot` turns anti-clockwise.
            let angle = has(AVIF_TRANSFORM_IROT) ? Int(image.irot.angle & 3) : 0
            guard has(AVIF_TRANSFORM_IMIR) else {
                return [.up, .left, .down, .right][angle]
            }
            return withUnsafePointer(to: image) { ta_mirror_axis($0) } == 0
                ? [.downMirrored, .leftMirrored, .upMirrored, .rightMirrored][angle]
                : [.upMirrored, .rightMirrored, .downMirrored, .leftMirrored][angle]
        }

        /// Returns the clean aperture (ISO/IEC 14496-12, §12.1.4): a size, and the distance of its centre from that of the
        /// image. Nil if there is none inside the image.
        private func aperture(_ size: PixelSize) -> PixelRect? {
            guard has(AVIF_TRANSFORM_CLAP),
                let horizontal = Self.span(
                    size.width, (image.clap.widthN, image.clap.widthD), (image.clap.horizOffN, image.clap.horizOffD)),
                let vertical = Self.span(
                    size.height, (image.clap.heightN, image.clap.heightD), (image.clap.vertOffN, image.clap.vertOffD))
            else { return nil }
            return PixelRect(
                x: horizontal.start, y: vertical.start, width: horizontal.length, height: vertical.length)
        }

        /// Returns the displayed size of an image whose planes have this size.
        func shownSize(_ size: PixelSize) -> PixelSize {
            let cropped = aperture(size)?.size ?? size
            return orientation.swapsAxes ? cropped.transposed : cropped
        }

        private static func span(
            _ length: Int, _ size: (UInt32, UInt32), _ offset: (UInt32, UInt32)
        ) -> (start: Int, length: Int)? {
            guard size.1 > 0, offset.1 > 0 else { return nil }
            let wanted = (Double(Int32(bitPattern: size.0)) / Double(size.1)).rounded(.down)
            let shift = Double(Int32(bitPattern: offset.0)) / Double(offset.1)
            let start = ((Double(length) - wanted) / 2 + shift).rounded(.down)
            guard wanted >= 1, start >= 0, start + wanted <= Double(length) else { return nil }
            return (Int(start), Int(wanted))
        }

        func apply(to bitmap: Bitmap, warnings: inout [String]) throws -> Bitmap {
            guard has(AVIF_TRANSFORM_CLAP) else { return try bitmap.oriented(orientation) }
            guard let aperture = aperture(bitmap.size) else {
                warnings.append("the clean aperture was ignored: it is not inside the image")
                return try bitmap.oriented(orientation)
            }
            return try bitmap.copied(from: aperture).oriented(orientation)
        }
    }
#endif
