import CGTK
import Tintype

/// What is shown while there is no image, or after a load has failed.
public enum Placeholder: Sendable {
    /// An image of the caller's, placed like the real one.
    case bitmap(Bitmap)
    /// Any GdkPaintable, such as a texture, placed like the real image.
    case paintable(ObjectReference)
    /// An icon of the icon theme, in the middle, at most this large in application pixels.
    case icon(String, size: Int = 32)
    case color(PixelColor)
    /// A blurred impression; what cannot be read shows nothing.
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
        // A placeholder that cannot be drawn is no placeholder; the load goes on.
        guard let hash = try? BlurHash(text) else { return nil }
        return (try? hash.bitmap(width: 32, height: 32))?.makeTexture()
    }
}

/// What is drawn over the placeholder while a load runs.
public enum ImageIndicator: String, Sendable, Hashable {
    case none
    /// Turning dots; they turn only while they are really drawn.
    case activity
    /// A bar with the part that has arrived, turning dots as long as the size is not known.
    case progress
}
