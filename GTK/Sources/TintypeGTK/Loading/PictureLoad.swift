import CGTK
import Tintype

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// One load for a widget or paintable. All callbacks are on the main actor; there are none after `cancel()`, or when the last
/// reference is gone.
@MainActor final class PictureLoad {
    var onProgress: ((TransferProgress) -> Void)?
    /// A preview, or a cached image that is being refreshed.
    var onPreview: ((DecodedImage) -> Void)?
    var onEnd: ((Result<ImageResponse, any Error>) -> Void)?

    let request: ImageRequest
    private var task: ImageTask?
    private var isOver = false

    init(_ request: ImageRequest) { self.request = request }

    deinit { task?.cancel() }

    /// Starts the load. An image from memory is delivered before this returns.
    func start(in pipeline: ImagePipeline) {
        let window = SynchronousWindow()
        let executor = DeliveryExecutor { callback in
            if window.isOpenHere { callback() } else { DeliveryQueue.shared.submit { callback() } }
        }
        var progress: (@Sendable (TransferProgress) -> Void)?
        if onProgress != nil {
            progress = { [weak self] progress in MainActor.assumeIsolated { self?.report(progress) } }
        }
        task = pipeline.loadImage(
            with: request, deliverOn: executor, progress: progress,
            preview: { [weak self] image in MainActor.assumeIsolated { self?.show(image) } },
            cached: { [weak self] response in MainActor.assumeIsolated { self?.show(response.image) } },
            completion: { [weak self] result in MainActor.assumeIsolated { self?.end(result) } })
        window.close()
        if isOver { task = nil }
    }

    func cancel() {
        isOver = true
        task?.cancel()
        task = nil
    }

    /// Stops the callbacks; the load continues until the last reference is gone.
    func mute() { isOver = true }

    private func report(_ progress: TransferProgress) { if !isOver { onProgress?(progress) } }

    private func show(_ image: DecodedImage) { if !isOver { onPreview?(image) } }

    private func end(_ result: Result<ImageResponse, any Error>) {
        guard !isOver else { return }
        isOver = true
        task = nil
        onEnd?(result)
    }
}

/// Open on the thread that created it until it is closed: callbacks in that time may run synchronously.
private final class SynchronousWindow: @unchecked Sendable {
    // `isOpen` is read and written on `thread` alone.
    private let thread = pthread_self()
    private var isOpen = true

    var isOpenHere: Bool { pthread_equal(pthread_self(), thread) != 0 && isOpen }

    func close() { isOpen = false }
}
