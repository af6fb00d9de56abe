import Tintype
import TintypeBase

extension OutputTarget {
    /// From the flags. Makes the folders.
    ///
    /// - Parameter isReversed: the URLs are loaded from the last to the first; their names are the same either way.
    init(_ call: Invocation, urls: [String], isList: Bool, isReversed: Bool, processing: ProcessingOptions) throws {
        overwrites = call.has("force")
        isProcessed = !processing.steps.isEmpty || call.has("frame")
        format = try call.choice("format", ImageFormat.self)
        encoding = try EncodeOptions(call)
        encodingTime = try LoadingOptions.timeout(call) ?? Timeouts().total
        let style = try call.choice("names", OutputNames.Style.self) ?? .url
        let flags = OutputTarget.flags(call)
        func folder(_ path: String) throws -> OutputFolder {
            try OutputFolder(
                path: path, urls: urls, isReversed: isReversed, style: style, flags: flags,
                overwrites: call.has("force"))
        }
        place = try OutputTarget.place(
            call, urls: urls, isList: isList, origin: FileOrigin(url: urls[0], flags: flags), folder)
        previews = try call.text("progressive").map(folder)
        screen = call.has("show") && !call.wantsJSON ? OutputTarget.screen(call.console) : nil
    }

    /// The flags that change what is written, in one spelling: two command lines that give the same files are equal.
    private static func flags(_ call: Invocation) -> String {
        let steps: Set = ["resize", "crop", "circle", "corner-radius", "blur", "tint"]
        let others = ["fit", "filter", "format", "frame", "lenient", "lossless", "no-upscale", "quality"]
        func text(_ occurrence: ParsedArguments.Occurrence) -> String { "\(occurrence.name)=\(occurrence.value)" }
        let occurrences = call.arguments.occurrences
        return
            (occurrences.filter { steps.contains($0.name) }.map(text)
            + others.compactMap { name in occurrences.last { $0.name == name }.map(text) }).joined(separator: " ")
    }

    private static func place(
        _ call: Invocation, urls: [String], isList: Bool, origin: FileOrigin, _ folder: (String) throws -> OutputFolder
    ) throws -> Place {
        guard let output = call.text("output") else { return .nowhere }
        guard !output.isEmpty else { throw UsageError("--output needs the path of a file or folder") }
        if output == "-" {
            guard urls.count == 1 else { throw UsageError("--output - takes one image, not \(urls.count)") }
            guard !call.wantsJSON else {
                throw UsageError("--json and --output - both want standard output; choose one")
            }
            return .standardOutput
        }
        var status = stat()
        let isThere = PathText.withPath(output) { stat($0, &status) } == 0
        let isFolder = isThere && status.st_mode & S_IFMT == S_IFDIR
        guard isFolder || output.hasSuffix("/") || urls.count > 1 || isList else { return .file(output, origin) }
        guard !isThere || isFolder else {
            throw UsageError("--output must be a folder for more than one URL, and '\(output)' is a file")
        }
        var path = output
        while path.count > 1, path.last == "/" { path.removeLast() }
        return .folder(try folder(path))
    }

    /// Returns nil if standard output is not a terminal that can show images.
    static func screen(_ console: Console) -> (@Sendable (Bitmap) throws -> String)? {
        guard let graphics = Terminal.graphics(output: console.output) else { return nil }
        let size = Terminal.size(of: console.output) ?? Terminal.Size(columns: 80, rows: 24)
        return { try TerminalImage.text($0, graphics: graphics, on: size, codecs: ImageCodecs.standard) }
    }
}
