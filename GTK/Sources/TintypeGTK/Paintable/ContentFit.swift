import CGTK
import CTintypeGTK
import Tintype

/// How an image is placed in the area that is there for it: GTK's GtkContentFit.
public enum ContentFit: String, Sendable, Hashable, CaseIterable {
    /// The area filled, the proportions given up.
    case fill
    /// The whole image inside the area.
    case contain
    /// The area filled, the proportions kept, what sticks out cut off.
    case cover
    /// As `contain`, but never larger than the image itself.
    case scaleDown

    var drawn: TintypeFit {
        switch self {
        case .fill: TINTYPE_FIT_FILL
        case .contain: TINTYPE_FIT_CONTAIN
        case .cover: TINTYPE_FIT_COVER
        case .scaleDown: TINTYPE_FIT_SCALE_DOWN
        }
    }

    var gtk: GtkContentFit {
        switch self {
        case .fill: GTK_CONTENT_FIT_FILL
        case .contain: GTK_CONTENT_FIT_CONTAIN
        case .cover: GTK_CONTENT_FIT_COVER
        case .scaleDown: GTK_CONTENT_FIT_SCALE_DOWN
        }
    }

    init(_ fit: GtkContentFit) {
        switch fit {
        case GTK_CONTENT_FIT_FILL: self = .fill
        case GTK_CONTENT_FIT_COVER: self = .cover
        case GTK_CONTENT_FIT_SCALE_DOWN: self = .scaleDown
        default: self = .contain
        }
    }

    /// The size to decode to for an area of device pixels. Never upscaled: the screen does that for nothing.
    func target(_ size: PixelSize) -> ResizeTarget {
        let fit: ResizeTarget.Fit =
            switch self {
            case .fill: .fill
            case .cover: .cover
            case .contain, .scaleDown: .contain
            }
        return ResizeTarget(width: size.width, height: size.height, fit: fit, allowsUpscaling: false)
    }
}
