import CGTK
import CTintypeGTK
import Dispatch

/// Serves Swift's main actor, and `DispatchQueue.main`, while GLib's main loop runs.
///
/// Without it nothing that is awaited on the main actor ever goes on under `g_application_run`.
public enum MainLoop {
    @MainActor private static var source: UnsafeMutablePointer<GSource>?

    /// Installs the source on the default main context. Call it once, on the main thread, before the loop runs; a second
    /// call does nothing.
    ///
    /// Keep `main` synchronous: after an `await` at top level the main queue is served by worker threads.
    @MainActor
    public static func install() {
        guard source == nil else { return }
        let descriptor = _dispatch_get_main_queue_handle_4CF()
        precondition(descriptor >= 0, "libdispatch has no main queue handle")
        guard let created = g_unix_fd_source_new(descriptor, G_IO_IN) else {
            preconditionFailure("GLib could not make a source")
        }
        let drain: @convention(c) (gint, GIOCondition, gpointer?) -> gboolean = { descriptor, _, _ in
            // The eventfd is read before draining: a job that is enqueued meanwhile sets it again.
            var value: UInt64 = 0
            _ = read(descriptor, &value, MemoryLayout<UInt64>.size)
            _dispatch_main_queue_callback_4CF(nil)
            return gboolean(1)
        }
        g_source_set_callback(created, unsafeBitCast(drain, to: GSourceFunc.self), nil, nil)
        // The redraw priority of GDK: jobs and drawing share the loop fairly.
        g_source_set_priority(created, 120)
        g_source_set_can_recurse(created, 1)
        g_source_set_static_name(created, "Swift main actor")
        g_source_attach(created, nil)
        source = created
    }
}
