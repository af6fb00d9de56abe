import CGTK
import Foundation
import Tintype
import XCTest

@testable import TintypeGTK

/// What arrives in a widget whose size was asked for costs no layout.
final class LayoutTests: XCTestCase {
    /// Measurements and allocations from just after `setImage` until the image is drawn.
    @MainActor private static func layouts(
        _ picture: Widget, _ request: ImageRequest = ColourLoader.url(1), transition: ImageTransition = .none,
        seconds: Double = 0.2
    ) throws -> (measures: Int, allocations: Int) {
        let box = MeasuringBox.make(picture)
        let window = try TestWindow(width: 200, height: 200, child: box)
        defer {
            gtk_widget_unparent(picture)
            window.close()
        }
        window.present()
        let loader = ColourLoader { _ in .init(delay: .milliseconds(200), size: 64) }
        picture.setImage(
            with: request, placeholder: Stage.grey, transition: transition, pipeline: .testing(loader))
        // The placeholder is laid out: the widget showed nothing before.
        spin(seconds: 0.1)
        MeasuringBox.forget()
        let binding = try XCTUnwrap(picture.imageBinding)
        XCTAssertTrue(spin { binding.state.isLoaded })
        spin(seconds: seconds)
        return (MeasuringBox.measureCount, MeasuringBox.allocationCount)
    }

    func testAPictureInARequestedSizeCostsNoLayout() throws {
        try MainActor.assumeIsolated {
            try TestWindow.prepare()
            for transition in [ImageTransition.none, .crossFade(duration: 0.1)] {
                let layouts = try Self.layouts(makePicture(40, 24), transition: transition)
                XCTAssertEqual(layouts.measures, 0)
                XCTAssertEqual(layouts.allocations, 0)
            }
            let icon: Widget = gtk_image_new()
            gtk_image_set_pixel_size(icon.opaque, 32)
            let layouts = try Self.layouts(icon)
            XCTAssertEqual(layouts.measures, 0, "icon")
            XCTAssertEqual(layouts.allocations, 0, "icon")
            let buttonLayouts = try Self.layouts(gtk_button_new())
            XCTAssertEqual(buttonLayouts.measures, 0, "button")
            XCTAssertEqual(buttonLayouts.allocations, 0, "button")
        }
    }

    func testAnAnimationInARequestedSizeCostsNoLayout() throws {
        try MainActor.assumeIsolated {
            try TestWindow.prepare()
            let data = try MotionTests.blinking()
            let layouts = try Self.layouts(
                makePicture(40, 24), ImageRequest(id: "blinking layout") { data }, seconds: 0.5)
            XCTAssertEqual(layouts.measures, 0)
            XCTAssertEqual(layouts.allocations, 0)
        }
    }

    /// The count can be other than none: a widget without a requested size follows its image.
    func testAPictureOfItsOwnSizeIsLaidOut() throws {
        try MainActor.assumeIsolated {
            try TestWindow.prepare()
            let free: Widget = gtk_picture_new()
            gtk_widget_set_valign(free, GTK_ALIGN_START)
            let layouts = try Self.layouts(free)
            XCTAssertGreaterThan(layouts.measures, 0)
            XCTAssertGreaterThan(layouts.allocations, 0)
        }
    }

    func testTheWidgetKeepsTheRequestedSizeAndFollowsAnother() throws {
        try MainActor.assumeIsolated {
            let stage = try Stage(makePicture(40, 24)) { _ in .init(size: 400) }
            defer { stage.window.close() }
            let size = {
                spin(seconds: 0.1)
                return PixelSize(
                    width: Int(gtk_widget_get_width(stage.widget)), height: Int(gtk_widget_get_height(stage.widget)))
            }
            stage.set(ColourLoader.url(1))
            XCTAssertEqual(size(), PixelSize(width: 40, height: 24))
            XCTAssertNotNil(stage.loadedSize)
            XCTAssertEqual(size(), PixelSize(width: 40, height: 24))
            gtk_widget_set_size_request(stage.widget, 80, 60)
            XCTAssertEqual(size(), PixelSize(width: 80, height: 60))
            gtk_widget_set_size_request(stage.widget, 20, 10)
            XCTAssertEqual(size(), PixelSize(width: 20, height: 10), "it shrinks as well")
            // The image's own size counts where it was asked for.
            var presentation = ImagePresentation()
            presentation.sizing = .original
            stage.set(ColourLoader.url(2), presentation: presentation)
            XCTAssertEqual(stage.loadedSize, PixelSize(width: 400, height: 400))
            XCTAssertGreaterThan(size().width, 20)
        }
    }
}
