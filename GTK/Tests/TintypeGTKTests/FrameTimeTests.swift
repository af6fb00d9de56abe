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
                let name = transition == .none ? "without transition" : "cross-fade"
                print("frame time, \(name): \(meter.frames.summary)")
                print("of which layout, \(name): \(meter.layouts.summary)")
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
        for (number, picture) in pictures.enumerated() {
            picture.setImage(
                with: ColourLoader.url(number), placeholder: .color(TestList.placeholder), transition: transition,
                pipeline: pipeline
            ) { _ in ends += 1 }
        }
        XCTAssertTrue(spin { ends == 500 })
        spin(seconds: 0.3)
        XCTAssertGreaterThan(meter.frames.wall.count, 10, "no frames were drawn while the results came")
        return meter
    }
}
