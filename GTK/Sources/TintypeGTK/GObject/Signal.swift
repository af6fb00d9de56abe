import CGTK

/// Connects Swift closures to GObject signals. GTK emits on the main thread, so the closures run on the main actor.
enum Signal {
    private final class Handler<Function> {
        let function: Function
        init(_ function: Function) { self.function = function }
    }

    private static func release() -> GClosureNotify {
        { data, _ in
            if let data { Unmanaged<AnyObject>.fromOpaque(data).release() }
        }
    }

    /// For signals whose C handler is `void (*)(instance, user_data)`. The closure lives as long as the connection.
    @MainActor @discardableResult
    static func connect(
        _ instance: UnsafeMutableRawPointer, _ name: String, _ function: @escaping @MainActor () -> Void
    ) -> UInt {
        typealias Stored = Handler<@MainActor () -> Void>
        let trampoline: @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Void = { _, data in
            let handler = Unmanaged<Stored>.fromOpaque(data).takeUnretainedValue()
            MainActor.assumeIsolated { handler.function() }
        }
        return UInt(
            g_signal_connect_data(
                instance, name, unsafeBitCast(trampoline, to: GCallback.self),
                Unmanaged.passRetained(Stored(function)).toOpaque(), release(), GConnectFlags(rawValue: 0)))
    }

    /// For signals whose C handler is `void (*)(instance, argument, user_data)`, the argument being a pointer.
    @MainActor @discardableResult
    static func connect(
        _ instance: UnsafeMutableRawPointer, _ name: String,
        _ function: @escaping @MainActor (_ argument: UnsafeMutableRawPointer) -> Void
    ) -> UInt {
        typealias Stored = Handler<@MainActor (UnsafeMutableRawPointer) -> Void>
        let trampoline:
            @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Void = {
                _, argument, data in
                nonisolated(unsafe) let argument = argument
                let handler = Unmanaged<Stored>.fromOpaque(data).takeUnretainedValue()
                MainActor.assumeIsolated { handler.function(argument) }
            }
        return UInt(
            g_signal_connect_data(
                instance, name, unsafeBitCast(trampoline, to: GCallback.self),
                Unmanaged.passRetained(Stored(function)).toOpaque(), release(), GConnectFlags(rawValue: 0)))
    }
}
