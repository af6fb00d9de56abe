import CGTK
import Foundation
import Tintype
import XCTest

@testable import TintypeGTK

/// Animations, transitions, and the time of frames.
final class MotionTests: XCTestCase {
    private static let red = PixelColor(red: 240, green: 0, blue: 0)
    private static let blue = PixelColor(red: 0, green: 0, blue: 240)

    /// A GIF of two colours, 50 ms each.
    private static func blinking() throws -> Data {
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
                if number == 0 { XCTAssertTrue(isMixed, "the pictures do not fade into one another") }
                spin(seconds: 0.1)
                XCTAssertEqual(window.frame()?[16, 16], ColourLoader.colour(number + 1), "\(kind)")
            }
            XCTAssertEqual(LogWatch.take(), [])
        }
    }

    /// Reports the time that frames take while 500 results arrive; the machine decides whether it is good.
    func testFrameTimeWhileFiveHundredResultsArrive() throws {
        try MainActor.assumeIsolated {
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
            let clock = UnsafeMutableRawPointer(try XCTUnwrap(gtk_widget_get_frame_clock(window.window)))
            var start = (wall: UInt64(0), processor: UInt64(0))
            var times: [Double] = []
            var processorTimes: [Double] = []
            Signal.connect(clock, "before-paint") { start = (monotonicNanoseconds(), Self.processorNanoseconds()) }
            Signal.connect(clock, "after-paint") {
                times.append(Double(monotonicNanoseconds() - start.wall) / 1e6)
                processorTimes.append(Double(Self.processorNanoseconds() - start.processor) / 1e6)
            }
            let pipeline = ImagePipeline.testing(ColourLoader { .init(delay: .milliseconds($0 * 37 % 1000)) })
            var ends = 0
            for (number, picture) in pictures.enumerated() {
                picture.setImage(
                    with: ColourLoader.url(number), placeholder: .color(TestList.placeholder), transition: .crossFade,
                    pipeline: pipeline
                ) { _ in ends += 1 }
            }
            XCTAssertTrue(spin { ends == 500 })
            spin(seconds: 0.3)
            XCTAssertGreaterThan(times.count, 10, "no frames were drawn while the results came")
            print(
                "frame time: \(Self.summary(times)); processor time of the main thread: \(Self.summary(processorTimes))"
            )
        }
    }

    private static func summary(_ times: [Double]) -> String {
        let sorted = times.sorted().map { ($0 * 10).rounded() / 10 }
        let p95 = sorted[sorted.count * 95 / 100]
        return
            "\(sorted.count) frames, median \(sorted[sorted.count / 2]) ms, p95 \(p95) ms, longest \(sorted[sorted.count - 1]) ms"
    }

    /// Of this thread: what a frame costs, however busy the machine is with something else.
    private static func processorNanoseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
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
