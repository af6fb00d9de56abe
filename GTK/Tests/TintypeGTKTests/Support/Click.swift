import CGTK
import XCTest

@testable import TintypeGTK

/// Clicks without a pointer: GTK 4 has no way to make an event, so the gesture itself is told.
@MainActor enum Click {
    static func gestures(of widget: Widget) -> [OpaquePointer] {
        guard let model = gtk_widget_observe_controllers(widget) else { return [] }
        defer { g_object_unref(UnsafeMutableRawPointer(model)) }
        return (0..<g_list_model_get_n_items(model)).compactMap { index in
            guard let object = g_list_model_get_item(model, index) else { return nil }
            // The widget keeps it.
            defer { g_object_unref(object) }
            let instance = object.assumingMemoryBound(to: GTypeInstance.self)
            return g_type_check_instance_is_a(instance, gtk_gesture_click_get_type()) != 0
                ? OpaquePointer(object) : nil
        }
    }

    /// What the first click gesture of the widget says after a press and a release in its middle.
    static func perform(on widget: Widget) throws {
        let gesture = UnsafeMutableRawPointer(try XCTUnwrap(gestures(of: widget).first, "nothing hears clicks"))
        let middle = (Double(gtk_widget_get_width(widget)) / 2, Double(gtk_widget_get_height(widget)) / 2)
        for signal in ["pressed", "released"] { emit(signal, gesture, middle) }
    }

    private static func emit(_ signal: String, _ gesture: UnsafeMutableRawPointer, _ place: (x: Double, y: Double)) {
        let (int, double) = (GType(6 << 2), GType(15 << 2))
        let types = [gtk_gesture_click_get_type(), int, double, double]
        var values = types.map { type in
            var value = GValue()
            g_value_init(&value, type)
            return value
        }
        g_value_set_object(&values[0], gesture)
        g_value_set_int(&values[1], 1)
        g_value_set_double(&values[2], place.x)
        g_value_set_double(&values[3], place.y)
        g_signal_emitv(values, g_signal_lookup(signal, types[0]), 0, nil)
        for index in values.indices { g_value_unset(&values[index]) }
    }
}
