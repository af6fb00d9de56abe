import CGTK

/// A strong reference to a GObject. May cross threads: GObject counts references atomically. What it refers to may only be
/// used on the thread that its own documentation allows.
public final class ObjectReference: @unchecked Sendable {
    // Immutable; the reference count behind it is atomic.
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
