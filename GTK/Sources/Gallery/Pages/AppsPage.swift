import CGTK
import Tintype
import TintypeGTK

/// 5,000 apps in a table; each icon is loaded when its row is drawn for the first time.
@MainActor final class AppsPage {
    final class Cell {
        let picture: Widget
        let name: Widget
        let kind: Widget
        let downloads: Widget
        var paintable: AsyncImagePaintable?

        @MainActor init() {
            picture = Build.picture(48, 48, css: "icon")
            name = Build.label("", css: "heading")
            kind = Build.label("", css: "dim-label")
            downloads = Build.label("", css: "numeric", xalign: 1)
        }
    }

    private let gallery: Gallery
    private var list: RecyclingView<Cell>?
    var widget: Widget { list!.widget }

    init(_ gallery: Gallery) {
        self.gallery = gallery
        list = RecyclingView(
            .list, count: AppNames.count, make: AppsPage.makeCell,
            bind: { [weak self] cell, number in self?.bind(cell, number) },
            unbind: { cell in
                cell.paintable = nil
                gtk_picture_set_paintable(cell.picture.opaque, nil)
            })
    }

    private static func makeCell() -> (Cell, Widget) {
        let cell = Cell()
        let texts = Build.box(GTK_ORIENTATION_VERTICAL, spacing: 2, [cell.name, cell.kind])
        gtk_widget_set_valign(texts, GTK_ALIGN_CENTER)
        gtk_widget_set_hexpand(texts, 1)
        return (
            cell, Build.box(GTK_ORIENTATION_HORIZONTAL, spacing: 14, [cell.picture, texts, cell.downloads], css: "row")
        )
    }

    private func bind(_ cell: Cell, _ number: Int) {
        let app = AppNames.app(number)
        Build.setText(cell.name, app.name)
        Build.setText(cell.kind, app.kind)
        Build.setText(cell.downloads, AppNames.grouped(app.downloads) + " downloads")
        let paintable = AsyncImagePaintable(
            gallery.request("/icons/\(number).png"), width: 48, height: 48,
            scale: Int(gtk_widget_get_scale_factor(cell.picture)),
            placeholder: .icon("image-loading-symbolic", size: 24),
            failureImage: .icon("image-missing-symbolic", size: 24),
            transition: .crossFade(duration: 0.15), pipeline: gallery.pipeline
        ) { [weak gallery] result in gallery?.count(result) }
        cell.paintable = paintable
        gtk_picture_set_paintable(cell.picture.opaque, paintable.pointer)
    }

    /// After the network has come back.
    func retry() { for cell in list?.bound.values.map(\.self) ?? [] { cell.paintable?.retry() } }

    func scroll(to fraction: Double) { list?.scroll(to: fraction) }
}
