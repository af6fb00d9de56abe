import Foundation
import Testing

@testable import TintypeImaging

@Suite("JPEG thumbnails") struct JPEGThumbnailTests {
    @Test("A thumbnail of a truncated file is refused, and leniently shows the rows before the end")
    func truncated() throws {
        let whole = try SampledJPEG(
            factors: [.init(across: 2, down: 2), .init(across: 1, down: 1), .init(across: 1, down: 1)],
            size: PixelSize(width: 640, height: 640)
        ).encoded()
        let data = Data(whole.prefix(whole.count / 2))
        var options = DecodeOptions()
        options.target = ResizeTarget(width: 80, height: 80)
        #expect(throws: ImagingError.truncated(.jpeg)) { try JPEGDecoder().decode(data, options: options) }
        options.isLenient = true
        let output = try JPEGDecoder().decode(data, options: options)
        #expect(output.isPartial)
        #expect(output.bitmap.pixel(40, 10).alpha == 255)
        #expect(output.bitmap.pixel(40, 75).alpha == 0)
    }
}
