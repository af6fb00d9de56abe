import CGTK
import Tintype

/// A widget or object that can show an image. GtkPicture, GtkImage and GtkButton have theirs; a widget of your
/// own that draws a GdkPaintable needs the first three.
@MainActor public protocol ImageDisplaying {
    /// The binding lives and dies with this widget, and rests while it is not mapped.
    var widget: Widget { get }
    /// The GdkPaintable that is shown now. A load that finds another one than its own gives up.
    var shownPaintable: OpaquePointer? { get }
    /// Shows a GdkPaintable, which may change later, or nothing.
    func show(_ paintable: OpaquePointer?)

    /// Tells several images of one widget apart. "image" by default.
    var slot: String { get }
    /// `contain` by default, and not to be changed.
    var contentFit: ContentFit { get nonmutating set }
    /// The room for the image in application pixels, as far as it does not depend on the image itself; nil if it does, or
    /// is not known yet. By default the size that was requested for the widget, else the one that it has.
    var area: PixelSize? { get }
    /// The room that was asked for whatever is shown in it, in application pixels: what arrives costs a redraw, and no layout.
    /// Nil if the widget's size follows the image. By default the widget's size request, if it has both width and height.
    var requestedArea: PixelSize? { get }
    /// The signal that is emitted when other code shows another paintable, if there is one.
    var changeSignal: String? { get }
    /// The signal that asks for another try after a failure; nil, the default, is a click.
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

/// A GtkImage: its icon or pixel size is the room for the image.
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

    /// - Parameter iconSize: in application pixels; 16 by default, as GTK's own icons in buttons.
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
