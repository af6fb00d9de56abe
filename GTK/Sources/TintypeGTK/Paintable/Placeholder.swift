import CGTK
import Tintype

/// The content while there is no image, or after a failed load.
public enum Placeholder: Sendable {
    /// An image, placed like the loaded one.
    case bitmap(Bitmap)
    /// A GdkPaintable, such as a texture, placed like the loaded image.
    case paintable(ObjectReference)
    /// An icon of the icon theme, in the middle, at most this large in application pixels.
    case icon(String, size: Int = 32)
    case color(PixelColor)
    /// A blurred preview; invalid bytes show nothing.
    case blurHash(String)

    /// - Parameters:
    ///   - fit: of the real image.
    ///   - scale: device pixels for each application pixel.
    @MainActor func content(fit: ContentFit, scale: Int) -> (paintable: ObjectReference, fit: ContentFit)? {
        switch self {
        case .bitmap(let bitmap): (bitmap.makeTexture(), fit)
        case .paintable(let reference): (reference, fit)
        case .icon(let name, let size): Self.icon(name, size, scale).map { ($0, .scaleDown) }
        case .color(let color): Self.plain(color).map { ($0, .fill) }
        case .blurHash(let text): Self.blurred(text).map { ($0, .fill) }
        }
    }

    @MainActor private static func icon(_ name: String, _ size: Int, _ scale: Int) -> ObjectReference? {
        guard let display = gdk_display_get_default() else { return nil }
        let theme = gtk_icon_theme_get_for_display(display)
        let icon = gtk_icon_theme_lookup_icon(
            theme, name, nil, Int32(size), Int32(scale), GTK_TEXT_DIR_NONE, GtkIconLookupFlags(rawValue: 0))
        return icon.map { ObjectReference(consuming: UnsafeMutableRawPointer($0)) }
    }

    private static func plain(_ color: PixelColor) -> ObjectReference? {
        let alpha = UInt32(color.alpha)
        let pixel = [color.red, color.green, color.blue].map { UInt8((UInt32($0) * alpha + 127) / 255) }
        let bitmap = try? Bitmap(width: 1, height: 1, isOpaque: alpha == 255) { bytes, _ in
            bytes.copyBytes(from: pixel + [color.alpha])
        }
        return bitmap?.makeTexture()
    }

    private static func blurred(_ text: String) -> ObjectReference? {
        // A placeholder that cannot be drawn is left out; the load continues.
        guard let hash = try? BlurHash(text) else { return nil }
        return (try? hash.bitmap(width: 32, height: 32))?.makeTexture()
    }
}

/// The indicator over the placeholder while a load runs.
public enum ImageIndicator: String, Sendable, Hashable {
    case none
    /// Turning dots, which turn only while they are drawn.
    case activity
    /// A progress bar; turning dots while the size is not known.
    case progress
}
