import CGTK

@testable import TintypeGTK

/// A container that gives its one child all of its room, and counts how often GTK lays it out.
@MainActor enum MeasuringBox {
    /// Since the last `forget`.
    private(set) static var measureCount = 0
    private(set) static var allocationCount = 0

    static func forget() {
        measureCount = 0
        allocationCount = 0
    }

    /// Only one at a time: the functions of a GtkCustomLayout are told nothing but the widget.
    static func make(_ child: Widget) -> Widget {
        let box: Widget = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
        gtk_widget_set_parent(child, box)
        let layout = gtk_custom_layout_new(
            nil,
            { box, orientation, size, minimum, natural, minimumBaseline, naturalBaseline in
                MainActor.assumeIsolated { MeasuringBox.measureCount += 1 }
                gtk_widget_measure(gtk_widget_get_first_child(box), orientation, size, minimum, natural, nil, nil)
                minimumBaseline?.pointee = -1
                naturalBaseline?.pointee = -1
            },
            { box, width, height, baseline in
                MainActor.assumeIsolated { MeasuringBox.allocationCount += 1 }
                gtk_widget_allocate(gtk_widget_get_first_child(box), width, height, baseline, nil)
            })
        gtk_widget_set_layout_manager(box, layout)
        return box
    }
}
