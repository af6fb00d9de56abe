import CGTK
import TintypeGTK

/// Short functions to build widgets.
@MainActor enum Build {
    static func box(_ orientation: GtkOrientation, spacing: Int = 0, _ children: [Widget] = [], css: String? = nil)
        -> Widget
    {
        let box: Widget = gtk_box_new(orientation, gint(spacing))
        for child in children { append(child, to: box) }
        if let css { gtk_widget_add_css_class(box, css) }
        return box
    }

    static func append(_ child: Widget, to box: Widget) {
        gtk_box_append(UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self), child)
    }

    static func label(_ text: String, css: String? = nil, xalign: Float = 0) -> Widget {
        let label: Widget = gtk_label_new(text)
        gtk_label_set_xalign(label.opaque, xalign)
        if let css { gtk_widget_add_css_class(label, css) }
        return label
    }

    static func button(_ title: String, tooltip: String, _ action: @escaping @MainActor () -> Void) -> Widget {
        let button: Widget = gtk_button_new_with_label(title)
        gtk_widget_set_tooltip_text(button, tooltip)
        Signal.connect(UnsafeMutableRawPointer(button), "clicked", action)
        return button
    }

    static func toggle(_ title: String, tooltip: String, _ action: @escaping @MainActor (Bool) -> Void) -> Widget {
        let button: Widget = gtk_toggle_button_new_with_label(title)
        gtk_widget_set_tooltip_text(button, tooltip)
        let raw = UnsafeMutableRawPointer(button)
        nonisolated(unsafe) let pointer = raw.assumingMemoryBound(to: GtkToggleButton.self)
        Signal.connect(raw, "toggled") { action(gtk_toggle_button_get_active(pointer) != 0) }
        return button
    }

    static func spacer() -> Widget {
        let spacer = box(GTK_ORIENTATION_HORIZONTAL)
        gtk_widget_set_hexpand(spacer, 1)
        return spacer
    }

    static func picture(_ width: Int, _ height: Int, css: String) -> Widget {
        let picture: Widget = gtk_picture_new()
        gtk_widget_set_size_request(picture, gint(width), gint(height))
        gtk_widget_set_overflow(picture, GTK_OVERFLOW_HIDDEN)
        gtk_widget_add_css_class(picture, css)
        return picture
    }

    static func setText(_ label: Widget, _ text: String) { gtk_label_set_text(label.opaque, text) }
}
