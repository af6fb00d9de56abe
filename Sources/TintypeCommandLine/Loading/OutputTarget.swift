import Tintype
import TintypeBase

/// The destination and the format of the images of `get`.
struct OutputTarget: Sendable {
    enum Place: Sendable {
        case nowhere
        case standardOutput
        case file(String, FileOrigin)
        case folder(OutputFolder)
    }

    /// The result of writing one image.
    struct Written: Sendable {
        /// Nil if no file was written.
        var path: String?
        var warnings: [String] = []
    }

    let place: Place
    let overwrites: Bool
    /// Whether the pixels are changed, so that the original bytes cannot be written.
    let isProcessed: Bool
    /// The format of `--format`.
    let format: ImageFormat?
    let encoding: EncodeOptions
    /// The longest time that the frames of one animation may take to encode.
    let encodingTime: Duration?
    let previews: OutputFolder?
    let screen: (@Sendable (Bitmap) throws -> String)?
    let pool = WorkerPool(name: "tintype-output", width: 2)

    var wantsPreviews: Bool { previews != nil }
    var wantsOriginals: Bool {
        if case .nowhere = place { false } else { !isProcessed }
    }

    /// Returns the file of an earlier run, which need not be loaded again.
    func existingFile(for index: Int) -> String? {
        if case .folder(let folder) = place { folder.existingFile(for: index) } else { nil }
    }

    /// Writes an image to its destination.
    ///
    /// - Parameter original: returns the bytes that the server sent.
    func write(
        _ response: ImageResponse, index: Int, console: Console, original: @Sendable () async throws -> Data
    ) async throws -> Written {
        let wanted: ImageFormat?
        switch place {
        case .nowhere: return Written()
        case .standardOutput, .folder: wanted = format
        case .file(let path, _): wanted = format ?? Conversion.format(forPath: path)
        }
        var target = wanted ?? response.format
        let encoded: (data: Data, warnings: [String])
        if !isProcessed, target == response.format {
            encoded = (try await original(), [])
        } else {
            if wanted == nil, ImageCodecs.standard.encoder(for: target) == nil {
                target = response.image.bitmap.isOpaque ? .jpeg : .png
            }
            let (image, format) = (response.image, target)
            encoded = try await pool.run(stoppingAfter: encodingTime) { try encode(image, as: format) }
        }
        let (data, fileExtension) = (encoded.data, target.fileExtension)
        let path: String?
        switch place {
        case .nowhere: path = nil
        case .standardOutput:
            console.writeRaw(data)
            path = nil
        case .file(let file, let origin):
            try await pool.run { try store(data, file, origin) }
            path = file
        case .folder(let folder):
            path = try await pool.run { try folder.write(data, index: index, fileExtension: fileExtension) }
        }
        return Written(path: path, warnings: encoded.warnings)
    }

    /// Does not change an existing file, which is an error unless it holds the same bytes.
    private func store(_ data: Data, _ path: String, _ origin: FileOrigin) throws {
        if !overwrites, try OutputFile.holds(path, data) { return }
        try OutputFile.write(data, to: path, overwrites: overwrites, origin: origin)
    }

    private func encode(_ image: DecodedImage, as format: ImageFormat) throws -> (data: Data, warnings: [String]) {
        let codecs = ImageCodecs.standard
        guard let animation = image.animation, animation.frameCount > 1 else {
            return (try codecs.encode(image.bitmap, as: format, options: encoding), [])
        }
        if let encoder = codecs.encoder(for: format), encoder.canAnimate {
            return (try Conversion.encoded(animation, steps: [], encoder, encoding).data, [])
        }
        return (
            try codecs.encode(image.bitmap, as: format, options: encoding),
            [Conversion.lostFrames(animation.frameCount, format)]
        )
    }

    func write(preview: DecodedImage, index: Int, number: Int) async throws -> String? {
        guard let previews else { return nil }
        let bitmap = preview.bitmap
        return try await pool.run {
            try previews.write(
                preview: try ImageCodecs.standard.encode(bitmap, as: .png), index: index, number: number)
        }
    }

    /// Returns the image as text for the terminal, with `--show`.
    func image(of image: DecodedImage) async throws -> String? {
        guard let screen else { return nil }
        let bitmap = image.bitmap
        return try await pool.run { try screen(bitmap) }
    }
}
