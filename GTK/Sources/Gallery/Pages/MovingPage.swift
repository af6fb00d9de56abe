import CGTK
import Tintype
import TintypeGTK

/// Animations in three formats; only what is drawn moves.
@MainActor final class MovingPage {
    final class Cell {
        let picture: Widget
        let label: Widget

        @MainActor init() {
            picture = Build.picture(MovingPainter.side, MovingPainter.side, css: "photo")
            gtk_widget_set_halign(picture, GTK_ALIGN_CENTER)
            label = Build.label("", css: "dim-label", xalign: 0.5)
        }
    }

    private let gallery: Gallery
    private var grid: RecyclingView<Cell>?
    var widget: Widget { grid!.widget }

    init(_ gallery: Gallery) {
        self.gallery = gallery
        grid = RecyclingView(
            .grid(columns: 3...5), count: GalleryPicture.movingCount,
            make: {
                let cell = Cell()
                return (
                    cell,
                    Build.box(GTK_ORIENTATION_VERTICAL, spacing: 6, [cell.picture, cell.label], css: "photo-cell")
                )
            }, bind: { [weak self] cell, number in self?.bind(cell, number) },
            unbind: { cell in cell.picture.setImage(with: nil) })
        gtk_widget_add_css_class(grid!.view, "photos")
    }

    private func bind(_ cell: Cell, _ number: Int) {
        var presentation = ImagePresentation()
        presentation.indicator = .activity
        presentation.startsWhenDrawn = true
        presentation.retriesOnTap = true
        presentation.failureImage = .icon("network-offline-symbolic", size: 48)
        let format = GalleryPicture.movingFormat(number)
        Build.setText(cell.label, format == .png ? "APNG" : format == .gif ? "GIF" : "WebP")
        cell.picture.setImage(
            with: gallery.request(GalleryPicture.movingPath(number)),
            placeholder: .color(PixelColor(rgb: 0x80_8890, alpha: 0.18)), transition: .zoom(),
            presentation: presentation,
            pipeline: gallery.pipeline
        ) { [weak gallery] result in gallery?.count(result) }
    }

    /// After the network has come back.
    func retry() { for cell in grid?.bound.values.map(\.self) ?? [] { cell.picture.imageBinding?.retry() } }
}
