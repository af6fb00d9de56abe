/// The palette and the indices of one frame's pixels.
struct GIFColoring {
    /// 0xAABBGGRR; the entry for transparency is 0.
    var palette: [UInt32]
    var indices: [UInt8]
    /// The index that leaves what is below.
    var transparent: UInt8?

    /// Uses the file's palette if it has every colour that is needed; else all colours exactly, if there are few
    /// enough; else the best ones, dithered.
    ///
    /// - Parameter pixels: 0xAABBGGRR, opaque, or 0 for transparent.
    init(_ pixels: [UInt32], width: Int, globalPalette: [UInt32]) {
        var colors: [UInt32] = []
        var known: Set<UInt32> = []
        var last: UInt32 = 1
        var hasTransparency = false
        for pixel in pixels where pixel != last {
            last = pixel
            if pixel == 0 {
                hasTransparency = true
            } else if known.count <= 256, known.insert(pixel).inserted {
                colors.append(pixel)
            }
        }
        let globalTransparent = globalPalette.firstIndex(of: 0).map { UInt8($0) }
        if !globalPalette.isEmpty, !hasTransparency || globalTransparent != nil, known.isSubset(of: globalPalette) {
            palette = globalPalette
            transparent = hasTransparency ? globalTransparent : nil
            indices = PaletteMapper(palette).map(pixels, transparent: transparent ?? 0)
            return
        }
        // The first palette becomes the global one; a spare entry lets later frames leave pixels out.
        let room = hasTransparency || (globalPalette.isEmpty && colors.count < 256) ? 255 : 256
        if colors.count <= room {
            palette = colors
        } else {
            var quantizer = ColorQuantizer()
            quantizer.count(pixels)
            palette = quantizer.palette(limit: room)
        }
        var mapper = PaletteMapper(palette)
        let spare = UInt8(truncatingIfNeeded: palette.count)
        if room == 255 { palette.append(0) }
        transparent = hasTransparency ? spare : nil
        indices =
            colors.count <= room
            ? mapper.map(pixels, transparent: spare) : mapper.dither(pixels, width: width, transparent: spare)
    }
}
