import Tintype

extension ProcessingOptions.Step {
    /// The processor of the step.
    var processor: any ImageProcessor {
        switch self {
        case .resize(let target): .resize(target)
        case .crop(let rect): .crop(rect)
        case .circle: .circle()
        case .cornerRadius(let radius): .roundedCorners(radius: radius)
        case .blur(let deviation): .blur(sigma: deviation)
        case .tint(let colour, let alpha): .tint(PixelColor(rgb: colour, alpha: alpha))
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
