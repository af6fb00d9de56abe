import CGTK
import Foundation

@testable import TintypeGTK

/// The frames of a window from now on: how long each one takes, and what for.
@MainActor final class FrameMeter {
    /// Milliseconds.
    struct Times {
        var wall: [Double] = []
        /// Of the main thread: what a frame costs, however busy the machine is with something else.
        var processor: [Double] = []

        var summary: String { "\(wall.count) frames; wall \(Self.spread(wall)); processor \(Self.spread(processor))" }

        static func spread(_ times: [Double]) -> String {
            let sorted = times.sorted().map { ($0 * 10).rounded() / 10 }
            guard let longest = sorted.last else { return "none" }
            return "median \(sorted[sorted.count / 2]), p95 \(sorted[sorted.count * 95 / 100]), longest \(longest) ms"
        }
    }

    private(set) var frames = Times()
    /// The part of each frame that is layout: measuring and placing widgets.
    private(set) var layouts = Times()
    /// From the end of one frame to the end of the next: long too if something else keeps the main thread busy.
    private(set) var intervals: [Double] = []
    private var start = Moment()
    private var lastEnd: Double?
    private var layoutEnd: Moment?
    private var handlers: [UInt] = []
    private let clock: UnsafeMutableRawPointer

    /// - Parameter window: realized.
    init(_ window: TestWindow) {
        clock = UnsafeMutableRawPointer(gtk_widget_get_frame_clock(window.window)!)
        // GTK's own handlers of "layout" were there first, so this one comes when they are done.
        handlers = [
            Signal.connect(clock, "before-paint") { [weak self] in self?.start = Moment() },
            Signal.connect(clock, "layout") { [weak self] in self?.layoutEnd = Moment() },
            Signal.connect(clock, "after-paint") { [weak self] in self?.didPaint() },
        ]
    }

    func stop() {
        for handler in handlers { g_signal_handler_disconnect(clock, gulong(handler)) }
        handlers = []
    }

    var summary: String {
        "\(frames.summary); from frame to frame \(Times.spread(intervals)); \(layouts.wall.count) with layout"
            + (layouts.wall.isEmpty ? "" : ", which took \(Times.spread(layouts.wall))")
    }

    private func didPaint() {
        let end = Moment()
        if let lastEnd { intervals.append(end.wall - lastEnd) }
        lastEnd = end.wall
        frames.wall.append(end.wall - start.wall)
        frames.processor.append(end.processor - start.processor)
        if let layoutEnd {
            layouts.wall.append(layoutEnd.wall - start.wall)
            layouts.processor.append(layoutEnd.processor - start.processor)
        }
        layoutEnd = nil
    }

    /// In milliseconds.
    private struct Moment {
        let wall = Double(monotonicNanoseconds()) / 1e6
        let processor: Double = {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
        }()
    }
}
