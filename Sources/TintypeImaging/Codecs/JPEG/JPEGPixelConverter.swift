import CJPEGShim
import CPixelKernels

/// Turns libjpeg's rows of one file into sRGB RGBA8, in place.
struct JPEGPixelConverter {
    private let transform: ColorTransform?
    private let isCMYK: Bool
    /// What was odd about the header and the profile.
    let warnings: [String]

    /// What libjpeg must give.
    var output: cj_output { isCMYK ? CJ_OUTPUT_CMYK : CJ_OUTPUT_RGBA }

    init(_ header: JPEGHeader) {
        isCMYK = header.componentCount == 4
        var warnings = header.warnings
        transform = ColorManagement.transform(
            profile: header.iccProfile, model: isCMYK ? .cmyk : header.componentCount == 1 ? .gray : .rgb,
            layout: isCMYK ? .cmyk8Inverted : .rgba8, warnings: &warnings)
        self.warnings = warnings
    }

    func convert(_ row: UnsafeMutablePointer<UInt8>, width: Int) {
        if let transform {
            transform.convert(from: row, to: row, pixelCount: width)
        } else if isCMYK {
            // Photoshop stores ink inverted, and what writes CMYK without its marker does as it does.
            ck_cmyk_to_rgba(row, row, width, 1)
        }
    }
}
