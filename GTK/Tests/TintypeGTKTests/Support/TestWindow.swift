import CGTK
import Foundation
import Tintype
import XCTest

@testable import TintypeGTK

/// A real window, and the main loop run by hand.
@MainActor final class TestWindow {
    let window: Widget
    private let reference: ObjectReference
    private(set) var isClosed = false

    /// - Throws: `XCTSkip` without a display.
    init(width: Int, height: Int, child: Widget) throws {
        try TestWindow.prepare()
        window = gtk_window_new()
        reference = ObjectReference(retaining: UnsafeMutableRawPointer(window))
        gtk_window_set_default_size(pointer, gint(width), gint(height))
        gtk_window_set_decorated(pointer, 0)
        gtk_window_set_child(pointer, child)
    }

    private var pointer: UnsafeMutablePointer<GtkWindow> {
        UnsafeMutableRawPointer(window).assumingMemoryBound(to: GtkWindow.self)
    }

    static func prepare() throws {
        LogWatch.install()
        guard gtk_init_check() != 0 else { throw XCTSkip("there is no display") }
        MainLoop.install()
    }

    /// Shows the window and waits for its first frame.
    func present() {
        var isPainted = false
        gtk_window_present(pointer)
        let clock = gtk_widget_get_frame_clock(window)
        let handler = Signal.connect(UnsafeMutableRawPointer(clock!), "after-paint") { isPainted = true }
        XCTAssertTrue(spin { isPainted }, "the window was not painted")
        g_signal_handler_disconnect(UnsafeMutableRawPointer(clock!), gulong(handler))
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        gtk_window_destroy(pointer)
    }

    /// What the window shows, as it was painted last: rows of BGRA.
    ///
    /// - Parameter scale: pixels for each application pixel.
    /// - Returns: nil while there is something to be drawn anew.
    func frame(scale: Int = 1) -> Frame? { Frame(of: window, in: window, scale: scale) }

    /// As `frame`, when everything has been drawn. Runs the main loop.
    func nextFrame(scale: Int = 1) throws -> Frame {
        var frame: Frame?
        spin(timeout: 5) {
            frame = self.frame(scale: scale)
            return frame != nil
        }
        return try XCTUnwrap(frame, "the window is never drawn to its end")
    }
}

/// Runs the main loop until `condition` holds; false if it does not in time.
@MainActor @discardableResult
func spin(timeout: Double = 20, until condition: () -> Bool) -> Bool {
    let end = Date().addingTimeInterval(timeout)
    while !condition() {
        if Date() > end { return false }
        if g_main_context_iteration(nil, 0) == 0 { usleep(500) }
    }
    return true
}

@MainActor func spin(seconds: Double) {
    let end = Date().addingTimeInterval(seconds)
    spin(timeout: seconds + 1) { Date() >= end }
}

/// Pixels of something painted.
@MainActor struct Frame {
    let width: Int
    let height: Int
    private var pixels: [UInt8]

    init?(of widget: Widget, in window: Widget, scale: Int) {
        guard let paintable = gtk_widget_paintable_new(widget) else { return nil }
        defer { g_object_unref(UnsafeMutableRawPointer(paintable)) }
        let (w, h) = (gtk_widget_get_width(widget), gtk_widget_get_height(widget))
        let snapshot = gtk_snapshot_new()
        gtk_snapshot_scale(snapshot, Float(scale), Float(scale))
        gdk_paintable_snapshot(paintable, snapshot, Double(w), Double(h))
        guard let node = gtk_snapshot_free_to_node(snapshot) else { return nil }
        defer { gsk_render_node_unref(node) }
        var viewport = graphene_rect_t()
        graphene_rect_init(&viewport, 0, 0, Float(w) * Float(scale), Float(h) * Float(scale))
        let renderer = gtk_native_get_renderer(OpaquePointer(window))
        guard let texture = gsk_renderer_render_texture(renderer, node, &viewport) else { return nil }
        defer { g_object_unref(UnsafeMutableRawPointer(texture)) }
        width = Int(gdk_texture_get_width(texture))
        height = Int(gdk_texture_get_height(texture))
        pixels = [UInt8](repeating: 0, count: width * height * 4)
        gdk_texture_download(texture, &pixels, gsize(width * 4))
    }

    subscript(x: Int, y: Int) -> PixelColor {
        guard x >= 0, y >= 0, x < width, y < height else { return .clear }
        let offset = (y * width + x) * 4
        return PixelColor(
            red: pixels[offset + 2], green: pixels[offset + 1], blue: pixels[offset], alpha: pixels[offset + 3])
    }
}

extension Widget {
    /// The middle of the widget in the coordinates of another one; nil if it is outside.
    @MainActor func middle(in other: Widget) -> (x: Int, y: Int)? {
        var bounds = graphene_rect_t()
        guard gtk_widget_get_mapped(self) != 0, gtk_widget_compute_bounds(self, other, &bounds) != 0 else { return nil }
        let x = Int(bounds.origin.x + bounds.size.width / 2)
        let y = Int(bounds.origin.y + bounds.size.height / 2)
        let isInside = x >= 0 && y >= 0 && x < Int(gtk_widget_get_width(other)) && y < Int(gtk_widget_get_height(other))
        return isInside ? (x, y) : nil
    }
}

/// A GtkPicture of a fixed size.
@MainActor func makePicture(_ width: Int = 32, _ height: Int = 32) -> Widget {
    let picture = gtk_picture_new()!
    gtk_widget_set_size_request(picture, gint(width), gint(height))
    gtk_widget_set_halign(picture, GTK_ALIGN_START)
    gtk_widget_set_valign(picture, GTK_ALIGN_START)
    return picture
}

let isMainThread: @Sendable () -> Bool = { Thread.isMainThread }
