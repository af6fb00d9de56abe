import CGTK
import Foundation
import Tintype
import XCTest

@testable import TintypeGTK

/// What 500 results that arrive within a second cost the frames meanwhile.
final class FrameTimeTests: XCTestCase {
    /// Reports the time that frames take; the machine decides whether it is good.
    func testFrameTimeWhileFiveHundredResultsArrive() throws {
        try MainActor.assumeIsolated {
            for transition in [ImageTransition.none, .crossFade] {
                let meter = try Self.run(transition)
                print("frame time, \(transition == .none ? "without transition" : "cross-fade"): \(meter.summary)")
                // The placeholders take one; a busy machine may draw before all of them are set.
                XCTAssertLessThan(meter.layouts.wall.count, 5, "results cost layouts")
            }
        }
    }

    @MainActor private static func run(_ transition: ImageTransition) throws -> FrameMeter {
        try TestWindow.prepare()
        let grid: Widget = gtk_grid_new()
        let pictures = (0..<500).map { _ in makePicture(24, 24) }
        for (number, picture) in pictures.enumerated() {
            gtk_grid_attach(
                UnsafeMutableRawPointer(grid).assumingMemoryBound(to: GtkGrid.self), picture, gint(number % 25),
                gint(number / 25), 1, 1)
        }
        let window = try TestWindow(width: 600, height: 480, child: grid)
        defer { window.close() }
        window.present()
        let meter = FrameMeter(window)
        defer { meter.stop() }
        let pipeline = ImagePipeline.testing(ColourLoader { .init(delay: .milliseconds($0 * 37 % 1000)) })
        var ends = 0
        let start = monotonicNanoseconds()
        for (number, picture) in pictures.enumerated() {
            picture.setImage(
                with: ColourLoader.url(number), placeholder: .color(TestList.placeholder), transition: transition,
                pipeline: pipeline
            ) { _ in ends += 1 }
        }
        print("500 calls of setImage: \((monotonicNanoseconds() - start) / 1_000_000) ms")
        XCTAssertTrue(spin { ends == 500 })
        spin(seconds: 0.3)
        XCTAssertGreaterThan(meter.frames.wall.count, 10, "no frames were drawn while the results came")
        return meter
    }
}
