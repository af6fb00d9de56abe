import CGTK
import Foundation
import Tintype
import XCTest

@testable import TintypeGTK

/// A list of images in a scrolled window, with cells of a kind, and the check of what they show.
@MainActor final class TestList {
    enum Cell { case paintable, binding, naive }

    final class Row {
        let picture: Widget
        var position: Int?
        init(_ picture: Widget) { self.picture = picture }
    }

    nonisolated static let placeholder = PixelColor(rgb: 0x80_8080)

    let host: TestWindow
    let loader: ColourLoader
    let pipeline: ImagePipeline
    let kind: Cell
    private let scrolled: Widget
    private let list: Widget
    private var rows: [UnsafeMutableRawPointer: Row] = [:]
    private(set) var bindCount = 0
    private(set) var checkCount = 0
    /// Row, and what was seen instead.
    private(set) var wrong: [(row: Int, seen: PixelColor)] = []
    private var checks = false

    init(_ kind: Cell, count: Int = 5_000, loader: ColourLoader) throws {
        try TestWindow.prepare()
        self.kind = kind
        self.loader = loader
        pipeline = .testing(loader)
        let strings = gtk_string_list_new(nil)
        for number in 0..<count { gtk_string_list_append(strings, "row \(number)") }
        let factory = gtk_signal_list_item_factory_new()!
        list = gtk_list_view_new(nil, nil)
        scrolled = gtk_scrolled_window_new()
        gtk_scrolled_window_set_child(scrolled.opaque, list)
        host = try TestWindow(width: 320, height: 480, child: scrolled)
        let raw = UnsafeMutableRawPointer(factory)
        Signal.connect(raw, "setup") { [weak self] item in self?.setup(item) }
        Signal.connect(raw, "bind") { [weak self] item in self?.bind(item) }
        Signal.connect(raw, "unbind") { [weak self] item in self?.unbind(item) }
        Signal.connect(raw, "teardown") { [weak self] item in self?.rows[item] = nil }
        // After the handlers: the rows are made as soon as there is a model.
        gtk_list_view_set_factory(list.opaque, factory)
        gtk_list_view_set_model(list.opaque, gtk_no_selection_new(strings))
    }

    func present() {
        host.present()
        XCTAssertTrue(spin { !visibleRows.isEmpty }, "no row was bound")
        let clock = gtk_widget_get_frame_clock(host.window)!
        Signal.connect(UnsafeMutableRawPointer(clock), "after-paint") { [weak self] in self?.didPaint() }
    }

    // MARK: Cells

    private func setup(_ item: UnsafeMutableRawPointer) {
        let box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8)!
        let boxPointer = UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self)
        let picture = makePicture()
        gtk_box_append(boxPointer, picture)
        gtk_box_append(boxPointer, gtk_label_new(""))
        gtk_list_item_set_child(OpaquePointer(item), box)
        rows[item] = Row(picture)
    }

    private func bind(_ item: UnsafeMutableRawPointer) {
        guard let row = rows[item] else { return }
        let position = Int(gtk_list_item_get_position(OpaquePointer(item)))
        row.position = position
        bindCount += 1
        gtk_label_set_text(gtk_widget_get_next_sibling(row.picture).opaque, "row \(position)")
        let request = ColourLoader.url(position)
        let placeholder = Placeholder.color(Self.placeholder)
        switch kind {
        case .paintable:
            let paintable = AsyncImagePaintable(
                request, width: 32, height: 32, placeholder: placeholder, pipeline: pipeline)
            gtk_picture_set_paintable(row.picture.opaque, paintable.pointer)
        case .binding:
            row.picture.setImage(with: request, placeholder: placeholder, pipeline: pipeline)
        case .naive:
            // A naive cell: the load that ends last wins.
            let picture = ObjectReference(retaining: UnsafeMutableRawPointer(row.picture))
            pipeline.loadImage(with: request, deliverOn: .gtk) { result in
                guard case .success(let response) = result else { return }
                MainActor.assumeIsolated {
                    let texture = response.image.bitmap.makeTexture()
                    withExtendedLifetime((picture, texture)) {
                        gtk_picture_set_paintable(picture.opaque, texture.opaque)
                    }
                }
            }
        }
    }

    private func unbind(_ item: UnsafeMutableRawPointer) {
        guard let row = rows[item] else { return }
        row.position = nil
        switch kind {
        case .paintable: gtk_picture_set_paintable(row.picture.opaque, nil)
        case .binding: row.picture.setImage(with: nil, pipeline: pipeline)
        case .naive: break
        }
    }

    // MARK: Looking

    var visibleRows: [(Row, x: Int, y: Int)] {
        rows.values.compactMap { row in
            guard row.position != nil, let (x, y) = row.picture.middle(in: host.window) else { return nil }
            return (row, x, y)
        }
    }

    private func didPaint() {
        guard checks else { return }
        look()
    }

    /// Every visible row shows its own image, or none yet.
    private func look() {
        guard let frame = host.frame() else { return }
        for (row, x, y) in visibleRows {
            guard let position = row.position else { continue }
            let seen = frame[x, y]
            checkCount += 1
            let isOwn = seen == ColourLoader.colour(position)
            let isPicture = seen.blue == 250
            if isPicture, !isOwn { wrong.append((position, seen)) }
        }
    }

    /// Rows that show no image at rest.
    func missingRows() -> [Int] {
        guard let frame = host.frame() else { return [-1] }
        return visibleRows.compactMap { row, x, y in
            row.position.flatMap { frame[x, y] == ColourLoader.colour($0) ? nil : $0 }
        }
    }

    // MARK: Scrolling

    private var adjustment: UnsafeMutablePointer<GtkAdjustment> {
        gtk_scrolled_window_get_vadjustment(scrolled.opaque)
    }

    func scroll(to value: Double) { gtk_adjustment_set_value(adjustment, value) }

    /// A fling: fast at first, slower and slower, with a look at every painted frame.
    func fling(_ velocity: Double, frames: Int = 40) {
        checks = true
        defer { checks = false }
        var speed = velocity
        for _ in 0..<frames {
            let upper = gtk_adjustment_get_upper(adjustment) - gtk_adjustment_get_page_size(adjustment)
            scroll(to: max(0, min(upper, gtk_adjustment_get_value(adjustment) + speed)))
            speed *= 0.93
            let before = checkCount
            spin(timeout: 1) { checkCount > before }
        }
    }
}
