import Tintype

extension ProcessingOptions.Step {
    /// What does it.
    var processor: any ImageProcessor {
        switch self {
        case .resize(let target): ImageProcessors.Resize(target)
        case .crop(let rect): ImageProcessors.Crop(.rect(rect))
        case .circle: ImageProcessors.Circle()
        case .cornerRadius(let radius): ImageProcessors.RoundedCorners(.pixels(radius))
        case .blur(let deviation): ImageProcessors.GaussianBlur(sigma: deviation)
        case .tint(let colour, let alpha): ImageProcessors.Tint(PixelColor(rgb: colour, alpha: alpha))
        }
    }

    func apply(to bitmap: Bitmap) throws -> Bitmap { try processor.process(bitmap) }
}

extension ProcessingOptions {
    /// Hands the steps to a request: a resize that comes first is done while decoding, which costs least.
    func apply(to request: inout ImageRequest) {
        request.decodeOptions.limits = limits
        var rest = steps[...]
        if case .resize(let target)? = rest.first {
            request.target = target
            rest = rest.dropFirst()
        }
        request.processors = rest.map(\.processor)
        if !steps.isEmpty { request.options.insert(.transformAnimatedImages) }
    }
}
