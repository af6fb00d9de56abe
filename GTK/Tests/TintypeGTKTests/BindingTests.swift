import CGTK
import Foundation
import Tintype
import XCTest

@testable import TintypeGTK

/// Size, life cycle, main thread.
final class BindingTests: XCTestCase {
    func testDecodesToTheWidgetsSize() throws {
        try MainActor.assumeIsolated {
            let stage = try Stage(makePicture(40, 24), width: 200, height: 200) { _ in .init(size: 400) }
            defer { stage.window.close() }
            var presentation = ImagePresentation()
            presentation.contentFit = .cover
            stage.set(ColourLoader.url(1), presentation: presentation)
            let scale = stage.scale
            XCTAssertEqual(stage.loadedSize, PixelSize(width: 40 * scale, height: 24 * scale))
            // The widget has grown: the image is decoded again from the caches, without a callback.
            gtk_widget_set_size_request(stage.widget, 160, 120)
            XCTAssertTrue(
                spin { stage.loadedSize == PixelSize(width: 160 * scale, height: 120 * scale) })
            XCTAssertEqual(stage.results.count, 1)
        }
    }

    func testWaitsForTheFirstLayoutWithoutSizeRequest() throws {
        try MainActor.assumeIsolated {
            let stage = try Stage(gtk_picture_new(), width: 120, height: 90, isPresented: false) { _ in .init(size: 400)
            }
            defer { stage.window.close() }
            stage.set(ColourLoader.url(1), placeholder: nil)
            spin(seconds: 0.1)
            XCTAssertEqual(stage.loader.startCount, 0)
            stage.window.present()
            XCTAssertEqual(stage.loadedSize?.height, 90 * stage.scale)
        }
    }

    func testUnmappingStopsAndMappingBeginsAgain() throws {
        try MainActor.assumeIsolated {
            let stage = try Stage { _ in .init(delay: .milliseconds(300)) }
            defer { stage.window.close() }
            let binding = stage.set(ColourLoader.url(1), "1")
            XCTAssertTrue(spin { stage.loader.startCount == 1 })
            gtk_widget_set_visible(stage.widget, 0)
            XCTAssertFalse(binding.state.isLoading)
            spin(seconds: 0.5)
            XCTAssertEqual(stage.loader.endCount, 0, "the load continued without a waiter")
            XCTAssertTrue(stage.results.isEmpty)
            gtk_widget_set_visible(stage.widget, 1)
            XCTAssertTrue(stage.has("1 network"))
            XCTAssertEqual(stage.loader.starts(1), 2)
        }
    }

    func testAvoidAutoSetImageLeavesItToTheCompletion() throws {
        try MainActor.assumeIsolated {
            let stage = try Stage(gtk_image_new()) { _ in .init(size: 200) }
            defer { stage.window.close() }
            gtk_image_set_pixel_size(stage.widget.opaque, 24)
            let binding = stage.set(ColourLoader.url(4), "4", placeholder: nil, options: .avoidAutoSetImage)
            XCTAssertTrue(stage.has("4 network"))
            XCTAssertEqual(stage.loadedSize, PixelSize(width: 24 * stage.scale, height: 24 * stage.scale))
            XCTAssertEqual(binding.picture.content, .nothing)
            XCTAssertNil(gtk_image_get_paintable(stage.widget.opaque))
        }
    }

    func testEveryCallbackIsOnTheMainThreadAndProgressGrows() throws {
        try MainActor.assumeIsolated {
            let stage = try Stage { _ in .init(delay: .milliseconds(100)) }
            defer { stage.window.close() }
            var fractions: [Double] = []
            var ends = 0
            for number in 0..<20 {
                stage.widget.setImage(
                    with: ColourLoader.url(number), pipeline: stage.pipeline,
                    progress: { progress in
                        XCTAssertTrue(isMainThread())
                        fractions.append(progress.fraction ?? -1)
                    },
                    completion: { _ in
                        XCTAssertTrue(isMainThread())
                        ends += 1
                    })
                if number == 19 { fractions = [] }
                spin(seconds: 0.01)
            }
            XCTAssertTrue(spin { ends == 20 })
            XCTAssertFalse(fractions.isEmpty)
            XCTAssertEqual(fractions, fractions.sorted())
        }
    }

    func testDestroyingWindowsMidLoadLeavesNoWarning() throws {
        try MainActor.assumeIsolated {
            try TestWindow.prepare()
            _ = LogWatch.take()
            let loader = ColourLoader { .init(delay: .milliseconds($0 * 31 % 150)) }
            let pipeline = ImagePipeline.testing(loader)
            var ends = 0
            weak var last: ImageBinding?
            for round in 0..<12 {
                let box: Widget = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
                let boxPointer = UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self)
                let window = try TestWindow(width: 100, height: 300, child: box)
                for number in 0..<10 {
                    let picture = makePicture(20, 20)
                    gtk_box_append(boxPointer, picture)
                    if number % 2 == 0 {
                        last = picture.setImage(
                            with: ColourLoader.url(round * 10 + number), placeholder: Stage.grey,
                            transition: .crossFade,
                            pipeline: pipeline
                        ) { _ in ends += 1 }
                    } else {
                        let paintable = AsyncImagePaintable(
                            ColourLoader.url(round * 10 + number), width: 20, height: 20, indicator: .activity,
                            pipeline: pipeline)
                        gtk_picture_set_paintable(picture.opaque, paintable.pointer)
                    }
                }
                window.present()
                spin(seconds: Double(round) * 0.012)
                window.close()
            }
            XCTAssertTrue(spin { ends == 60 }, "\(ends) of 60 completions")
            XCTAssertTrue(spin { !pipeline.isRunning })
            spin(seconds: 0.3)
            XCTAssertNil(last, "the binding outlives its widget")
            XCTAssertEqual(LogWatch.take(), [])
        }
    }

    func testTheLogWatchHears() throws {
        try MainActor.assumeIsolated {
            try TestWindow.prepare()
            _ = LogWatch.take()
            gtk_widget_set_visible(nil, 1)
            XCTAssertEqual(LogWatch.take().count, 1)
        }
    }
}
