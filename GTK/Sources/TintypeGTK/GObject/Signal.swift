import CGTK

/// Connects Swift closures to GObject signals. GTK emits on the main thread, so the closures run on the main actor.
public enum Signal {
    private final class Handler {
        let function: @MainActor () -> Void
        init(_ function: @escaping @MainActor () -> Void) { self.function = function }
    }

    private final class ArgumentHandler {
        let function: @MainActor (UnsafeMutableRawPointer) -> Void
        init(_ function: @escaping @MainActor (UnsafeMutableRawPointer) -> Void) { self.function = function }
    }

    private static let release: GClosureNotify = { data, _ in
        if let data { Unmanaged<AnyObject>.fromOpaque(data).release() }
    }

    /// For signals of any kind; their arguments are not passed on. The closure lives as long as the connection.
    ///
    /// - Returns: the handler's number, for `g_signal_handler_disconnect`.
    @MainActor @discardableResult
    public static func connect(
        _ instance: UnsafeMutableRawPointer, _ name: String, _ function: @escaping @MainActor () -> Void
    ) -> UInt {
        // Swapped: the data comes first, wherever the signal's own arguments end.
        let trampoline: @convention(c) (UnsafeMutableRawPointer) -> Void = { data in
            let handler = Unmanaged<Handler>.fromOpaque(data).takeUnretainedValue()
            MainActor.assumeIsolated { handler.function() }
        }
        return UInt(
            g_signal_connect_data(
                instance, name, unsafeBitCast(trampoline, to: GCallback.self),
                Unmanaged.passRetained(Handler(function)).toOpaque(), release, G_CONNECT_SWAPPED))
    }

    /// For signals whose first argument is a pointer, such as a list item.
    @MainActor @discardableResult
    public static func connect(
        _ instance: UnsafeMutableRawPointer, _ name: String,
        _ function: @escaping @MainActor (_ argument: UnsafeMutableRawPointer) -> Void
    ) -> UInt {
        let trampoline: @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Void = { data, argument in
            nonisolated(unsafe) let argument = argument
            let handler = Unmanaged<ArgumentHandler>.fromOpaque(data).takeUnretainedValue()
            MainActor.assumeIsolated { handler.function(argument) }
        }
        return UInt(
            g_signal_connect_data(
                instance, name, unsafeBitCast(trampoline, to: GCallback.self),
                Unmanaged.passRetained(ArgumentHandler(function)).toOpaque(), release, G_CONNECT_SWAPPED))
    }
}
