import Foundation
import Tintype

// The samples of the how-to pages. Some are whole types, so they stand outside.

// SAMPLE Sources/Tintype/Tintype.docc/Servers.md 1
/// Thumbnails of images that users name.
struct Thumbnails: Sendable {
    let pipeline: ImagePipeline

    init() throws {
        let disk = try DiskCache(.init(namespace: "thumbnails", maximumByteCount: 8 << 30))
        var configuration = ImagePipeline.Configuration(diskCache: disk)
        configuration.requestDefaults.blocksPrivateAddresses = true
        configuration.requestDefaults.maximumBodyByteCount = 20 << 20
        configuration.requestDefaults.timeouts = Timeouts(
            connect: .seconds(3), idle: .seconds(5), total: .seconds(15))
        configuration.dataCachePolicy = .processed  // the small image is kept, not the large one
        pipeline = ImagePipeline(configuration)
    }

    /// - Throws: `NetworkingError` for a URL that is neither http nor https, `PipelineError` from the load,
    ///   `ImagingError` from the encoder, `CancellationError` if the task is cancelled.
    func webp(of url: String, width: Int) async throws -> Data {
        // User input may also be a path, file: or data:. WebURL accepts only http and https.
        var request = ImageRequest(string: try WebURL(url).absoluteString)
        request.target = ResizeTarget(width: min(max(width, 16), 1024), height: nil, allowsUpscaling: false)
        request.decodeOptions.limits.maximumPixelCount = 50_000_000
        request.options = .firstFrameOnly
        let image = try await pipeline.image(for: request)
        return try ImageCodecs.standard.encode(image.bitmap, as: .webp)
    }
}
// END

// SAMPLE Sources/Tintype/Tintype.docc/Servers.md 2
/// The HTTP status for the failure of an image that came from elsewhere.
func status(for error: any Error) -> Int {
    switch PipelineError.code(of: error) {
    case "invalidURL", "unsupportedScheme", "blockedAddress": 400
    case "unsupportedFormat", "codecUnavailable", "corrupt", "truncated", "imageTooLarge", "bodyTooLarge": 422
    case "timedOut": 504
    default: 502
    }
}
// END

// SAMPLE Sources/Tintype/Tintype.docc/LinkPreviews.md 1
/// Reads the head of a page, and no more of it than that needs.
func head(of page: String, downloader: ImageDownloader) async throws -> (html: String, base: WebURL) {
    var request = DownloadRequest(try WebURL(page))
    request.headers = ["Accept": "text/html"]
    request.blocksPrivateAddresses = true
    request.maximumBodyByteCount = 1 << 20
    let (data, response) = try await downloader.data(for: request)
    return (String(decoding: data, as: UTF8.self), try WebURL(response.finalURL))
}

/// The value of `<meta property="og:image" content="…">`, the attributes in any order.
func openGraphImage(in html: String) -> String? {
    for tag in html.split(separator: "<") where tag.hasPrefix("meta") && tag.contains(#""og:image""#) {
        let value = tag.split(separator: #"content=""#, maxSplits: 1).dropFirst().first?.prefix { $0 != "\"" }
        if let value { return String(value).replacing("&amp;", with: "&") }
    }
    return nil
}
// END

extension HowToSamples {
    static func preview(html: String, base: WebURL, pipeline: ImagePipeline) async throws {
        // SAMPLE Sources/Tintype/Tintype.docc/LinkPreviews.md 2
        guard let reference = openGraphImage(in: html) else { return }
        var request = ImageRequest(string: try base.resolving(reference).absoluteString)  // it may be relative
        request.target = ResizeTarget(width: 600, height: 315, fit: .cover, gravity: .attention)
        request.network.blocksPrivateAddresses = true
        request.options = .firstFrameOnly
        let image = try await pipeline.image(for: request)
        let color = try image.bitmap.dominantColor()
        let placeholder = try ThumbHash(encoding: image.bitmap).bytes
        // END
        print(color?.hex ?? "", placeholder.count)
    }
}

// SAMPLE Sources/Tintype/Tintype.docc/CustomCodecs.md 1
/// Reports the time of each decoding and forwards everything to the wrapped decoder.
struct MeasuredDecoder: ImageDecoder {
    let base: any ImageDecoder
    let report: @Sendable (ImageFormat, Duration) -> Void

    var format: ImageFormat { base.format }

    func info(_ data: Data, isComplete: Bool, limits: DecodeLimits) throws -> ImageInfo {
        try base.info(data, isComplete: isComplete, limits: limits)
    }

    func decode(_ data: Data, options: DecodeOptions) throws -> DecoderOutput {
        let start = ContinuousClock.now
        defer { report(format, start.duration(to: .now)) }
        return try base.decode(data, options: options)
    }

    func frames(_ data: Data, options: DecodeOptions) throws -> (any FrameSource)? {
        try base.frames(data, options: options)
    }

    func incrementalDecoder(options: DecodeOptions) -> (any IncrementalDecoder)? {
        base.incrementalDecoder(options: options)
    }
}
// END

// SAMPLE Sources/Tintype/Tintype.docc/CustomCodecs.md 3
/// Reads binary PPM (`P6`), which Tintype does not support.
func portablePixmap(_ data: Data) throws -> Bitmap {
    var fields: [Int] = []
    var position = data.startIndex + 2
    while fields.count < 3, let end = data[position...].dropFirst().firstIndex(where: { $0 <= 32 }) {
        fields.append(Int(String(decoding: data[position + 1..<end], as: UTF8.self)) ?? 0)
        position = end
    }
    guard fields.count == 3, fields[2] == 255 else { throw ImagingError.unsupportedFormat("a PPM of this kind") }
    let (width, height, pixels) = (fields[0], fields[1], data[(position + 1)...])
    // Sizes of a file are checked before anything is allocated.
    guard (1...30_000).contains(width), (1...30_000).contains(height), pixels.count >= width * height * 3 else {
        throw ImagingError.unsupportedFormat("a PPM without its pixels")
    }
    return try Bitmap(width: width, height: height, isOpaque: true) { target, bytesPerRow in
        for index in 0..<width * height {
            let offset = index / width * bytesPerRow + index % width * 4
            for channel in 0..<3 { target[offset + channel] = pixels[pixels.startIndex + index * 3 + channel] }
            target[offset + 3] = 255
        }
    }
}

func pixmapConfiguration() -> ImagePipeline.Configuration {
    var configuration = ImagePipeline.Configuration()
    configuration.requestDefaults.hooks.dataTransformer = { data, _ in
        guard data.starts(with: Data("P6".utf8)) else { return data }
        return try ImageCodecs.standard.encode(portablePixmap(data), as: .png)
    }
    return configuration
}
// END

enum HowToSamples {
    static func codecs() -> ImagePipeline {
        // SAMPLE Sources/Tintype/Tintype.docc/CustomCodecs.md 2
        var codecs = ImageCodecs.standard
        codecs.decoders = codecs.decoders.map { decoder in
            MeasuredDecoder(base: decoder) { format, time in print(format, time) }
        }
        var configuration = ImagePipeline.Configuration()
        configuration.codecs = codecs
        let pipeline = ImagePipeline(configuration)
        // END
        return pipeline
    }
}
