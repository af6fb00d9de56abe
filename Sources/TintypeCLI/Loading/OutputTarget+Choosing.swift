import Tintype
import TintypeBase

extension OutputTarget {
    /// From the flags. Makes the folders.
    ///
    /// - Parameter isReversed: the URLs are loaded from the last to the first; their names are the same either way.
    init(_ call: Invocation, urls: [String], isList: Bool, isReversed: Bool, processing: ProcessingOptions) throws {
        var names = OutputNames()
        var stems = urls.map { names.stem(for: $0) }
        if isReversed { stems.reverse() }
        place = try OutputTarget.place(call.text("output"), urls: urls, isList: isList, stems: stems)
        overwrites = call.has("force")
        isProcessed = !processing.steps.isEmpty
        format = try call.choice("format", ImageFormat.self)
        var encoding = EncodeOptions()
        if let quality = try call.integer("quality", 0...100) { encoding.quality = quality }
        self.encoding = encoding
        previewFolder = call.text("progressive")
        previewStems = stems
        console = call.console
        if place == .standardOutput, call.wantsJSON {
            throw UsageError("--json and --output - both want standard output; choose one")
        }
        if let previewFolder { try OutputTarget.makeFolder(previewFolder) }
        if case .folder(let path, _) = place { try OutputTarget.makeFolder(path) }
        screen = call.has("show") && !call.wantsJSON ? OutputTarget.screen(call.console) : nil
    }

    private static func place(_ output: String?, urls: [String], isList: Bool, stems: [String]) throws -> Place {
        guard let output else { return .nowhere }
        guard !output.isEmpty else { throw UsageError("--output needs the path of a file or folder") }
        if output == "-" {
            guard urls.count == 1 else { throw UsageError("--output - takes one image, not \(urls.count)") }
            return .standardOutput
        }
        var status = stat()
        let isThere = stat(output, &status) == 0
        let isFolder = isThere && status.st_mode & S_IFMT == S_IFDIR
        if isFolder || output.hasSuffix("/") || urls.count > 1 || isList {
            guard !isThere || isFolder else {
                throw UsageError("--output must be a folder for more than one URL, and '\(output)' is a file")
            }
            var folder = output
            while folder.count > 1, folder.last == "/" { folder.removeLast() }
            return .folder(folder, stems: stems)
        }
        return .file(output)
    }

    private static func makeFolder(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw Problem("ioFailed", "the folder cannot be made: \(error)", source: path)
        }
    }

    /// Nil where standard output is no terminal, or one that can show nothing.
    static func screen(_ console: Console) -> (@Sendable (Bitmap) throws -> String)? {
        guard let graphics = Terminal.graphics(output: console.output) else { return nil }
        let size = Terminal.size(of: console.output) ?? Terminal.Size(columns: 80, rows: 24)
        return { try TerminalImage.text($0, graphics: graphics, on: size, codecs: ImageCodecs.standard) }
    }
}
