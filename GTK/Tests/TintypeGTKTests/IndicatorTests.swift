import CGTK
import Foundation
import Tintype
import XCTest

@testable import TintypeGTK

/// Turning dots and progress bars, as they are painted on a widget of 100 by 100.
final class IndicatorTests: XCTestCase {
    private static let white = PixelColor(red: 255, green: 255, blue: 255)

    @MainActor private static func stage(_ indicator: ImageIndicator, delay: Duration) throws -> Stage {
        let stage = try Stage(makePicture(100, 100)) { _ in .init(delay: delay) }
        var presentation = ImagePresentation()
        presentation.indicator = indicator
        stage.set(ColourLoader.url(1), placeholder: .color(white), presentation: presentation)
        return stage
    }

    /// How dark the middles of the eight dots are, from the top on clockwise.
    @MainActor private static func dots(_ stage: Stage) throws -> [Int] {
        let frame = try stage.window.nextFrame()
        return (0..<8).map { number in
            let angle = Double(number) * .pi / 4
            return 255 - Int(frame[Int(50 + sin(angle) * 16), Int(50 - cos(angle) * 16)].red)
        }
    }

    func testActivityTurnsUntilThePictureIsThere() throws {
        try MainActor.assumeIsolated {
            let stage = try Self.stage(.activity, delay: .milliseconds(1_500))
            defer { stage.window.close() }
            spin(seconds: 0.2)
            let first = try Self.dots(stage)
            XCTAssertTrue(first.allSatisfy { $0 > 5 }, "a dot is missing: \(first)")
            XCTAssertGreaterThan(try XCTUnwrap(first.max()), 80, "the newest dot is dark: \(first)")
            XCTAssertLessThan(try XCTUnwrap(first.min()), 50, "the oldest dot has faded: \(first)")
            let frame = try stage.window.nextFrame()
            for place in [(50, 50), (5, 5), (95, 50), (50, 95)] {
                XCTAssertEqual(frame[place.0, place.1], Self.white, "only the dots are over the placeholder")
            }
            // The dark place goes round.
            var darkest: Set<Int> = []
            spin(timeout: 1.1) {
                guard let dots = try? Self.dots(stage) else { return true }
                darkest.insert(dots.indices.max { dots[$0] < dots[$1] } ?? 0)
                return darkest.count == 8
            }
            XCTAssertGreaterThan(darkest.count, 4, "it does not turn: \(darkest)")
            XCTAssertNotNil(stage.loadedSize)
            spin(seconds: 0.1)
            let colour = ColourLoader.colour(1)
            XCTAssertEqual(Set(try Self.dots(stage)), [255 - Int(colour.red)], "dots over the image")
            XCTAssertTrue(spin { PaintableTimer.shared.count == 0 }, "something still turns")
        }
    }

    func testProgressShowsThePartThatHasArrived() throws {
        try MainActor.assumeIsolated {
            let stage = try Self.stage(.progress, delay: .milliseconds(1_200))
            defer { stage.window.close() }
            // The size is not known at first: dots.
            spin(seconds: 0.2)
            XCTAssertTrue(try Self.dots(stage).allSatisfy { $0 > 5 })
            // The loader tells half of the size in the middle of its time.
            let binding = try stage.binding
            XCTAssertTrue(spin { binding.progress != nil })
            spin(seconds: 0.1)
            let frame = try stage.window.nextFrame()
            // A bar of 4 pixels from 8 to 92, half of it done.
            let (done, rest) = (frame[20, 90], frame[80, 90])
            XCTAssertTrue(done.isNear(PixelColor(red: 54, green: 133, blue: 227)), "\(done)")
            XCTAssertTrue(rest.red < 230 && rest.red > 180 && abs(Int(rest.red) - Int(rest.blue)) < 12, "\(rest)")
            XCTAssertEqual(frame[48, 90], done, "up to the middle")
            XCTAssertEqual(frame[52, 90], rest, "not past the middle")
            for place in [(4, 90), (96, 90), (50, 84), (50, 97), (50, 50), (50, 34)] {
                XCTAssertEqual(frame[place.0, place.1], Self.white, "\(place)")
            }
            XCTAssertNotNil(stage.loadedSize)
            spin(seconds: 0.1)
            XCTAssertEqual(try stage.window.nextFrame()[20, 90], ColourLoader.colour(1))
        }
    }
}
