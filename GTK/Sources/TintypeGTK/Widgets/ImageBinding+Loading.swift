import CGTK
import Tintype

/// The loading of a binding.
extension ImageBinding {
    /// Starts the load if the size is known, else as soon as it is.
    func prepare() {
        guard let call, let request = call.request else { return }
        progress = nil
        decodedArea = nil
        let size = targetArea(of: call)
        let isReady = size != nil || !needsArea(call)
        if call.presentation.startsWhenDrawn, !(isReady && isInMemory(resolved(request, size), call.pipeline)) {
            phase = .waiting
            showInterim()
        } else if isReady {
            begin(size)
        } else {
            phase = .waiting
            showInterim()
            waitForSize()
        }
    }

    private func isInMemory(_ request: ImageRequest, _ pipeline: ImagePipeline) -> Bool {
        request.options.isDisjoint(with: [.fromLoaderOnly, .skipMemoryReads])
            && pipeline.cachedImage(for: request) != nil
    }

    // MARK: Size

    func needsArea(_ call: Call) -> Bool { call.request?.target == nil && call.presentation.sizing == .automatic }

    /// An image that is decoded to the requested area never changes the size of the widget and must cause no layout. One of
    /// its original size may.
    func updateArea() {
        guard let call else { return }
        picture.setArea(needsArea(call) ? display.requestedArea : nil)
    }

    /// Returns the size in device pixels; nil if the image is decoded to its original size, or the area is not known.
    func targetArea(of call: Call) -> PixelSize? {
        guard call.request?.target == nil else { return nil }
        let area: PixelSize?
        switch call.presentation.sizing {
        case .original: area = nil
        case .fixed(let width, let height): area = PixelSize(width: max(1, width), height: max(1, height))
        case .automatic: area = display.area
        }
        let scale = Int(gtk_widget_get_scale_factor(display.widget))
        return area.map { PixelSize(width: $0.width * scale, height: $0.height * scale) }
    }

    private func resolved(_ request: ImageRequest, _ size: PixelSize?) -> ImageRequest {
        guard request.target == nil, let size else { return request }
        var request = request
        request.target = display.contentFit.target(size)
        return request
    }

    // MARK: Load

    /// - Parameters:
    ///   - size: device pixels; nil is the image's own size.
    ///   - isUpgrade: the shown image is only too small: it stays, and no callback is called.
    func begin(_ size: PixelSize?, isUpgrade: Bool = false) {
        guard let call, let request = call.request, !isGone else { return }
        decodedArea = size
        let load = PictureLoad(resolved(request, size))
        let loadedBefore = phase
        phase = .loading(load)
        let indicator = isUpgrade ? .none : call.presentation.indicator
        if !isUpgrade, call.progress != nil || indicator == .progress {
            load.onProgress = { [weak self] in self?.report($0) }
        }
        load.onPreview = { [weak self] image in
            guard let self, mayShow(load) else { return }
            show(image, responseScale: request.scale ?? 1, transition: .none, plays: false)
        }
        load.onEnd = { [weak self] result in
            guard let self, mayShow(load) else { return }
            if isUpgrade, case .failure = result {
                phase = loadedBefore
            } else {
                end(result, isUpgrade: isUpgrade)
            }
        }
        load.start(in: call.pipeline)
        guard case .loading(let running) = phase, running === load, !isUpgrade else { return }
        showInterimOrCached(load.request, call)
        picture.setIndicator(indicator)
    }

    /// Shows an image in memory while it is validated (a file may have changed), to avoid flicker.
    private func showInterimOrCached(_ request: ImageRequest, _ call: Call) {
        let mayShowCached = request.options.isDisjoint(with: [.fromLoaderOnly, .skipMemoryReads, .avoidAutoSetImage])
        if mayShowCached, let image = call.pipeline.cachedImage(for: request) {
            show(image, responseScale: request.scale ?? 1, transition: .none, plays: true)
        } else {
            showInterim()
        }
    }

    /// Returns false if the load was superseded, or other code has set another image on the widget.
    private func mayShow(_ load: PictureLoad) -> Bool {
        guard case .loading(let running) = phase, running === load else { return false }
        guard isReplaced else { return true }
        cancel()
        return false
    }

    /// Whether other code has replaced the shown paintable.
    var isReplaced: Bool {
        guard let call, let request = call.request else { return false }
        return hasRevealed && !isShown && !request.options.contains(.avoidAutoSetImage)
    }

    private func report(_ value: TransferProgress) {
        progress = value
        if call?.presentation.indicator == .progress {
            picture.setIndicator(.progress, fraction: value.fraction)
        }
        call?.progress?(value)
    }

    private func end(_ result: Result<ImageResponse, any Error>, isUpgrade: Bool) {
        guard let call, let request = call.request else { return }
        predecessors = []
        picture.setIndicator(.none)
        switch result {
        case .success(let response):
            phase = .loaded(response)
            if !request.options.contains(.avoidAutoSetImage) {
                let isForced = request.options.contains(.forceTransition)
                let moves = !isUpgrade && (response.source != .memory || isForced)
                show(
                    response.image, responseScale: response.scale, transition: moves ? call.transition : .none,
                    plays: call.presentation.playsAnimations)
            }
        case .failure(let error):
            phase = .failed(error)
            showFailure()
            if call.presentation.retriesOnTap { installRetryClick() }
        }
        if !isUpgrade { finish(result) }
    }
}
