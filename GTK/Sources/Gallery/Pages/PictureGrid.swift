import CGTK
import Tintype
import TintypeGTK

/// Images in a grid, each loaded when it is drawn for the first time.
@MainActor final class PictureGrid {
    struct Look {
        var count: Int
        var columns: ClosedRange<Int>
        /// Of an image, in application pixels.
        var size: PixelSize
        var contentFit = ContentFit.contain
        var indicator: ImageIndicator
        var transition: ImageTransition
        /// On the origin.
        var path: (Int) -> String
        /// Under the image.
        var caption: ((Int) -> String)?
    }

    final class Cell {
        let picture: Widget
        let caption: Widget?

        @MainActor init(_ look: Look) {
            picture = Build.picture(look.size.width, look.size.height, css: "photo")
            caption = look.caption == nil ? nil : Build.label("", css: "dim-label", xalign: 0.5)
            // As wide as its column, unless there is a caption below.
            if caption != nil { gtk_widget_set_halign(picture, GTK_ALIGN_CENTER) }
        }

        var widgets: [Widget] { [picture] + (caption.map { [$0] } ?? []) }
    }

    private let look: Look
    private let gallery: Gallery
    private var grid: RecyclingView<Cell>?
    var widget: Widget { grid!.widget }

    init(_ look: Look, _ gallery: Gallery) {
        self.look = look
        self.gallery = gallery
        let grid = RecyclingView<Cell>(
            .grid(columns: look.columns), count: look.count,
            make: {
                let cell = Cell(look)
                return (cell, Build.box(GTK_ORIENTATION_VERTICAL, spacing: 6, cell.widgets, css: "photo-cell"))
            }, bind: { [weak self] cell, number in self?.bind(cell, number) },
            unbind: { cell in cell.picture.setImage(with: nil) })
        gtk_widget_add_css_class(grid.view, "photos")
        self.grid = grid
    }

    private func bind(_ cell: Cell, _ number: Int) {
        var presentation = ImagePresentation()
        presentation.contentFit = look.contentFit
        presentation.indicator = look.indicator
        presentation.failureImage = .icon("network-offline-symbolic", size: 48)
        presentation.retriesOnTap = true
        presentation.startsWhenDrawn = true
        if let caption = cell.caption, let text = look.caption { Build.setText(caption, text(number)) }
        cell.picture.setImage(
            with: gallery.request(look.path(number)),
            placeholder: .color(PixelColor(rgb: 0x80_8890, alpha: 0.18)), transition: look.transition,
            presentation: presentation, pipeline: gallery.pipeline
        ) { [weak gallery] result in gallery?.count(result) }
    }

    /// After the network has come back.
    func retry() { for cell in grid?.bound.values.map(\.self) ?? [] { cell.picture.imageBinding?.retry() } }

    /// Whether an image has arrived only in part.
    var isHalfway: Bool {
        grid?.bound.values.contains { cell in
            guard let binding = cell.picture.imageBinding, binding.state.isLoading else { return false }
            return (0.3...0.8).contains(binding.progress?.fraction ?? 0)
        } == true
    }

    func scroll(to fraction: Double) { grid?.scroll(to: fraction) }
}

extension PictureGrid.Look {
    /// Large photos, decoded to the size of the cell, with a progress bar while they arrive.
    static var photos: Self {
        Self(
            count: GalleryPicture.photoCount, columns: 2...4, size: PixelSize(width: 240, height: 180),
            contentFit: .cover, indicator: .progress, transition: .crossFade, path: { "/photos/\($0).jpg" })
    }

    /// Animations in three formats, which play only while they are drawn.
    static var animations: Self {
        let side = MovingPainter.side
        return Self(
            count: GalleryPicture.movingCount, columns: 3...5, size: PixelSize(width: side, height: side),
            indicator: .activity, transition: .zoom(), path: GalleryPicture.movingPath,
            caption: { number in
                switch GalleryPicture.movingFormat(number) {
                case .png: "APNG"
                case .gif: "GIF"
                default: "WebP"
                }
            })
    }
}
