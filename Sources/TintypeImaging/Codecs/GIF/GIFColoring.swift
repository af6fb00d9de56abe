/// The palette and the indices of one frame's pixels.
struct GIFColoring {
    /// 0xAABBGGRR; the entry for transparency is 0.
    var palette: [UInt32]
    var indices: [UInt8]
    /// The index of pixels that keep the canvas.
    var transparent: UInt8?

    /// Uses the palette of the file if it has every colour; otherwise an exact palette if there are at most 256 colours;
    /// otherwise the best colours and dithering.
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

/// The indices of pixels in a palette.
private struct PaletteMapper {
    /// 0xAABBGGRR, at most 256.
    private let colors: [UInt32]
    private var exact: [UInt32: UInt8] = [:]
    /// The nearest colour for cells of 5 bits a channel, computed on first use; 0xFFFF is unknown.
    private var nearest = [UInt16](repeating: .max, count: 32 * 32 * 32)

    init(_ colors: [UInt32]) {
        self.colors = colors
        for (index, color) in colors.enumerated().reversed() { exact[color] = UInt8(index) }
    }

    /// Returns the indices of pixels that are all in the palette; transparent ones get `transparent`.
    func map(_ pixels: [UInt32], transparent: UInt8) -> [UInt8] {
        var lastColor: UInt32 = 0
        var lastIndex = transparent
        return pixels.map { pixel in
            if pixel == lastColor { return lastIndex }
            lastColor = pixel
            lastIndex = pixel >> 24 == 0 ? transparent : exact[pixel] ?? transparent
            return lastIndex
        }
    }

    /// Returns the indices of any pixels, with the error of each spread over its neighbours (Floyd and Steinberg, 1976;
    /// rows in alternating direction). Transparent pixels get `transparent` and are left out.
    mutating func dither(_ pixels: [UInt32], width: Int, transparent: UInt8) -> [UInt8] {
        var indices = [UInt8](repeating: transparent, count: pixels.count)
        guard width > 0 else { return indices }
        // Errors of this row and the next, in sixteenths, with a pixel to spare on both sides.
        var current = [SIMD4<Int32>](repeating: .zero, count: width + 2)
        var next = current
        for row in 0..<pixels.count / width {
            let leftToRight = row % 2 == 0
            let step = leftToRight ? 1 : -1
            for position in 0..<width {
                let x = leftToRight ? position : width - 1 - position
                let pixel = pixels[row * width + x]
                guard pixel >> 24 != 0 else { continue }
                let wanted = Self.channels(pixel) &+ ((current[x + 1] &+ 8) &>> 4)
                let clamped = wanted.clamped(
                    lowerBound: .zero, upperBound: SIMD4(repeating: 255))
                let index = nearestIndex(clamped)
                indices[row * width + x] = index
                let error = clamped &- Self.channels(colors[Int(index)])
                current[x + 1 + step] &+= error &* 7
                next[x + 1 - step] &+= error &* 3
                next[x + 1] &+= error &* 5
                next[x + 1 + step] &+= error
            }
            swap(&current, &next)
            for x in next.indices { next[x] = .zero }
        }
        return indices
    }

    private static func channels(_ pixel: UInt32) -> SIMD4<Int32> {
        SIMD4(Int32(pixel & 255), Int32(pixel >> 8 & 255), Int32(pixel >> 16 & 255), 0)
    }

    private mutating func nearestIndex(_ color: SIMD4<Int32>) -> UInt8 {
        let cell = Int(color.x &>> 3) &* 1024 &+ Int(color.y &>> 3) &* 32 &+ Int(color.z &>> 3)
        if nearest[cell] != .max { return UInt8(truncatingIfNeeded: nearest[cell]) }
        let center = (color &>> 3) &* 8 &+ SIMD4(4, 4, 4, 0)
        var best = 0
        var bestDistance = Int32.max
        for (index, entry) in colors.enumerated() {
            let difference = Self.channels(entry) &- center
            let distance = (difference &* difference).wrappedSum()
            if distance < bestDistance { (best, bestDistance) = (index, distance) }
        }
        nearest[cell] = UInt16(best)
        return UInt8(best)
    }
}
