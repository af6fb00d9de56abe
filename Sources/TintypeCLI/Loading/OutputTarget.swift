import Tintype
import TintypeBase

/// Where the images of `get` go, and in which format.
struct OutputTarget: Sendable {
    enum Place: Sendable, Equatable {
        case nowhere
        case standardOutput
        case file(String)
        /// One file for each URL; the stems are in the order of the URLs.
        case folder(String, stems: [String])
    }

    let place: Place
    let overwrites: Bool
    /// Whether the pixels are changed on the way, so that the original bytes will not do.
    let isProcessed: Bool
    /// A format that was asked for by name.
    let format: ImageFormat?
    let encoding: EncodeOptions
    let previewFolder: String?
    let previewStems: [String]
    let screen: (@Sendable (Bitmap) throws -> String)?
    let console: Console
    let pool = WorkerPool(name: "tintype-output", width: 2)

    var wantsPreviews: Bool { previewFolder != nil }
    var wantsOriginals: Bool { place != .nowhere && !isProcessed }

    /// The file of an earlier run, if there is one: what is done is not done again. A file that is no image is no
    /// file of ours.
    func existingFile(for index: Int) -> String? {
        guard case .folder(let folder, let stems) = place, !overwrites else { return nil }
        for format in ImageFormat.allCases {
            let path = folder + "/" + stems[index] + "." + format.fileExtension
            guard access(path, R_OK) == 0 else { continue }
            do {
                let reader = try PrefixReader(path: path)
                try reader.grow(to: 4096)
                if ImageFormat.sniff(reader.data) != nil { return path }
            } catch {
                continue
            }
        }
        return nil
    }

    /// Writes an image where it belongs.
    ///
    /// - Parameter original: brings the bytes as they came.
    /// - Returns: the path; nil if nothing was written.
    func write(_ response: ImageResponse, index: Int, original: @Sendable () async throws -> Data) async throws
        -> String?
    {
        let (path, wanted): (String?, ImageFormat?)
        switch place {
        case .nowhere: return nil
        case .standardOutput: (path, wanted) = (nil, format)
        case .file(let file): (path, wanted) = (file, format ?? Conversion.format(forPath: file))
        case .folder(let folder, let stems): (path, wanted) = (folder + "/" + stems[index], format)
        }
        var written = wanted ?? response.format
        let data: Data
        if !isProcessed, written == response.format {
            data = try await original()
        } else {
            if wanted == nil, ImageCodecs.standard.encoder(for: written) == nil {
                written = response.image.bitmap.isOpaque ? .jpeg : .png
            }
            let (image, format) = (response.image, written)
            data = try await pool.run { try encoded(image, as: format) }
        }
        guard let path else {
            console.writeRaw(data)
            return nil
        }
        let isFolder = if case .folder = place { true } else { false }
        let full = isFolder ? path + "." + written.fileExtension : path
        try await pool.run { try store(data, full) }
        return full
    }

    /// An existing file is left alone, which is no error if it holds the same bytes already.
    private func store(_ data: Data, _ path: String) throws {
        if !overwrites, try holds(path, data) { return }
        do {
            try OutputFile.write(data, to: path, overwrites: overwrites)
        } catch {
            // A list may name a URL twice: the other load can have written the file since it was looked for.
            guard !overwrites, try holds(path, data) else { throw error }
        }
    }

    private func holds(_ path: String, _ data: Data) throws -> Bool {
        guard access(path, R_OK) == 0 else { return false }
        let existing = try PrefixReader(path: path)
        return try existing.fileByteCount == data.count && existing.readAll() == data
    }

    private func encoded(_ image: DecodedImage, as format: ImageFormat) throws -> Data {
        let codecs = ImageCodecs.standard
        if let animation = image.animation, let encoder = codecs.encoder(for: format), encoder.canAnimate {
            return try Conversion.encoded(animation, steps: [], encoder, encoding).data
        }
        return try codecs.encode(image.bitmap, as: format, options: encoding)
    }

    func write(preview: DecodedImage, index: Int, number: Int) async throws -> String? {
        guard let previewFolder else { return nil }
        let digits = String(number)
        let name = previewStems[index] + "-" + String(repeating: "0", count: max(0, 3 - digits.count)) + digits
        let path = previewFolder + "/" + name + ".png"
        let bitmap = preview.bitmap
        try await pool.run {
            try OutputFile.write(try ImageCodecs.standard.encode(bitmap, as: .png), to: path)
        }
        return path
    }

    /// What the terminal shows of it, if that is wanted.
    func image(of image: DecodedImage) async throws -> String? {
        guard let screen else { return nil }
        let bitmap = image.bitmap
        return try await pool.run { try screen(bitmap) }
    }
}
