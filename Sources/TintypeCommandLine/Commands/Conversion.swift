import Tintype
import TintypeBase

/// The conversion of one encoded image to another.
struct Conversion: Sendable {
    struct Result: Sendable {
        var format: ImageFormat
        var size: PixelSize
        var frameCount: Int
        var byteCount: Int
        var isPartial: Bool
        var warnings: [String]

        func json(source: String, path: String) -> JSONOutput {
            [
                "source": .string(source), "path": .string(path), "format": .string(format.rawValue),
                "width": .integer(size.width), "height": .integer(size.height), "frameCount": .integer(frameCount),
                "bytes": .integer(byteCount), "partial": .boolean(isPartial),
                "warnings": .array(warnings.map { .string($0) }),
            ]
        }
    }

    let format: ImageFormat
    let processing: ProcessingOptions
    var decodeOptions = DecodeOptions()
    var encodeOptions = EncodeOptions()
    let inputLimit: Int
    let codecs = ImageCodecs.standard

    init(_ call: Invocation, output: String) throws {
        processing = try ProcessingOptions(call)
        if let named = try call.choice("format", ImageFormat.self) {
            format = named
        } else if let byName = Conversion.format(forPath: output) {
            format = byName
        } else {
            throw UsageError(
                "the extension of '\(output)' names no image format; use one such as .png, or --format NAME")
        }
        decodeOptions.frame = try call.integer("frame", 0...Int.max)
        decodeOptions.isLenient = call.has("lenient")
        decodeOptions.limits = processing.limits
        encodeOptions = try EncodeOptions(call)
        inputLimit = try call.byteCount("max-bytes") ?? PrefixReader.defaultLimit
    }

    /// By the extension, whatever its case.
    static func format(forPath path: String) -> ImageFormat? {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: ".") else { return nil }
        switch name[name.index(after: dot)...].lowercased() {
        case "jpg", "jpeg", "jpe", "jfif": return .jpeg
        case "png", "apng": return .png
        case "tif", "tiff": return .tiff
        case "heic", "heif": return .heic
        case "bmp", "dib": return .bmp
        case let other: return ImageFormat(rawValue: other)
        }
    }

    func run(input: String, output: String, console: Console) throws -> Result {
        let (data, result) = try convert(bytes(of: input))
        if output == "-" {
            console.writeRaw(data)
        } else {
            try OutputFile.write(data, to: output)
        }
        return result
    }

    private func bytes(of input: String) throws -> Data {
        switch try InputSource(input) {
        case .path(let path): try PrefixReader(path: path).readImage(limit: inputLimit)
        case .standardInput: try PrefixReader(standardInput: 0).readImage(limit: inputLimit)
        case .data(let url): try DataURL.decode(url).data
        case .remote(let url): try waitFor { [inputLimit] in try await RemotePrefix.data(url, limit: inputLimit) }
        }
    }

    func convert(_ data: Data) throws -> (Data, Result) {
        guard let encoder = codecs.encoder(for: format) else {
            throw Problem("codecUnavailable", "this build cannot write \(format)")
        }
        if decodeOptions.frame == nil, encoder.canAnimate,
            let animation = try codecs.animation(data, options: decodeOptions), animation.frameCount > 1
        {
            let poster = try codecs.poster(of: data, besides: animation, options: decodeOptions)
            return try convert(animation, poster: poster, encoder)
        }
        return try convertStill(data, encoder)
    }

    private func convertStill(_ data: Data, _ encoder: any ImageEncoder) throws -> (Data, Result) {
        var options = decodeOptions
        var steps = processing.steps[...]
        if case .resize(let target)? = steps.first {
            // Decoding straight to the size is cheaper than decoding and resizing.
            options.target = target
            steps = steps.dropFirst()
        }
        let image = try codecs.decode(data, options: options)
        if let frame = options.frame, image.info.isFrameListComplete, frame >= image.info.frameCount {
            throw Problem("noSuchFrame", "there is no frame \(frame); the image has \(image.info.frameCount)")
        }
        let bitmap = try steps.reduce(image.bitmap) { try $1.apply(to: $0) }
        let encoded = try encoder.encode(bitmap, options: encodeOptions)
        var warnings = image.warnings
        if image.isPartial { warnings.append("it is truncated; the missing part is transparent") }
        if options.frame == nil, image.info.isAnimated {
            let info = image.info.isFrameListComplete ? image.info : try codecs.info(data)
            warnings.append(Conversion.lostFrames(info.frameCount, format))
        }
        return (
            encoded,
            Result(
                format: format, size: bitmap.size, frameCount: 1, byteCount: encoded.count,
                isPartial: image.isPartial, warnings: warnings)
        )
    }

    private func convert(
        _ animation: AnimatedImage, poster: Bitmap?, _ encoder: any ImageEncoder
    ) throws -> (Data, Result) {
        let encoded = try Conversion.encoded(
            animation, poster: poster, steps: processing.steps, encoder, encodeOptions)
        return (
            encoded.data,
            Result(
                format: format, size: encoded.size, frameCount: animation.frameCount, byteCount: encoded.data.count,
                isPartial: false, warnings: [])
        )
    }

    static func lostFrames(_ count: Int, _ format: ImageFormat) -> String {
        "only the first of \(count) frames is kept; this build writes no animations as \(format)"
    }

    /// The whole animation, frame by frame, each through the steps.
    static func encoded(
        _ animation: AnimatedImage, poster: Bitmap? = nil, steps: [ProcessingOptions.Step],
        _ encoder: any ImageEncoder, _ options: EncodeOptions, limits: DecodeLimits = DecodeLimits()
    ) throws -> (data: Data, size: PixelSize) {
        var size = animation.info.size
        let data = try ImageCodecs.standard.encode(
            animation, as: encoder.format, poster: poster, options: options, limits: limits
        ) {
            let bitmap = try steps.reduce($0) { try $1.apply(to: $0) }
            size = bitmap.size
            return bitmap
        }
        return (data, size)
    }
}
