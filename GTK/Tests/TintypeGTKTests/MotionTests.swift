import CGTK
import Foundation
import Tintype
import XCTest

@testable import TintypeGTK

/// Animations, transitions, and the main loop.
final class MotionTests: XCTestCase {
    private static let red = PixelColor(red: 240, green: 0, blue: 0)
    private static let blue = PixelColor(red: 0, green: 0, blue: 240)

    /// A GIF of two colours, 50 ms each.
    static func blinking() throws -> Data {
        let frames = try [red, blue].map {
            EncodableFrame(bitmap: try ColourLoader.bitmap($0, size: 16), duration: 0.05)
        }
        let encoder = try XCTUnwrap(ImageCodecs.standard.encoder(for: .gif))
        return try encoder.encode(frames: frames, loopCount: 0, options: EncodeOptions())
    }

    @MainActor private final class Invalidations {
        var contents = 0
        var sizes = 0

        init(_ paintable: OpaquePointer) {
            Signal.connect(UnsafeMutableRawPointer(paintable), "invalidate-contents") { [weak self] in
                self?.contents += 1
            }
            Signal.connect(UnsafeMutableRawPointer(paintable), "invalidate-size") { [weak self] in self?.sizes += 1 }
        }
    }

    func testAnimationsAdvanceOnlyWhileDrawnAndWithoutLayout() throws {
        try MainActor.assumeIsolated {
            try TestWindow.prepare()
            let data = try Self.blinking()
            let pipeline = ImagePipeline.testing(ColourLoader { _ in .init() })
            // A list: GTK draws only those of its rows that are in sight, but all children of a box.
            var watched: [(AsyncImagePaintable, Invalidations)] = []
            let factory = try XCTUnwrap(gtk_signal_list_item_factory_new())
            Signal.connect(UnsafeMutableRawPointer(factory), "bind") { item in
                let picture = makePicture(40, 40)
                gtk_list_item_set_child(OpaquePointer(item), picture)
                let paintable = AsyncImagePaintable(
                    ImageRequest(id: "blinking \(watched.count)") { data }, width: 40, height: 40, pipeline: pipeline)
                paintable.start()
                gtk_picture_set_paintable(picture.opaque, paintable.pointer)
                watched.append((paintable, Invalidations(paintable.pointer)))
            }
            let strings = gtk_string_list_new(nil)
            for _ in 0..<40 { gtk_string_list_append(strings, "") }
            let scrolled: Widget = gtk_scrolled_window_new()
            gtk_scrolled_window_set_child(scrolled.opaque, gtk_list_view_new(gtk_no_selection_new(strings), factory))
            let window = try TestWindow(width: 100, height: 160, child: scrolled)
            defer { window.close() }
            window.present()
            XCTAssertTrue(
                spin { watched.count == 40 && watched.allSatisfy { $0.0.state.isLoaded } }, "\(watched.count) rows")
            XCTAssertTrue(spin { watched[0].1.contents > 8 }, "the first one does not move")
            // Another 30 frames of the visible ones: nothing of the others.
            let before = watched[39].1.contents
            let start = watched[0].1.contents
            XCTAssertTrue(spin { watched[0].1.contents > start + 30 })
            XCTAssertEqual(watched[39].1.contents, before, "moves although it is not drawn")
            XCTAssertEqual(watched.map(\.1.sizes).reduce(0, +), 0, "an animation costs layouts")
            XCTAssertLessThanOrEqual(watched[39].0.player?.image.cost ?? 0, data.count)
            // Scrolled into view, it moves by itself.
            let adjustment = gtk_scrolled_window_get_vadjustment(scrolled.opaque)
            gtk_adjustment_set_value(adjustment, 10_000)
            XCTAssertTrue(spin { watched[39].1.contents > before + 5 }, "does not move again")
            // Those out of sight have stopped: nothing of them is scheduled.
            XCTAssertTrue(spin { PaintableTimer.shared.count < 10 }, "\(PaintableTimer.shared.count) scheduled")
        }
    }

    func testTransitionsMixAndEnd() throws {
        try MainActor.assumeIsolated {
            try TestWindow.prepare()
            _ = LogWatch.take()
            let picture = makePicture()
            let window = try TestWindow(width: 100, height: 100, child: picture)
            defer { window.close() }
            window.present()
            let pipeline = ImagePipeline.testing(ColourLoader { _ in .init() })
            let kinds: [ImageTransition] = [
                .crossFade(duration: 0.4), .slide(from: .left), .slide(from: .right), .slide(from: .top),
                .slide(from: .bottom), .reveal(), .zoom(), .flip(),
            ]
            picture.setImage(with: ColourLoader.url(0), pipeline: pipeline)
            let binding = try XCTUnwrap(picture.imageBinding)
            XCTAssertTrue(spin { binding.state.isLoaded })
            for (number, kind) in kinds.enumerated() {
                picture.setImage(
                    with: ColourLoader.url(number + 1), options: .keepCurrentImage, transition: kind, pipeline: pipeline
                )
                XCTAssertTrue(spin { binding.state.isLoaded && binding.picture.isInTransition }, "\(kind)")
                var isMixed = false
                spin {
                    let colour = window.frame()?[16, 16] ?? .clear
                    if colour != ColourLoader.colour(number), colour != ColourLoader.colour(number + 1) {
                        isMixed = true
                    }
                    return !binding.picture.isInTransition
                }
                if number == 0 { XCTAssertTrue(isMixed, "the images do not fade into one another") }
                spin(seconds: 0.1)
                XCTAssertEqual(window.frame()?[16, 16], ColourLoader.colour(number + 1), "\(kind)")
            }
            XCTAssertEqual(LogWatch.take(), [])
        }
    }

    /// GSK's software renderer mixes in surfaces as large as the clip, which without one of the image's size is the window.
    func testACrossFadeIsClippedToThePicture() throws {
        try MainActor.assumeIsolated {
            try TestWindow.prepare()
            let (picture, reference) = PicturePaintable.make(fixedSize: PixelSize(width: 24, height: 16))
            picture.show(Stage.grey, fit: .fill, scale: 1)
            let image = try ImageCodecs.standard.decode(ColourLoader.picture(Self.red, size: 24))
            picture.show(image, scale: 1, fit: .cover, transition: .crossFade(duration: 10))
            _ = picture.tick(monotonicNanoseconds() + 1_000_000_000)
            let snapshot = gtk_snapshot_new()
            withExtendedLifetime(reference) { gdk_paintable_snapshot(reference.opaque, snapshot, 24, 16) }
            let node = try XCTUnwrap(gtk_snapshot_free_to_node(snapshot))
            defer { gsk_render_node_unref(node) }
            XCTAssertEqual(gsk_render_node_get_node_type(node), GSK_CLIP_NODE)
            guard gsk_render_node_get_node_type(node) == GSK_CLIP_NODE else { return }
            let clip = gsk_clip_node_get_clip(node).pointee
            XCTAssertEqual([clip.origin.x, clip.origin.y, clip.size.width, clip.size.height], [0, 0, 24, 16])
            XCTAssertEqual(gsk_render_node_get_node_type(gsk_clip_node_get_child(node)), GSK_CROSS_FADE_NODE)
        }
    }

    func testABurstOfResultsLetsTheLoopDraw() throws {
        try MainActor.assumeIsolated {
            try TestWindow.prepare()
            let queue = DeliveryQueue(budget: .milliseconds(4))
            var done = 0
            var longest = 0
            // 60 jobs of 1 ms: never more than the budget and one job in one turn of the loop.
            for _ in 0..<60 {
                queue.submit {
                    let end = monotonicNanoseconds() + 1_000_000
                    while monotonicNanoseconds() < end {}
                    done += 1
                }
            }
            spin {
                let before = done
                g_main_context_iteration(nil, 0)
                longest = max(longest, done - before)
                return done == 60
            }
            XCTAssertEqual(done, 60)
            XCTAssertLessThanOrEqual(longest, 5)
        }
    }

    func testTheMainActorIsServed() throws {
        try MainActor.assumeIsolated {
            try TestWindow.prepare()
            var steps: [String] = []
            Task {
                try await Task.sleep(for: .milliseconds(10))
                XCTAssertTrue(isMainThread())
                steps.append("task")
            }
            DispatchQueue.main.async { steps.append("queue") }
            XCTAssertTrue(spin { steps.sorted() == ["queue", "task"] })
        }
    }
}
