import CGTK
import Tintype

/// A widget or object that can show an image. GtkPicture, GtkImage and GtkButton conform; a custom
/// widget that draws a GdkPaintable needs the first three members.
@MainActor public protocol ImageDisplaying {
    /// The widget that owns the binding, which stops loading while the widget is not mapped.
    var widget: Widget { get }
    /// The shown GdkPaintable. A load stops if it finds a paintable that is not its own.
    var shownPaintable: OpaquePointer? { get }
    /// Shows a GdkPaintable, whose contents may change later, or nothing.
    func show(_ paintable: OpaquePointer?)

    /// The name of the image if the widget has several. "image" by default.
    var slot: String { get }
    /// The content fit of the widget; `contain` by default and constant.
    var contentFit: ContentFit { get nonmutating set }
    /// The area for the image in application pixels; nil if it depends on the image or is not known yet. By default the
    /// requested size of the widget, else its current size.
    var area: PixelSize? { get }
    /// The fixed area in application pixels: an arriving image causes a redraw and no layout. Nil if the size of the widget
    /// follows the image. By default the size request of the widget, if it has both width and height.
    var requestedArea: PixelSize? { get }
    /// The signal that is emitted when other code shows another paintable, if there is one.
    var changeSignal: String? { get }
    /// The signal that retries after a failure; nil, the default, is a click.
    var retrySignal: String? { get }
}

extension ImageDisplaying {
    public var slot: String { "image" }

    public var contentFit: ContentFit {
        get { .contain }
        nonmutating set {}
    }

    public var area: PixelSize? { WidgetArea.area(of: widget) }
    public var requestedArea: PixelSize? { WidgetArea.requested(widget) }
    public var changeSignal: String? { nil }
    public var retrySignal: String? { nil }
}

/// A GtkPicture.
public struct PictureDisplay: ImageDisplaying {
    public let widget: Widget

    public init(_ picture: Widget) { widget = picture }

    public var shownPaintable: OpaquePointer? { gtk_picture_get_paintable(widget.opaque) }
    public func show(_ paintable: OpaquePointer?) { gtk_picture_set_paintable(widget.opaque, paintable) }
    public var changeSignal: String? { "notify::paintable" }

    public var contentFit: ContentFit {
        get { ContentFit(gtk_picture_get_content_fit(widget.opaque)) }
        nonmutating set { gtk_picture_set_content_fit(widget.opaque, newValue.gtk) }
    }
}

/// A GtkImage: its icon or pixel size is the area for the image.
public struct IconDisplay: ImageDisplaying {
    public let widget: Widget

    public init(_ image: Widget) { widget = image }

    public var shownPaintable: OpaquePointer? { gtk_image_get_paintable(widget.opaque) }
    public func show(_ paintable: OpaquePointer?) { gtk_image_set_from_paintable(widget.opaque, paintable) }
    public var changeSignal: String? { "notify::paintable" }
    public var area: PixelSize? { WidgetArea.icon(widget) }
    public var requestedArea: PixelSize? { area }
}

/// The icon of a GtkButton, which becomes its child.
public struct ButtonDisplay: ImageDisplaying {
    public let widget: Widget
    private let iconSize: Int

    /// - Parameter iconSize: in application pixels; 16 by default, like the icons of GTK in buttons.
    public init(_ button: Widget, iconSize: Int = 16) {
        widget = button
        self.iconSize = max(1, iconSize)
    }

    private var button: UnsafeMutablePointer<GtkButton> { widget.raw.assumingMemoryBound(to: GtkButton.self) }

    private var image: Widget? {
        gtk_button_get_child(button).flatMap { $0.isA(gtk_image_get_type()) ? $0 : nil }
    }

    public var shownPaintable: OpaquePointer? { image.flatMap { gtk_image_get_paintable($0.opaque) } }

    public func show(_ paintable: OpaquePointer?) {
        if let image {
            gtk_image_set_from_paintable(image.opaque, paintable)
        } else if let image = gtk_image_new_from_paintable(paintable) {
            gtk_image_set_pixel_size(image.opaque, gint(iconSize))
            gtk_button_set_child(button, image)
        }
    }

    public var area: PixelSize? { image.flatMap(WidgetArea.icon) ?? PixelSize(width: iconSize, height: iconSize) }
    public var requestedArea: PixelSize? { area }
    public var changeSignal: String? { "notify::child" }
    public var retrySignal: String? { "clicked" }
}
