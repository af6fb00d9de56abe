import CGTK
import Foundation
import Tintype
import XCTest

@testable import TintypeGTK

/// What reports about other libraries say goes wrong on views.
final class ScenarioTests: XCTestCase {
    func testS55SameRequestAgain() throws {
        try MainActor.assumeIsolated {
            let stage = try Stage { _ in .init(delay: .milliseconds(500)) }
            defer { stage.window.close() }
            stage.set(ColourLoader.url(1), "1")
            spin(seconds: 0.05)
            for count in 2...6 { stage.set(ColourLoader.url(1), "\(count)") }
            XCTAssertTrue(spin { stage.results.count == 6 })
            XCTAssertEqual(stage.results, (1...6).map { "\($0) network" })
            XCTAssertEqual(stage.loader.starts(1), 1)
            XCTAssertEqual(stage.shown, [.placeholder, .picture], "one placeholder, one image")
            // Once more, when it is there.
            stage.set(ColourLoader.url(1), "again")
            XCTAssertEqual(stage.shown, [.placeholder, .picture])
            XCTAssertEqual(stage.loader.starts(1), 1)
            XCTAssertEqual(stage.colour, ColourLoader.colour(1))
        }
    }

    func testS55ChangedProcessorSharesTheDownload() throws {
        try MainActor.assumeIsolated {
            let stage = try Stage { _ in .init(delay: .milliseconds(400)) }
            defer { stage.window.close() }
            stage.set(ColourLoader.url(2), "plain")
            spin(seconds: 0.05)
            var round = ColourLoader.url(2)
            round.processors = [.grayscale()]
            stage.set(round, "grey")
            XCTAssertTrue(stage.has("plain superseded", "grey network"), "\(stage.results)")
            XCTAssertEqual(stage.loader.starts(2), 1, "the download was thrown away")
            let colour = stage.colour
            XCTAssertEqual(colour.red, colour.blue)
        }
    }

    func testS57LateAnswersNeverTouchTheView() throws {
        try MainActor.assumeIsolated {
            let stage = try Stage { number in
                .init(delay: .milliseconds(number % 2 == 1 ? 300 : 50), status: number == 7 ? 404 : 200)
            }
            defer { stage.window.close() }
            // A slow, B quick.
            stage.set(ColourLoader.url(1), "A")
            stage.set(ColourLoader.url(2), "B")
            XCTAssertTrue(stage.has("A superseded", "B network"), "\(stage.results)")
            spin(seconds: 0.4)
            XCTAssertEqual(stage.colour, ColourLoader.colour(2))
            // A, then nothing.
            stage.forget()
            stage.set(ColourLoader.url(3), "A")
            stage.set(nil, "nil")
            spin(seconds: 0.4)
            XCTAssertEqual(Set(stage.results), ["nil invalidURL", "A superseded"])
            XCTAssertEqual(stage.colour, TestList.placeholder)
            XCTAssertFalse(stage.shown.contains(.picture))
            // A fails late, B is there by then.
            stage.forget()
            stage.set(ColourLoader.url(7), "A")
            stage.set(ColourLoader.url(8), "B")
            spin(seconds: 0.5)
            XCTAssertEqual(stage.results, ["A superseded", "B network"])
            XCTAssertEqual(stage.colour, ColourLoader.colour(8))
        }
    }

    func testS57LocalPictureStays() throws {
        try MainActor.assumeIsolated {
            let stage = try Stage { _ in .init(delay: .milliseconds(200)) }
            defer { stage.window.close() }
            stage.set(ColourLoader.url(1), "A")
            let local = PixelColor(red: 10, green: 200, blue: 30)
            let texture = try ColourLoader.bitmap(local, size: 32).makeTexture()
            withExtendedLifetime(texture) { gtk_picture_set_paintable(stage.widget.opaque, texture.opaque) }
            spin(seconds: 0.4)
            XCTAssertEqual(stage.results, ["A superseded"])
            XCTAssertEqual(stage.colour, local)
            // And the binding serves the next call.
            stage.set(ColourLoader.url(2), "B")
            XCTAssertTrue(spin { stage.results.count == 2 })
            XCTAssertEqual(stage.colour, ColourLoader.colour(2))
        }
    }

    func testS57TenViewsOverTwoHundredPictures() throws {
        try MainActor.assumeIsolated {
            try TestWindow.prepare()
            let loader = ColourLoader { .init(delay: .milliseconds($0 * 7919 % 120)) }
            let pipeline = ImagePipeline.testing(loader)
            let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)!
            let pictures = (0..<10).map { _ in makePicture(20, 20) }
            for picture in pictures {
                gtk_box_append(UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self), picture)
            }
            let window = try TestWindow(width: 100, height: 220, child: box)
            defer { window.close() }
            window.present()
            var wanted = [Int](repeating: -1, count: 10)
            var calls = 0
            for number in 0..<200 {
                let view = number * 3 % 10
                wanted[view] = number
                pictures[view].setImage(with: ColourLoader.url(number), placeholder: Stage.grey, pipeline: pipeline) {
                    _ in
                    calls += 1
                }
                spin(seconds: 0.005)
                guard let frame = window.frame() else { continue }
                for (view, picture) in pictures.enumerated() where wanted[view] >= 0 {
                    guard let (x, y) = picture.middle(in: window.window) else { continue }
                    let seen = frame[x, y]
                    if seen.blue == 250, seen != ColourLoader.colour(wanted[view]), view != number * 3 % 10 {
                        XCTFail("view \(view) shows \(seen), wanted \(wanted[view])")
                    }
                }
            }
            XCTAssertTrue(spin { calls == 200 }, "completions: \(calls)")
            spin(seconds: 0.1)
            let frame = try XCTUnwrap(window.frame())
            for (view, picture) in pictures.enumerated() {
                let (x, y) = try XCTUnwrap(picture.middle(in: window.window))
                XCTAssertEqual(frame[x, y], ColourLoader.colour(wanted[view]))
            }
        }
    }

    func testS59MemoryHitIsSetAtOnce() throws {
        try MainActor.assumeIsolated {
            let stage = try Stage { _ in .init(delay: .milliseconds(50)) }
            defer { stage.window.close() }
            stage.set(ColourLoader.url(1), "first")
            XCTAssertTrue(stage.has("first network"))
            stage.set(ColourLoader.url(2), "other")
            XCTAssertTrue(spin { stage.results.count == 2 })
            stage.forget()
            // Synchronously, without placeholder, without transition.
            let binding = stage.set(ColourLoader.url(1), "hit", transition: .crossFade)
            XCTAssertEqual(stage.results, ["hit memory"])
            XCTAssertEqual(stage.shown, [.picture])
            XCTAssertFalse(binding.picture.isInTransition)
            XCTAssertEqual(stage.colour, ColourLoader.colour(1))
            // The same image on a new view, as a declarative toolkit makes it.
            let fresh = makePicture()
            var shown: [PicturePaintable.Content] = []
            ImageBinding.of(PictureDisplay(fresh)).picture.onChange = { shown.append($0) }
            fresh.setImage(with: ColourLoader.url(1), placeholder: Stage.grey, pipeline: stage.pipeline)
            XCTAssertEqual(shown, [.picture])
            g_object_ref_sink(UnsafeMutableRawPointer(fresh))
            g_object_unref(UnsafeMutableRawPointer(fresh))
            // Forced.
            stage.set(ColourLoader.url(2), "forced", options: .forceTransition, transition: .crossFade(duration: 0.1))
            XCTAssertTrue(binding.picture.isInTransition)
            XCTAssertTrue(spin { !binding.picture.isInTransition })
            XCTAssertEqual(stage.colour, ColourLoader.colour(2))
        }
    }

    func testS59KeepsTheCurrentPicture() throws {
        try MainActor.assumeIsolated {
            let stage = try Stage { _ in .init(delay: .milliseconds(150)) }
            defer { stage.window.close() }
            stage.set(ColourLoader.url(1), "1")
            XCTAssertTrue(stage.has("1 network"))
            for (number, placeholder) in [(2, Stage.grey), (3, nil)] {
                stage.forget()
                stage.set(ColourLoader.url(number), "new", placeholder: placeholder, options: .keepCurrentImage)
                XCTAssertEqual(stage.colour, ColourLoader.colour(number - 1), "the old image stays")
                XCTAssertTrue(stage.has("new network"), "\(stage.results)")
                XCTAssertEqual(stage.shown, [.picture])
                XCTAssertEqual(stage.colour, ColourLoader.colour(number))
            }
            // Nothing to keep: the placeholder.
            let other = makePicture()
            var shown: [PicturePaintable.Content] = []
            ImageBinding.of(PictureDisplay(other)).picture.onChange = { shown.append($0) }
            other.setImage(
                with: ColourLoader.url(9), placeholder: Stage.grey, options: .keepCurrentImage, pipeline: stage.pipeline
            )
            XCTAssertEqual(shown, [.placeholder])
            g_object_ref_sink(UnsafeMutableRawPointer(other))
            g_object_unref(UnsafeMutableRawPointer(other))
        }
    }

    func testS59DiskHitShowsThePlaceholderAndFades() throws {
        try MainActor.assumeIsolated {
            let root = FileManager.default.temporaryDirectory.appending(path: "tintype-gtk-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: root) }
            let disk = try DiskCache(DiskCache.Configuration(root: root))
            let stage = try Stage(disk: disk) { _ in .init(delay: .milliseconds(10)) }
            defer { stage.window.close() }
            var isStored = false
            stage.set(ColourLoader.url(1), "1")
            XCTAssertTrue(stage.has("1 network"))
            stage.set(ColourLoader.url(2), "2")
            XCTAssertTrue(spin { stage.results.count == 2 })
            Task {
                await stage.pipeline.cache.waitForStores()
                isStored = true
            }
            XCTAssertTrue(spin { isStored })
            stage.pipeline.cache.memory?.removeAll()
            stage.forget()
            stage.set(ColourLoader.url(1), "again", transition: .crossFade(duration: 0.1))
            XCTAssertTrue(stage.has("again disk"), "\(stage.results)")
            XCTAssertEqual(stage.shown, [.placeholder, .picture])
            XCTAssertTrue(ImageBinding.of(PictureDisplay(stage.widget)).picture.isInTransition)
            XCTAssertEqual(stage.loader.starts(1), 1)
        }
    }
}
