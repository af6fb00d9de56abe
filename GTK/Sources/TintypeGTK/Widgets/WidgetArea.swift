import CGTK
import Tintype

/// How much room a widget has for its picture.
@MainActor enum WidgetArea {
    static func area(of widget: Widget) -> PixelSize? {
        var (requestedWidth, requestedHeight): (gint, gint) = (-1, -1)
        gtk_widget_get_size_request(widget, &requestedWidth, &requestedHeight)
        let width = Int(gtk_widget_get_width(widget))
        let height = Int(gtk_widget_get_height(widget))
        if requestedWidth > 0, requestedHeight > 0 {
            return PixelSize(width: max(Int(requestedWidth), width), height: max(Int(requestedHeight), height))
        }
        guard width > 1, height > 1 else { return nil }
        // A widget that got just what its contents ask for says nothing about the picture that is to come: a placeholder of
        // 32 pixels would make a picture of 32 pixels.
        let isOwnWidth = requestedWidth <= 0 && width == natural(widget, GTK_ORIENTATION_HORIZONTAL)
        let isOwnHeight = requestedHeight <= 0 && height == natural(widget, GTK_ORIENTATION_VERTICAL)
        return isOwnWidth && isOwnHeight ? nil : PixelSize(width: width, height: height)
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
