/// A processor that comes with Tintype.
///
/// Lengths are in pixels, angles in degrees, colours in sRGB; positions count from the top left corner. Every processor
/// works on images of any size from 1×1 on. Parameters out of range (not a number, negative, empty) throw
/// `ImagingError.processorFailed`, results of more than 100 megapixels `ImagingError.imageTooLarge`, both when the
/// processor runs.
///
/// ```swift
/// import TintypeImaging
///
/// let avatar: [any ImageProcessor] = [
///     .resize(width: 96, height: 96, fit: .cover), .circle(border: BorderStroke(width: 2, color: .white)),
/// ]
/// ```
public struct StandardProcessor: ImageProcessor {
    public let identifier: String
    private let base: any ImageProcessor

    init(_ base: any ImageProcessor) {
        self.base = base
        identifier = base.identifier
    }

    public func process(_ bitmap: Bitmap) throws -> Bitmap { try base.process(bitmap) }

    public func outputSize(for size: PixelSize) -> PixelSize? { base.outputSize(for: size) }

    /// The axis along which pixels change places.
    public enum FlipAxis: String, Sendable, Hashable, CaseIterable {
        /// Exchanges left and right.
        case horizontal
        /// Exchanges top and bottom.
        case vertical
    }

    /// Where a border is drawn.
    public enum BorderPosition: String, Sendable, Hashable, CaseIterable {
        /// Over the outermost pixels; the size stays.
        case inside
        /// Around the image, which grows by twice the width, rounded to whole pixels.
        case outside
    }

    /// The corners that are rounded.
    public struct Corners: OptionSet, Sendable, Hashable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }

        public static let topLeft = Corners(rawValue: 1)
        public static let topRight = Corners(rawValue: 2)
        public static let bottomLeft = Corners(rawValue: 4)
        public static let bottomRight = Corners(rawValue: 8)
        public static let all: Corners = [.topLeft, .topRight, .bottomLeft, .bottomRight]
    }
}

/// A line along the inside of an outline.
public struct BorderStroke: Sendable, Hashable {
    /// Pixels, 0…10,000.
    public var width: Double
    public var color: PixelColor

    public init(width: Double, color: PixelColor) {
        self.width = width
        self.color = color
    }

    func check() throws { try Parameter.check(width, "the border's width", in: 0...10_000) }
}

extension ImageProcessor where Self == StandardProcessor {
    // MARK: Geometry

    /// Scales to a box.
    public static func resize(_ target: ResizeTarget) -> Self { Self(ImageProcessors.Resize(target: target)) }

    /// Scales to a box; see `ResizeTarget` for what each parameter does.
    public static func resize(
        width: Int? = nil, height: Int? = nil, fit: ResizeTarget.Fit = .contain, allowsUpscaling: Bool = true,
        filter: ResampleFilter = .lanczos3, gravity: Gravity = .center
    ) -> Self {
        .resize(
            ResizeTarget(
                width: width, height: height, fit: fit, allowsUpscaling: allowsUpscaling, filter: filter,
                gravity: gravity))
    }

    /// Crops to a rectangle. The part of it outside of the image is left out; nothing left is an error.
    public static func crop(_ rect: PixelRect) -> Self { Self(ImageProcessors.Crop(area: .rect(rect))) }

    /// Crops to a rectangle.
    public static func crop(x: Int, y: Int, width: Int, height: Int) -> Self {
        .crop(PixelRect(x: x, y: y, width: width, height: height))
    }

    /// Crops to a size, or as much of it as there is, at the place that the gravity names.
    public static func crop(width: Int, height: Int, gravity: Gravity = .center) -> Self {
        Self(ImageProcessors.Crop(area: .size(PixelSize(width: width, height: height), gravity)))
    }

    /// Mirrors the image.
    public static func flip(_ axis: StandardProcessor.FlipAxis) -> Self { Self(ImageProcessors.Flip(axis: axis)) }

    /// Rotates counter-clockwise about the centre. Multiples of 90° move pixels without changing them; other angles
    /// interpolate and soften the edges.
    /// - Parameters:
    ///   - degrees: any finite angle.
    ///   - background: the colour of the corners that the rotated image leaves.
    ///   - fitsCanvas: true grows the canvas to hold all of the image; false keeps its size and cuts corners off.
    public static func rotate(degrees: Double, background: PixelColor = .clear, fitsCanvas: Bool = true) -> Self {
        Self(ImageProcessors.Rotate(degrees: degrees, background: background, fitsCanvas: fitsCanvas))
    }

    /// Adds the same edge to all four sides.
    public static func pad(_ width: Int, color: PixelColor = .clear) -> Self {
        .pad(top: width, left: width, bottom: width, right: width, color: color)
    }

    /// Adds edges.
    public static func pad(
        top: Int = 0, left: Int = 0, bottom: Int = 0, right: Int = 0, color: PixelColor = .clear
    ) -> Self {
        Self(ImageProcessors.Pad(space: .insets(top: top, left: left, bottom: bottom, right: right), color: color))
    }

    /// Places the image in a box. A side of the box that is smaller than the image grows to it; nothing is cut off.
    public static func pad(
        toWidth width: Int, height: Int, gravity: Gravity = .center, color: PixelColor = .clear
    ) -> Self {
        Self(ImageProcessors.Pad(space: .box(PixelSize(width: width, height: height), gravity), color: color))
    }

    /// Cuts off the outer rows and columns that hold only one colour. An image of a single colour stays as it is.
    /// - Parameters:
    ///   - tolerance: the largest difference of a channel from the colour, 0…255.
    ///   - color: nil, the default, takes the colour of the top left pixel.
    public static func trim(tolerance: Int = 10, color: PixelColor? = nil) -> Self {
        Self(ImageProcessors.Trim(tolerance: tolerance, color: color))
    }

    // MARK: Shapes

    /// Cuts the largest circle out of the centre. The result is a square with the length of the shorter side.
    public static func circle(border: BorderStroke? = nil) -> Self { Self(ImageProcessors.Circle(border: border)) }

    /// Rounds corners.
    /// - Parameters:
    ///   - radius: pixels; more than half of the shorter side counts as half.
    ///   - corners: the corners to round; all by default.
    ///   - border: drawn inside the edge.
    public static func roundedCorners(
        radius: Double, corners: StandardProcessor.Corners = .all, border: BorderStroke? = nil
    ) -> Self { Self(ImageProcessors.RoundedCorners(radius: .pixels(radius), corners: corners, border: border)) }

    /// Rounds corners by a fraction of the shorter side.
    /// - Parameters:
    ///   - fraction: 0…1; from 0.5 on the shorter sides become half circles.
    ///   - corners: the corners to round; all by default.
    ///   - border: drawn inside the edge.
    public static func roundedCorners(
        fraction: Double, corners: StandardProcessor.Corners = .all, border: BorderStroke? = nil
    ) -> Self { Self(ImageProcessors.RoundedCorners(radius: .fraction(fraction), corners: corners, border: border)) }

    /// Draws a border along the edges.
    public static func border(
        width: Double, color: PixelColor, position: StandardProcessor.BorderPosition = .inside
    ) -> Self {
        Self(ImageProcessors.Border(stroke: BorderStroke(width: width, color: color), position: position))
    }

    // MARK: Blur

    /// Blurs with a Gaussian. The outermost pixels repeat beyond the edges, so edges neither darken nor fade.
    /// - Parameter sigma: the standard deviation in pixels, 0…10,000, which Pillow and CSS call radius.
    public static func blur(sigma: Double) -> Self { Self(ImageProcessors.GaussianBlur(sigma: sigma)) }

    /// Sharpens by unsharp masking.
    /// - Parameters:
    ///   - amount: 0…10; 0.5 to 1 suits a photograph that was scaled down.
    ///   - sigma: the standard deviation of the blur in pixels, 0.1…100: the width of the sharpened edges.
    ///   - threshold: the difference from the surroundings, 0…255, from which on a pixel changes; keeps noise down.
    public static func sharpen(amount: Double = 0.5, sigma: Double = 1, threshold: Double = 0) -> Self {
        Self(ImageProcessors.Sharpen(amount: amount, sigma: sigma, threshold: threshold))
    }

    // MARK: Colour

    /// Changes saturation, then contrast, then brightness.
    /// - Parameters:
    ///   - brightness: added to every channel: -1 makes everything black, 0 changes nothing, 1 makes everything white.
    ///   - contrast: the factor of distances from middle grey, 0…100; 1 changes nothing.
    ///   - saturation: 0…100; 0 leaves shades of grey, 1 changes nothing.
    public static func colorControls(brightness: Double = 0, contrast: Double = 1, saturation: Double = 1) -> Self {
        Self(ImageProcessors.ColorControls(brightness: brightness, contrast: contrast, saturation: saturation))
    }

    /// Removes colour, by the luminance of each pixel (ITU-R BT.709).
    /// - Parameter amount: 0 changes nothing, 1 removes all colour.
    public static func grayscale(amount: Double = 1) -> Self { Self(ImageProcessors.Grayscale(amount: amount)) }

    /// Tones the image brown (Filter Effects Module Level 1, §9).
    /// - Parameter amount: 0 changes nothing, 1 is the full effect.
    public static func sepia(amount: Double = 1) -> Self { Self(ImageProcessors.Sepia(amount: amount)) }

    // MARK: Blending

    /// Draws the image over one colour.
    public static func background(_ color: PixelColor) -> Self { Self(ImageProcessors.Background(color: color)) }

    /// Draws a colour over the image; the alpha of the colour is the strength.
    /// - Parameters:
    ///   - color: the colour.
    ///   - mode: `.sourceAtop`, the default, stays within the outline of the image; `.sourceIn` replaces all colours, as
    ///     for symbols.
    public static func tint(_ color: PixelColor, mode: BlendMode = .sourceAtop) -> Self {
        Self(ImageProcessors.Tint(color: color, mode: mode))
    }

    /// Draws another image over the image: a watermark, a badge, a mask.
    /// - Parameters:
    ///   - bitmap: the other image.
    ///   - id: names the other image in cache keys; give other pixels another one.
    ///   - gravity: where it goes.
    ///   - offset: moves it to the right and down from there, in pixels.
    ///   - mode: how the two are combined.
    ///   - opacity: 0…1.
    public static func overlay(
        _ bitmap: Bitmap, id: String, gravity: Gravity = .center, offset: (x: Int, y: Int) = (0, 0),
        mode: BlendMode = .normal, opacity: Double = 1
    ) -> Self {
        Self(
            ImageProcessors.Overlay(
                bitmap: bitmap, id: id, gravity: gravity, offset: offset, mode: mode, opacity: opacity))
    }

    // MARK: Combining

    /// Runs several processors, one after the other.
    public static func compose(_ processors: [any ImageProcessor]) -> Self {
        Self(ImageProcessors.Composition(processors: processors))
    }

    /// Runs a closure.
    /// - Parameters:
    ///   - id: all that the cache key knows of the closure: give a closure that makes other pixels another one.
    ///   - body: makes the new image, on a decode thread.
    public static func custom(id: String, _ body: @escaping @Sendable (Bitmap) throws -> Bitmap) -> Self {
        Self(ImageProcessors.Custom(id: id, body: body))
    }
}
