import CGTK
import Foundation
import Tintype
import XCTest

@testable import TintypeGTK

/// An image that grows while its bytes arrive.
final class PreviewTests: XCTestCase {
    private static let side = 120

    /// Red noise, so that the file is large and each row takes its share of it.
    private static func noise() throws -> Data {
        var state: UInt32 = 1
        let bitmap = try Bitmap(width: side, height: side, isOpaque: true) { bytes, bytesPerRow in
            for y in 0..<side {
                for x in 0..<side {
                    state = state &* 1_664_525 &+ 1_013_904_223
                    let offset = y * bytesPerRow + x * 4
                    bytes[offset] = 255
                    bytes[offset + 1] = UInt8(state >> 25)
                    bytes[offset + 2] = UInt8(state >> 17 & 0x7F)
                    bytes[offset + 3] = 255
                }
            }
        }
        return try ImageCodecs.standard.encode(bitmap, as: .png)
    }

    private static func isRed(_ colour: PixelColor) -> Bool { colour.red > 240 && colour.green < 140 }

    /// Hands over a tenth of the file every 60 ms.
    private struct DrippingLoader: ImageLoader {
        let identifier = "drip"
        let data: Data

        func load(_ request: DownloadRequest, context: LoadContext) async throws -> (Data, DownloadResponse) {
            let step = data.count / 10 + 1
            for start in stride(from: 0, to: data.count, by: step) {
                try await Task.sleep(for: .milliseconds(60))
                context.didReceive(Data(data[start..<min(start + step, data.count)]))
            }
            return (data, DownloadResponse(status: 200, headers: ["Content-Type": "image/png"], finalURL: request.url))
        }
    }

    func testPreviewsAreShownInOrder() throws {
        try MainActor.assumeIsolated {
            try TestWindow.prepare()
            let picture = makePicture(Self.side, Self.side)
            let window = try TestWindow(width: Self.side, height: Self.side, child: picture)
            defer { window.close() }
            window.present()
            var configuration = ImagePipeline.Configuration(diskCache: nil)
            configuration.loader = DrippingLoader(data: try Self.noise())
            configuration.progressivePreviewInterval = .milliseconds(10)
            let pipeline = ImagePipeline(configuration)
            var shown: [PicturePaintable.Content] = []
            ImageBinding.of(PictureDisplay(picture)).picture.onChange = { shown.append($0) }
            var ends = 0
            var transitionsBeforeEnd = 0
            let binding = picture.setImage(
                with: "http://rows.test/grows.png", placeholder: Stage.grey, options: .progressive,
                transition: .crossFade(duration: 0.1), pipeline: pipeline
            ) { _ in ends += 1 }
            // Rows of the image that are on the screen, in every frame until the end.
            var rows: [Int] = []
            spin {
                if ends == 0, binding.picture.isInTransition { transitionsBeforeEnd += 1 }
                if let frame = window.frame() {
                    let count = (0..<Self.side).filter { Self.isRed(frame[60, $0]) }.count
                    if rows.last != count { rows.append(count) }
                }
                return ends == 1
            }
            XCTAssertEqual(rows, rows.sorted(), "the image shrinks: \(rows)")
            XCTAssertGreaterThan(rows.filter { $0 > 0 && $0 < Self.side }.count, 2, "parts that were seen: \(rows)")
            XCTAssertEqual(transitionsBeforeEnd, 0, "a preview comes in with a transition")
            XCTAssertEqual(shown.first, .placeholder)
            XCTAssertEqual(Set(shown.dropFirst()), [.picture], "\(shown)")
            XCTAssertGreaterThan(shown.count, 4)
            spin(seconds: 0.3)
            let frame = try window.nextFrame()
            XCTAssertTrue(
                (0..<Self.side).allSatisfy { Self.isRed(frame[60, $0]) }, "the whole image is shown in the end")
        }
    }
}
