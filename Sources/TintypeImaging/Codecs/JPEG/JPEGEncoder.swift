import CJPEGShim
import CPixelKernels
import TintypeBase

/// Baseline JPEG through libjpeg. Transparent pixels show `EncodeOptions.background`.
///
/// Chroma has half the resolution below quality 90. Effort 4 and more optimises the Huffman tables, 7 and more writes
/// progressive files; each is smaller and slower.
struct JPEGEncoder: ImageEncoder {
    var format: ImageFormat { .jpeg }

    func encode(_ bitmap: Bitmap, options: EncodeOptions) throws -> Data {
        var check = AnimationFrameCheck(.jpeg, maximumSide: 65_500)
        try check.check(bitmap)
        let bitmap = bitmap.isOpaque ? bitmap : try bitmap.flattened(over: options.background)
        let effort = options.effort ?? 0
        return try bitmap.withUnsafeBytes { bytes in
            guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { throw ImagingError.emptyBody }
            var output: UnsafeMutablePointer<UInt8>?
            var length = 0
            let code = cj_encode(
                base, UInt32(bitmap.width), UInt32(bitmap.height), bitmap.bytesPerRow,
                Int32(min(max(options.quality, 0), 100)), options.quality >= 90 ? 1 : 2, effort >= 4 ? 1 : 0,
                effort >= 7 ? 1 : 0, &output, &length)
            guard code != CJ_FAILURE_MEMORY else { throw ImagingError.outOfMemory(byteCount: nil) }
            guard code == CJ_FAILURE_NONE, let output else {
                throw ImagingError.notEncodable("libjpeg could not encode")
            }
            return Data(bytesNoCopy: output, count: length, deallocator: .free)
        }
    }
}
