import CGTK
import Tintype
import TintypeGTK

/// Large photos in a grid, decoded to the size of the cell, with a progress bar while they come.
@MainActor final class PhotosPage {
    final class Cell {
        let picture: Widget
        @MainActor init() { picture = Build.picture(240, 180, css: "photo") }
    }

    private let gallery: Gallery
    private var grid: RecyclingView<Cell>?
    var widget: Widget { grid!.widget }

    init(_ gallery: Gallery) {
        self.gallery = gallery
        grid = RecyclingView(
            .grid(columns: 2...4), count: GalleryPicture.photoCount,
            make: {
                let cell = Cell()
                return (cell, Build.box(GTK_ORIENTATION_VERTICAL, [cell.picture], css: "photo-cell"))
            }, bind: { [weak self] cell, number in self?.bind(cell, number) },
            unbind: { cell in cell.picture.setImage(with: nil) })
        gtk_widget_add_css_class(grid!.view, "photos")
    }

    private func bind(_ cell: Cell, _ number: Int) {
        var presentation = ImagePresentation()
        presentation.contentFit = .cover
        presentation.indicator = .progress
        presentation.failureImage = .icon("network-offline-symbolic", size: 48)
        presentation.retriesOnTap = true
        presentation.startsWhenDrawn = true
        cell.picture.setImage(
            with: gallery.request("/photos/\(number).jpg"),
            placeholder: .color(PixelColor(rgb: 0x80_8890, alpha: 0.18)),
            transition: .crossFade, presentation: presentation, pipeline: gallery.pipeline
        ) { [weak gallery] result in gallery?.count(result) }
    }

    /// After the network has come back.
    func retry() { for cell in grid?.bound.values.map(\.self) ?? [] { cell.picture.imageBinding?.retry() } }

    func scroll(to fraction: Double) { grid?.scroll(to: fraction) }
}
