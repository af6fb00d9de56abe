import CGTK
import Tintype
import XCTest

@testable import TintypeGTK

final class TextureTests: XCTestCase {
    func testTextureHasTheBitmapsPixels() throws {
        let bitmap = try Bitmap(width: 2, height: 1) { bytes, _ in
            bytes.copyBytes(from: [255, 0, 0, 255, 0, 64, 0, 128])
        }
        let texture = bitmap.makeTexture()
        var pixels = [UInt8](repeating: 0, count: 8)
        withExtendedLifetime(texture) { gdk_texture_download(texture.opaque, &pixels, 8) }
        // Cairo's ARGB32: premultiplied, blue first on a little-endian machine.
        XCTAssertEqual(pixels, [0, 0, 255, 255, 0, 64, 0, 128])
    }
}
