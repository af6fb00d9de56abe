/// A bitmap entry of an icon: the colours (the XOR mask), then one bit per pixel for transparency (the AND mask). With 32
/// bits per pixel the alpha channel replaces the mask, unless it is zero everywhere.
struct ICOBitmap {
    let image: BMPImage

    /// - Throws: `PastEnd` if the colours are truncated and decoding is strict.
    func decode(_ info: ImageInfo, options: DecodeOptions) throws -> DecoderOutput {
        let header = image.header
        // Checked before memory is allocated.
        if let needed = image.neededByteCount, needed > image.bytes.count, !options.isLenient {
            throw ByteView.PastEnd(byteCount: needed)
        }
        let pixels = try StraightPixels(size: header.size)
        let result = try image.draw(to: pixels, isLenient: options.isLenient)
        var isOpaque = result.isOpaque
        var warnings: [String] = []
        let usesAlpha = header.masks.alpha != 0 && !result.isOpaque
        if !usesAlpha {
            switch applyMask(to: pixels) {
            case .clear: break
            case .transparent: isOpaque = false
            case .missing: warnings.append("the mask is missing or truncated")
            }
        }
        return DecoderOutput(
            bitmap: pixels.bitmap(isOpaque: isOpaque), info: info, isPartial: result.isPartial, warnings: warnings)
    }

    private enum Mask { case clear, transparent, missing }

    /// Clears every pixel whose mask bit is set; ignores a truncated mask.
    private func applyMask(to pixels: StraightPixels) -> Mask {
        let header = image.header
        guard header.compression == .none || header.compression == .bitFields else { return .missing }
        let maskBytesPerRow = (header.width + 31) / 32 * 4
        let start = header.pixelOffset + header.bytesPerStoredRow * header.height
        let needed = maskBytesPerRow * (header.height - 1) + (header.width + 7) / 8
        guard start <= image.bytes.count, needed <= image.bytes.count - start else { return .missing }
        var isTransparent = false
        for y in 0..<header.height {
            let stored = start + (header.isTopDown ? y : header.height - 1 - y) * maskBytesPerRow
            for x in 0..<header.width {
                guard image.bytes.bytes[stored + x / 8] & (0x80 >> UInt8(x % 8)) != 0 else { continue }
                pixels.bytes.storeBytes(of: 0, toByteOffset: y * pixels.bytesPerRow + x * 4, as: UInt32.self)
                isTransparent = true
            }
        }
        return isTransparent ? .transparent : .clear
    }
}
