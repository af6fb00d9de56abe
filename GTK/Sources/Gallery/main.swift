import CGTK
import TintypeGTK

// Synchronous on purpose: after an `await` at top level the main queue would be served by worker threads.
MainLoop.install()
let options = GalleryOptions(CommandLine.arguments.dropFirst())
let gallery: Gallery
do {
    gallery = try Gallery(options)
} catch {
    printError("gallery: \(error)")
    exit(1)
}
exit(gallery.run())
