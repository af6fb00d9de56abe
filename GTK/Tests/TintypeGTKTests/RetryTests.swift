import CGTK
import Synchronization
import Tintype
import XCTest

@testable import TintypeGTK

/// Failures, and a click that tries again.
final class RetryTests: XCTestCase {
    private static let red = PixelColor(red: 200, green: 10, blue: 10)

    /// Fails the first time.
    @MainActor private static func stage(_ widget: @autoclosure () -> Widget) throws -> Stage {
        let tries = Mutex(0)
        return try Stage(widget()) { _ in
            .init(
                status: tries.withLock { count in
                    count += 1
                    return count == 1 ? 404 : 200
                })
        }
    }

    private static var presentation: ImagePresentation {
        var presentation = ImagePresentation()
        presentation.failureImage = .color(red)
        presentation.retriesOnTap = true
        return presentation
    }

    func testFailureImageAndRetryByClickOnAButton() throws {
        try MainActor.assumeIsolated {
            let stage = try Self.stage(gtk_button_new())
            defer { stage.window.close() }
            let binding = stage.set(
                ColourLoader.url(3), "3", options: .delayPlaceholder, presentation: Self.presentation)
            XCTAssertEqual(binding.picture.content, .nothing, "the placeholder was to come after the failure only")
            XCTAssertTrue(stage.has("3 badStatus"))
            XCTAssertEqual(binding.picture.content, .placeholder)
            gtk_widget_activate(stage.widget)
            XCTAssertTrue(stage.has("3 badStatus", "3 network"), "\(stage.results)")
            XCTAssertEqual(binding.picture.content, .picture)
        }
    }

    func testRetryByClickOnAPicture() throws {
        try MainActor.assumeIsolated {
            let stage = try Self.stage(makePicture())
            defer { stage.window.close() }
            stage.set(ColourLoader.url(3), "3", presentation: Self.presentation)
            XCTAssertTrue(Click.gestures(of: stage.widget).isEmpty, "there is nothing to be tried again yet")
            XCTAssertTrue(stage.has("3 badStatus"))
            XCTAssertEqual(stage.colour, Self.red)
            XCTAssertEqual(Click.gestures(of: stage.widget).count, 1)
            try Click.perform(on: stage.widget)
            XCTAssertTrue(stage.has("3 badStatus", "3 network"), "\(stage.results)")
            XCTAssertEqual(stage.colour, ColourLoader.colour(3))
            // A click on the image that is there loads nothing.
            try Click.perform(on: stage.widget)
            spin(seconds: 0.2)
            XCTAssertEqual(stage.results.count, 2)
            XCTAssertEqual(stage.loader.starts(3), 2)
        }
    }

    func testWithoutTheOptionThereIsNoClick() throws {
        try MainActor.assumeIsolated {
            let stage = try Self.stage(makePicture())
            defer { stage.window.close() }
            stage.set(ColourLoader.url(3), "3")
            XCTAssertTrue(stage.has("3 badStatus"))
            XCTAssertTrue(Click.gestures(of: stage.widget).isEmpty)
            XCTAssertEqual(stage.colour, TestList.placeholder, "the placeholder stays")
        }
    }
}
