#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The options of the command line.
struct GalleryOptions {
    /// Writes screenshots of every page into this folder and quits.
    var screenshotFolder: String?

    init(_ arguments: some Collection<String>) {
        var arguments = Array(arguments)
        while !arguments.isEmpty {
            let argument = arguments.removeFirst()
            switch argument {
            case "--screenshots" where !arguments.isEmpty: screenshotFolder = arguments.removeFirst()
            case "--help":
                print("gallery [--screenshots FOLDER]\n\nShows Tintype on GTK 4 with images from a loopback server.")
                exit(0)
            default:
                printError("gallery: unknown argument \(argument); try --help")
                exit(2)
            }
        }
    }
}

func printError(_ text: String) {
    let line = Array((text + "\n").utf8)
    _ = line.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
}
