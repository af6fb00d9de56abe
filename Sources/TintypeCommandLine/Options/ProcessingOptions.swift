import Tintype

/// The processing flags, shared by `convert`, `get` and `prefetch`. They apply in the order of the command line.
struct ProcessingOptions: Sendable {
    enum Step: Sendable, Equatable {
        case resize(ResizeTarget)
        case crop(PixelRect)
        case circle
        case cornerRadius(Double)
        case blur(Double)
        case tint(UInt32, alpha: Double)
    }

    static let table: [OptionSpecification] = [
        .value("resize", nil, "WxH|Wx|xH", "Scale to a box, or to one side"),
        .value(
            "fit", nil, "MODE", kind: .choice(ResizeTarget.Fit.allCases.map(\.rawValue)),
            "How the image fits the box: contain (the default), cover or fill"),
        .flag("no-upscale", nil, "Do not enlarge images that are smaller than the box"),
        .value(
            "filter", nil, "NAME", kind: .choice(ResampleFilter.allCases.map(\.rawValue)),
            "Resampling filter: " + ResampleFilter.allCases.map(\.rawValue).joined(separator: ", ")
                + "; lanczos3 by default"),
        .value("crop", nil, "X,Y,W,H", "Cut out a rectangle, in pixels from the top left corner"),
        .flag("circle", nil, "Cut out the largest circle in the middle"),
        .value("corner-radius", nil, "R", "Round the corners, in pixels"),
        .value("blur", nil, "S", "Blur with a Gaussian of this standard deviation, in pixels"),
        .value("tint", nil, "RRGGBB[AA]", "Tint the image with a colour; AA is its alpha, 80 by default"),
    ]

    /// The flags about the encoded image, shared by `convert` and `get`.
    static let encodingTable: [OptionSpecification] = [
        .value("quality", nil, "Q", "0 to 100 for lossy formats; 85 by default"),
        .flag("lossless", nil, "Encode without loss, for formats with both modes"),
        .value(
            "format", nil, "NAME", kind: .choice(ImageFormat.allCases.map(\.rawValue)),
            "Encode in this format instead of that of the file name or the source"),
    ]

    var steps: [Step] = []
    /// The largest number of pixels that is decoded.
    var limits = DecodeLimits()

    init(_ call: Invocation) throws(UsageError) {
        let fit = try call.choice("fit", ResizeTarget.Fit.self) ?? .contain
        let filter = try call.choice("filter", ResampleFilter.self) ?? .lanczos3
        for occurrence in call.arguments.occurrences {
            switch occurrence.name {
            case "resize":
                var target = try ProcessingOptions.box(occurrence.value)
                target.fit = fit
                target.filter = filter
                target.allowsUpscaling = !call.has("no-upscale")
                steps.append(.resize(target))
            case "crop": steps.append(.crop(try ProcessingOptions.rectangle(occurrence.value)))
            case "circle": steps.append(.circle)
            case "corner-radius": steps.append(.cornerRadius(try ProcessingOptions.length(occurrence)))
            case "blur": steps.append(.blur(try ProcessingOptions.length(occurrence)))
            case "tint": steps.append(try ProcessingOptions.tint(occurrence.value))
            default: break
            }
        }
        if let pixels = try call.integer("max-pixels", 1...Int.max) { limits.maximumPixelCount = pixels }
    }

    static func box(_ text: String) throws(UsageError) -> ResizeTarget {
        let sides = text.split(separator: "x", omittingEmptySubsequences: false)
        let problem = UsageError("--resize needs a size such as 320x200, 320x or x200, not '\(text)'")
        guard sides.count == 2, !(sides[0].isEmpty && sides[1].isEmpty) else { throw problem }
        var numbers: [Int?] = []
        for side in sides {
            if side.isEmpty {
                numbers.append(nil)
            } else if let number = number(side), (1...1_000_000).contains(number) {
                numbers.append(number)
            } else {
                throw problem
            }
        }
        return ResizeTarget(width: numbers[0], height: numbers[1])
    }

    static func rectangle(_ text: String) throws(UsageError) -> PixelRect {
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { number($0) }
        guard numbers.count == 4, let x = numbers[0], let y = numbers[1], let width = numbers[2],
            let height = numbers[3], width > 0, height > 0
        else { throw UsageError("--crop needs X,Y,W,H such as 10,20,300,200, not '\(text)'") }
        return PixelRect(x: x, y: y, width: width, height: height)
    }

    private static func number(_ text: Substring) -> Int? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text), number <= 1 << 30 else {
            return nil
        }
        return number
    }

    private static func length(_ occurrence: ParsedArguments.Occurrence) throws(UsageError) -> Double {
        guard let number = Double(occurrence.value), number >= 0, number <= 10_000 else {
            throw UsageError("--\(occurrence.name) needs a number from 0 to 10000, not '\(occurrence.value)'")
        }
        return number
    }

    static func tint(_ text: String) throws(UsageError) -> Step {
        let digits = text.hasPrefix("#") ? text.dropFirst() : text[...]
        guard digits.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
            let value = UInt32(digits, radix: 16),
            digits.count == 6 || digits.count == 8
        else { throw UsageError("--tint needs a colour such as 3366CC or 3366CC80, not '\(text)'") }
        return digits.count == 6
            ? .tint(value, alpha: Double(0x80) / 255) : .tint(value >> 8, alpha: Double(value & 0xFF) / 255)
    }
}

extension ProcessingOptions.Step {
    /// The processor of this step.
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
    /// Adds the steps to a request. A resize in front becomes the target size, because decoding to a size is cheapest.
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

extension EncodeOptions {
    init(_ call: Invocation) throws(UsageError) {
        self.init()
        if let quality = try call.integer("quality", 0...100) { self.quality = quality }
        isLossless = call.has("lossless")
    }
}
