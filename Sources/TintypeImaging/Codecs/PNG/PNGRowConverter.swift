import CPixelKernels

/// Converts unfiltered PNG rows of one file to premultiplied sRGB RGBA8.
struct PNGRowConverter {
    private enum Kind {
        /// Up to 8 bits of one channel: a table of 256 finished pixels.
        case table(depth: UInt32)
        case gray, grayAlpha, rgb, rgbKeyed, rgba
        case wide(channels: UInt32)
    }

    private let kind: Kind
    private let transform: ColorTransform?
    private let table: [UInt32]
    private let narrowKey: [UInt8]
    private let wideKey: [UInt16]
    /// One row of 16-bit RGBA, for a transform of 16-bit samples.
    private var wideRow: [UInt16] = []
    private let hasAlpha: Bool
    /// The bitwise AND of all alphas so far: 255 if every pixel is opaque.
    private(set) var alphaAnd: UInt8 = 255

    init(_ file: PNGFile, transform: ColorTransform?) throws {
        self.transform = transform
        let header = file.header
        hasAlpha = file.hasAlpha
        let key = file.transparency.isEmpty || header.colorType == .palette ? nil : Self.key(file)
        narrowKey = key?.map { UInt8(truncatingIfNeeded: $0) } ?? []
        wideKey = header.bitDepth == 16 ? key ?? [] : []
        var table: [UInt32] = []
        switch (header.colorType, header.bitDepth) {
        case (.palette, let depth):
            kind = .table(depth: UInt32(depth))
            guard !file.palette.isEmpty else { throw ImagingError.corrupt(.png, "it has no palette") }
            table = Self.paletteTable(file, transform: transform)
        case (_, 16): kind = .wide(channels: UInt32(header.colorType.channels))
        case (.gray, 8) where key == nil && transform == nil: kind = .gray
        case (.gray, let depth):
            kind = .table(depth: UInt32(depth))
            table = Self.grayTable(depth: depth, key: key?.first, transform: transform)
        case (.grayAlpha, _): kind = .grayAlpha
        case (.rgb, _): kind = key == nil ? .rgb : .rgbKeyed
        case (.rgba, _): kind = .rgba
        }
        self.table = table
        if case .table = kind { alphaAnd = table.reduce(255) { $0 & UInt8($1.littleEndian >> 24) } }
    }

    /// Returns the transparent colour; bits above the sample depth are ignored.
    private static func key(_ file: PNGFile) -> [UInt16] {
        let mask = UInt16(truncatingIfNeeded: (1 << file.header.bitDepth) - 1)
        return stride(from: 0, to: file.transparency.count - 1, by: 2).map { index in
            (UInt16(file.transparency[index]) << 8 | UInt16(file.transparency[index + 1])) & mask
        }
    }

    private static func paletteTable(_ file: PNGFile, transform: ColorTransform?) -> [UInt32] {
        // Indices past the palette are black, as libpng shows them.
        var pixels = [UInt8](repeating: 0, count: 1024)
        for index in 0..<256 {
            pixels[index * 4 + 3] = index < file.transparency.count ? file.transparency[index] : 255
        }
        for index in 0..<file.palette.count / 3 {
            for channel in 0..<3 { pixels[index * 4 + channel] = file.palette[index * 3 + channel] }
        }
        return finish(pixels, transform)
    }

    private static func grayTable(depth: Int, key: UInt16?, transform: ColorTransform?) -> [UInt32] {
        let maximum = (1 << depth) - 1
        var pixels = [UInt8](repeating: 255, count: 1024)
        for level in 0...maximum {
            let value = UInt8(level * 255 / maximum)
            for channel in 0..<3 { pixels[level * 4 + channel] = value }
            if let key, Int(key) == level { pixels[level * 4 + 3] = 0 }
        }
        return finish(pixels, transform)
    }

    private static func finish(_ pixels: [UInt8], _ transform: ColorTransform?) -> [UInt32] {
        var pixels = pixels
        return pixels.withUnsafeMutableBufferPointer { pixels in
            guard let base = pixels.baseAddress else { return [] }
            transform?.convert(from: base, to: base, pixelCount: 256)
            _ = pixelKernels.premultiply(base, base, 256)
            return UnsafeRawBufferPointer(pixels).withMemoryRebound(to: UInt32.self) { Array($0) }
        }
    }

    /// - Parameters:
    ///   - raw: the row without its filter byte; readable for `rowByteCount(width:)` bytes.
    ///   - target: `width * 4` bytes.
    mutating func convert(_ raw: UnsafePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>, width: Int) {
        switch kind {
        case .table(let depth):
            ck_expand_palette(target, raw, width, depth, table)
            return
        case .gray:
            pixelKernels.expand_gray(target, raw, width)
            return
        case .grayAlpha: ck_expand_gray_alpha(target, raw, width)
        case .rgb: pixelKernels.expand_rgb(target, raw, width)
        case .rgbKeyed: ck_expand_rgb_key(target, raw, width, narrowKey)
        case .rgba:
            if let transform {
                transform.convert(from: raw, to: target, pixelCount: width)
                alphaAnd &= pixelKernels.premultiply(target, target, width)
            } else {
                alphaAnd &= pixelKernels.premultiply(target, raw, width)
            }
            return
        case .wide(let channels): convertWide(raw, to: target, width: width, channels: channels)
        }
        if case .wide = kind {} else { transform?.convert(from: target, to: target, pixelCount: width) }
        if hasAlpha { alphaAnd &= pixelKernels.premultiply(target, target, width) }
    }

    private mutating func convertWide(
        _ raw: UnsafePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>, width: Int, channels: UInt32
    ) {
        wideKey.withUnsafeBufferPointer { key in
            let key = key.isEmpty ? nil : key.baseAddress
            guard let transform else { return ck_expand_16(target, raw, width, channels, key) }
            if wideRow.count < width * 4 { wideRow = [UInt16](repeating: 0, count: width * 4) }
            wideRow.withUnsafeMutableBufferPointer { row in
                guard let base = row.baseAddress else { return }
                ck_expand_16_wide(base, raw, width, channels, key)
                transform.convert(from: base, to: target, pixelCount: width)
            }
        }
    }
}
