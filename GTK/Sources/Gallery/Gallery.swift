import CGTK
import Tintype
import TintypeGTK

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The demo: a server, a pipeline, a window.
@MainActor final class Gallery {
    /// The number of images by source.
    struct Counts {
        var memory = 0
        var disk = 0
        var network = 0
        var failed = 0
    }

    let origin: GalleryOrigin
    let pipeline: ImagePipeline
    private(set) var counts = Counts()
    private let options: GalleryOptions
    private var window: GalleryWindow?

    init(_ options: GalleryOptions) throws {
        self.options = options
        origin = try GalleryOrigin()
        origin.start()
        var configuration = ImagePipeline.Configuration(
            diskCache: try DiskCache(DiskCache.Configuration(namespace: "gallery")))
        // The rows that the user scrolled to last are loaded first.
        var downloads = ImageDownloader.Configuration()
        downloads.order = .lifo
        configuration.downloader = ImageDownloader(downloads)
        configuration.requestDefaults.retry = RetryPolicy(maximumRetries: 1, baseDelay: .milliseconds(200))
        // The server draws an image on request, which takes long on a busy machine.
        configuration.requestDefaults.timeouts.idle = .seconds(60)
        // The server has another port in each run; its images are the same.
        configuration.keyFilter = ClosureCacheKeyFilter { url in
            url.split(separator: "/", maxSplits: 2).last.map { "gallery/" + $0 } ?? url
        }
        pipeline = ImagePipeline(configuration)
    }

    /// Runs until the window is closed. Returns the exit status.
    func run() -> Int32 {
        guard let application = gtk_application_new("app.tintype.gallery", G_APPLICATION_NON_UNIQUE) else { return 1 }
        let raw = UnsafeMutableRawPointer(application)
        Signal.connect(raw, "activate") { [self] in
            let window = GalleryWindow(self, application: application)
            self.window = window
            window.present()
            if let folder = options.screenshotFolder {
                Task {
                    let isGood = await Screenshots(self, window, folder: folder).take()
                    g_application_quit(raw.assumingMemoryBound(to: GApplication.self))
                    if !isGood { exit(1) }
                }
            }
        }
        let status = g_application_run(raw.assumingMemoryBound(to: GApplication.self), 0, nil)
        g_object_unref(raw)
        return status
    }

    /// Called with every result of a view.
    func count(_ result: Result<ImageResponse, any Error>) {
        switch result {
        case .success(let response):
            switch response.source {
            case .memory: counts.memory += 1
            case .disk: counts.disk += 1
            default: counts.network += 1
            }
        case .failure(let error):
            if PipelineError.code(of: error) != "cancelled", !(error is ImageDisplayError) { counts.failed += 1 }
        }
    }

    func request(_ path: String) -> ImageRequest { ImageRequest(origin.url(path)) }

    // MARK: Toolbar

    func clearMemory() { pipeline.cache.memory?.removeAll() }

    func clearDisk() {
        Task {
            do { try await pipeline.cache.removeAll(from: .disk) } catch { printError("gallery: \(error)") }
        }
    }

    /// Simulates the memory pressure that the kernel reports.
    func pressMemory() {
        pipeline.cache.memory?.handleMemoryPressure(.some)
        AnimatedImage.dropAllFrames()
    }
}
