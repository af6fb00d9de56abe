import CGTK
import Tintype
import TintypeGTK

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes a screenshot of each page.
@MainActor struct Screenshots {
    private let gallery: Gallery
    private let window: GalleryWindow
    private let folder: String

    init(_ gallery: Gallery, _ window: GalleryWindow, folder: String) {
        self.gallery = gallery
        self.window = window
        self.folder = folder
    }

    /// False if one could not be written.
    func take() async -> Bool {
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try await gallery.pipeline.cache.removeAll()
            try await pages()
            return true
        } catch {
            printError("gallery: \(error)")
            return false
        }
    }

    private func pages() async throws {
        try await settle()
        try await shoot("apps")
        window.apps.scroll(to: 0.5)
        try await settle()
        try await shoot("apps-scrolled")
        window.apps.scroll(to: 0)
        try await settle()
        try await shoot("apps-from-memory")
        window.showPage("photos")
        try await settle()
        try await shoot("photos")
        window.showPage("moving")
        try await settle()
        try await shoot("animations")
        try await rest(0.4)
        try await shoot("animations-later")

        window.setWeather(.slow)
        window.showPage("photos")
        try await gallery.pipeline.cache.removeAll()
        window.photos.scroll(to: 0.6)
        for _ in 0..<1000 where !window.photos.isHalfway { try await rest(0.01) }
        try await shoot("photos-slow")

        window.setWeather(.offline)
        try await gallery.pipeline.cache.removeAll()
        window.photos.scroll(to: 1)
        try await settle()
        try await shoot("photos-offline")
        window.showPage("apps")
        window.apps.scroll(to: 0.9)
        try await settle()
        try await shoot("apps-offline")
        window.setWeather(.fine)
        try await settle()
        try await shoot("apps-online-again")
    }

    /// Waits until no load runs, and a little longer for transitions and the status bar.
    private func settle() async throws {
        try await rest(0.7)
        for _ in 0..<200 where gallery.pipeline.isRunning { try await rest(0.1) }
        try await rest(0.7)
    }

    private func rest(_ seconds: Double) async throws { try await Task.sleep(for: .seconds(seconds)) }

    /// Returns the contents of the window. A widget can be captured only just after it was painted.
    private func shoot(_ name: String) async throws {
        guard let clock = gtk_widget_get_frame_clock(window.window) else { return }
        let raw = UnsafeMutableRawPointer(clock)
        var result: Result<Void, any Error>?
        let handler = Signal.connect(raw, "after-paint") {
            if result == nil { result = Result { try save(name) } }
        }
        gtk_widget_queue_draw(window.window)
        while result == nil { try await rest(0.01) }
        g_signal_handler_disconnect(raw, gulong(handler))
        try result?.get()
    }

    private func save(_ name: String) throws {
        let path = folder + "/" + name + ".png"
        let widget = window.window
        guard let paintable = gtk_widget_paintable_new(widget) else {
            throw Failure(path: path, reason: "no paintable")
        }
        defer { g_object_unref(UnsafeMutableRawPointer(paintable)) }
        let (width, height) = (gtk_widget_get_width(widget), gtk_widget_get_height(widget))
        let snapshot = gtk_snapshot_new()
        gdk_paintable_snapshot(paintable, snapshot, Double(width), Double(height))
        guard let node = gtk_snapshot_free_to_node(snapshot) else {
            throw Failure(path: path, reason: "nothing was painted yet")
        }
        defer { gsk_render_node_unref(node) }
        guard let texture = gsk_renderer_render_texture(gtk_native_get_renderer(widget.opaque), node, nil) else {
            throw Failure(path: path, reason: "it cannot be rendered")
        }
        defer { g_object_unref(UnsafeMutableRawPointer(texture)) }
        guard gdk_texture_save_to_png(texture, path) != 0 else {
            throw Failure(path: path, reason: "the file cannot be written")
        }
        print(path)
    }

    private struct Failure: Error, CustomStringConvertible {
        var path: String
        var reason: String
        var description: String { "the window cannot be saved as \(path): \(reason)" }
    }
}
