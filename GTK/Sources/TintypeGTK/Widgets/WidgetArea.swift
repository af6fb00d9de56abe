import CGTK
import Tintype

/// The area of a widget for its image.
@MainActor enum WidgetArea {
    static func area(of widget: Widget) -> PixelSize? {
        let width = Int(gtk_widget_get_width(widget))
        let height = Int(gtk_widget_get_height(widget))
        if let requested = requested(widget) {
            return PixelSize(width: max(requested.width, width), height: max(requested.height, height))
        }
        let (requestedWidth, requestedHeight) = sizeRequest(widget)
        guard width > 1, height > 1 else { return nil }
        // A widget with the natural size of its contents does not limit the image: a placeholder of 32 pixels would make an
        // image of 32 pixels.
        let isOwnWidth = requestedWidth <= 0 && width == natural(widget, GTK_ORIENTATION_HORIZONTAL)
        let isOwnHeight = requestedHeight <= 0 && height == natural(widget, GTK_ORIENTATION_VERTICAL)
        return isOwnWidth && isOwnHeight ? nil : PixelSize(width: width, height: height)
    }

    /// Nil unless both were requested.
    static func requested(_ widget: Widget) -> PixelSize? {
        let (width, height) = sizeRequest(widget)
        return width > 0 && height > 0 ? PixelSize(width: width, height: height) : nil
    }

    private static func sizeRequest(_ widget: Widget) -> (width: Int, height: Int) {
        var (width, height): (gint, gint) = (-1, -1)
        gtk_widget_get_size_request(widget, &width, &height)
        return (Int(width), Int(height))
    }

    private static func natural(_ widget: Widget, _ orientation: GtkOrientation) -> Int {
        var natural: gint = 0
        gtk_widget_measure(widget, orientation, -1, nil, &natural, nil, nil)
        return Int(natural)
    }

    /// Of a GtkImage.
    static func icon(_ image: Widget) -> PixelSize? {
        let pixels = Int(gtk_image_get_pixel_size(image.opaque))
        if pixels > 0 { return PixelSize(width: pixels, height: pixels) }
        let side = gtk_image_get_icon_size(image.opaque) == GTK_ICON_SIZE_LARGE ? 32 : 16
        return PixelSize(width: side, height: side)
    }
}
