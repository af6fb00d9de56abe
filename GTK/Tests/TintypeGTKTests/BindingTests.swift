import CGTK
import Foundation
import Tintype
import XCTest

@testable import TintypeGTK

/// Size, life cycle, failures, main thread.
final class BindingTests: XCTestCase {
    private static let grey = Placeholder.color(TestList.placeholder)

    func testDecodesToTheWidgetsSize() throws {
        try MainActor.assumeIsolated {
            try TestWindow.prepare()
            let picture = makePicture(40, 24)
            let window = try TestWindow(width: 200, height: 200, child: picture)
            defer { window.close() }
            window.present()
            let pipeline = ImagePipeline.testing(ColourLoader { _ in .init(size: 400) })
            var presentation = ImagePresentation()
            presentation.contentFit = .cover
            var size: PixelSize?
            picture.setImage(with: ColourLoader.url(1), presentation: presentation, pipeline: pipeline) { result in
                if case .success(let response) = result { size = response.image.bitmap.size }
            }
            XCTAssertTrue(spin { size != nil })
            let scale = Int(gtk_widget_get_scale_factor(picture))
            XCTAssertEqual(size, PixelSize(width: 40 * scale, height: 24 * scale))
            // Grown: decoded anew, from what is in the caches, and nobody is told.
            gtk_widget_set_size_request(picture, 160, 120)
            let binding = try XCTUnwrap(picture.imageBinding)
            XCTAssertTrue(
                spin {
                    guard case .loaded(let response) = binding.state else { return false }
                    return response.image.bitmap.size == PixelSize(width: 160 * scale, height: 120 * scale)
                })
        }
    }

    func testWaitsForTheFirstLayoutWithoutSizeRequest() throws {
        try MainActor.assumeIsolated {
            try TestWindow.prepare()
            let picture: Widget = gtk_picture_new()
            let window = try TestWindow(width: 120, height: 90, child: picture)
            defer { window.close() }
            let loader = ColourLoader { _ in .init(size: 400) }
            let pipeline = ImagePipeline.testing(loader)
            picture.setImage(with: ColourLoader.url(1), pipeline: pipeline)
            spin(seconds: 0.1)
            XCTAssertEqual(loader.startCount, 0)
            window.present()
            let binding = try XCTUnwrap(picture.imageBinding)
            XCTAssertTrue(spin { binding.state.isLoaded })
            guard case .loaded(let response) = binding.state else { return }
            XCTAssertEqual(response.image.bitmap.height, 90 * Int(gtk_widget_get_scale_factor(picture)))
        }
    }

    func testUnmappingStopsAndMappingBeginsAgain() throws {
        try MainActor.assumeIsolated {
            try TestWindow.prepare()
            let picture = makePicture()
            let window = try TestWindow(width: 100, height: 100, child: picture)
            defer { window.close() }
            window.present()
            let loader = ColourLoader { _ in .init(delay: .milliseconds(300)) }
            let pipeline = ImagePipeline.testing(loader)
            var results: [Bool] = []
            let binding = picture.setImage(with: ColourLoader.url(1), placeholder: Self.grey, pipeline: pipeline) {
                if case .success = $0 { results.append(true) } else { results.append(false) }
            }
            XCTAssertTrue(spin { loader.startCount == 1 })
            gtk_widget_set_visible(picture, 0)
            XCTAssertFalse(binding.state.isLoading)
            spin(seconds: 0.5)
            XCTAssertEqual(loader.endCount, 0, "the load went on for nobody")
            XCTAssertTrue(results.isEmpty)
            gtk_widget_set_visible(picture, 1)
            XCTAssertTrue(spin { results == [true] })
            XCTAssertEqual(loader.starts(1), 2)
        }
    }

    func testFailureImageAndRetryByClick() throws {
        try MainActor.assumeIsolated {
            try TestWindow.prepare()
            let button: Widget = gtk_button_new()
            let window = try TestWindow(width: 100, height: 100, child: button)
            defer { window.close() }
            window.present()
            let tries = Tries()
            let loader = ColourLoader { _ in .init(status: tries.next() == 1 ? 404 : 200) }
            var presentation = ImagePresentation()
            let red = PixelColor(red: 200, green: 10, blue: 10)
            presentation.failureImage = .color(red)
            presentation.retriesOnTap = true
            var results: [String] = []
            let binding = button.setImage(
                with: ColourLoader.url(3), placeholder: Self.grey, options: .delayPlaceholder,
                presentation: presentation, pipeline: .testing(loader)
            ) { result in
                if case .failure(let error) = result {
                    results.append(PipelineError.code(of: error))
                } else {
                    results.append("ok")
                }
            }
            XCTAssertEqual(binding.picture.content, .nothing, "the placeholder was to come after the failure only")
            XCTAssertTrue(spin { results == ["badStatus"] })
            XCTAssertEqual(binding.picture.content, .placeholder)
            gtk_widget_activate(button)
            XCTAssertTrue(spin { results == ["badStatus", "ok"] }, "\(results)")
            XCTAssertEqual(binding.picture.content, .picture)
        }
    }

    private final class Tries: @unchecked Sendable {
        // Guarded by the lock.
        private let lock = NSLock()
        private var count = 0
        func next() -> Int {
            lock.lock()
            defer { lock.unlock() }
            count += 1
            return count
        }
    }

    func testAvoidAutoSetImageLeavesItToTheCompletion() throws {
        try MainActor.assumeIsolated {
            try TestWindow.prepare()
            let image: Widget = gtk_image_new()
            gtk_image_set_pixel_size(image.opaque, 24)
            let window = try TestWindow(width: 100, height: 100, child: image)
            defer { window.close() }
            window.present()
            var size: PixelSize?
            let binding = image.setImage(
                with: ColourLoader.url(4), options: .avoidAutoSetImage,
                pipeline: .testing(ColourLoader { _ in .init(size: 200) })
            ) { result in
                if case .success(let response) = result { size = response.image.bitmap.size }
            }
            XCTAssertTrue(spin { size != nil })
            let side = 24 * Int(gtk_widget_get_scale_factor(image))
            XCTAssertEqual(size, PixelSize(width: side, height: side))
            XCTAssertEqual(binding.picture.content, .nothing)
            XCTAssertNil(gtk_image_get_paintable(image.opaque))
        }
    }

    func testEveryCallbackIsOnTheMainThreadAndProgressGrows() throws {
        try MainActor.assumeIsolated {
            try TestWindow.prepare()
            let picture = makePicture()
            let window = try TestWindow(width: 100, height: 100, child: picture)
            defer { window.close() }
            window.present()
            let pipeline = ImagePipeline.testing(ColourLoader { _ in .init(delay: .milliseconds(100)) })
            var fractions: [Double] = []
            var ends = 0
            for number in 0..<20 {
                picture.setImage(
                    with: ColourLoader.url(number), pipeline: pipeline,
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
                            with: ColourLoader.url(round * 10 + number), placeholder: Self.grey, transition: .crossFade,
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
