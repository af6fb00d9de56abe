import CGTK
import TintypeGTK

/// A GtkListView or GtkGridView in a scrolled window, with recycled cells.
@MainActor final class RecyclingView<Cell: AnyObject> {
    enum Shape {
        case list
        case grid(columns: ClosedRange<Int>)
    }

    let widget: Widget
    let view: Widget
    /// The bound cells by row number.
    private(set) var bound: [Int: Cell] = [:]
    private let count: Int
    private var cells: [UnsafeMutableRawPointer: (cell: Cell, number: Int?)] = [:]

    /// - Parameters:
    ///   - make: a cell and its widget.
    ///   - bind: shows a row; `unbind` releases it.
    init(
        _ shape: Shape, count: Int, make: @escaping @MainActor () -> (Cell, Widget),
        bind: @escaping @MainActor (Cell, Int) -> Void, unbind: @escaping @MainActor (Cell) -> Void
    ) {
        self.count = count
        switch shape {
        case .list: view = gtk_list_view_new(nil, nil)
        case .grid(let columns):
            view = gtk_grid_view_new(nil, nil)
            gtk_grid_view_set_min_columns(view.opaque, guint(columns.lowerBound))
            gtk_grid_view_set_max_columns(view.opaque, guint(columns.upperBound))
        }
        widget = gtk_scrolled_window_new()
        gtk_scrolled_window_set_child(widget.opaque, view)
        gtk_widget_set_vexpand(widget, 1)
        let factory = gtk_signal_list_item_factory_new()
        let raw = UnsafeMutableRawPointer(factory!)
        Signal.connect(raw, "setup") { [weak self] item in
            let (cell, widget) = make()
            gtk_list_item_set_child(OpaquePointer(item), widget)
            gtk_list_item_set_activatable(OpaquePointer(item), 0)
            self?.cells[item] = (cell, nil)
        }
        Signal.connect(raw, "bind") { [weak self] item in
            guard let self, let cell = cells[item]?.cell else { return }
            let number = Int(gtk_list_item_get_position(OpaquePointer(item)))
            cells[item]?.number = number
            bound[number] = cell
            bind(cell, number)
        }
        Signal.connect(raw, "unbind") { [weak self] item in
            guard let self, let (cell, number) = cells[item] else { return }
            cells[item]?.number = nil
            if let number, bound[number] === cell { bound[number] = nil }
            unbind(cell)
        }
        Signal.connect(raw, "teardown") { [weak self] item in self?.cells[item] = nil }
        // After the handlers: cells are made as soon as there is a model.
        let model = gtk_string_list_new(nil)
        for _ in 0..<count { gtk_string_list_append(model, "") }
        let selection = gtk_no_selection_new(model)
        switch shape {
        case .list:
            gtk_list_view_set_factory(view.opaque, factory)
            gtk_list_view_set_model(view.opaque, selection)
        case .grid:
            gtk_grid_view_set_factory(view.opaque, factory)
            gtk_grid_view_set_model(view.opaque, selection)
        }
        g_object_unref(UnsafeMutableRawPointer(selection!))
        g_object_unref(raw)
    }

    /// Makes a row visible. Setting the adjustment over thousands of rows leaves the view empty until it is moved again.
    func scroll(to fraction: Double) {
        let number = guint32(Double(count - 1) * fraction)
        gtk_widget_activate_action_variant(view, "list.scroll-to-item", g_variant_new_uint32(number))
    }
}
