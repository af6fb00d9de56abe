import CGTK

/// A strong reference to a GObject. May cross threads: GObject counts references atomically. What it refers to may only be
/// used on the thread that its own documentation allows.
public final class ObjectReference: @unchecked Sendable {
    // Immutable; the reference count behind it is atomic.
    /// Valid as long as this object. Swift may let go of it after its last use, before a C function that was given the
    /// pointer: keep it with `withExtendedLifetime` meanwhile.
    public let pointer: UnsafeMutableRawPointer

    /// Takes over a reference that the caller owns.
    public init(consuming pointer: UnsafeMutableRawPointer) { self.pointer = pointer }

    /// Adds a reference.
    public init(retaining pointer: UnsafeMutableRawPointer) {
        g_object_ref(pointer)
        self.pointer = pointer
    }

    deinit { g_object_unref(pointer) }

    public var opaque: OpaquePointer { OpaquePointer(pointer) }
}
