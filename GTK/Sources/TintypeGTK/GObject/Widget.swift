import CGTK

/// What GTK's constructors return.
public typealias Widget = UnsafeMutablePointer<GtkWidget>

extension UnsafeMutablePointer where Pointee == GtkWidget {
    /// For the functions of types that GTK's headers leave opaque, such as GtkPicture, GtkImage and GtkListView.
    public var opaque: OpaquePointer { OpaquePointer(self) }

    var raw: UnsafeMutableRawPointer { UnsafeMutableRawPointer(self) }

    /// Whether the widget is of a GObject type, such as `gtk_picture_get_type()`.
    func isA(_ type: GType) -> Bool {
        g_type_check_instance_is_a(raw.assumingMemoryBound(to: GTypeInstance.self), type) != 0
    }
}
