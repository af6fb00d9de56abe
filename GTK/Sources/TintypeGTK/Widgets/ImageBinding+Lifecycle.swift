import CGTK
import Tintype

/// The binding and its widget.
extension ImageBinding {
    private static func key(_ slot: String) -> String { "tintype-binding-" + slot }

    static func existing(on widget: Widget, slot: String) -> ImageBinding? {
        let object = widget.raw.assumingMemoryBound(to: GObject.self)
        return g_object_get_data(object, key(slot)).map {
            Unmanaged<ImageBinding>.fromOpaque($0).takeUnretainedValue()
        }
    }

    static func of(_ display: any ImageDisplaying) -> ImageBinding {
        if let binding = existing(on: display.widget, slot: display.slot) { return binding }
        let binding = ImageBinding(display)
        let object = display.widget.raw.assumingMemoryBound(to: GObject.self)
        g_object_set_data_full(
            object, key(display.slot), Unmanaged.passRetained(binding).toOpaque(),
            { data in
                guard let data else { return }
                let binding = Unmanaged<ImageBinding>.fromOpaque(data).takeRetainedValue()
                MainActor.assumeIsolated { binding.widgetIsGone() }
            })
        return binding
    }

    func connect() {
        let widget = display.widget.raw
        Signal.connect(widget, "map") { [weak self] in self?.didMap() }
        Signal.connect(widget, "unmap") { [weak self] in self?.didUnmap() }
        Signal.connect(widget, "destroy") { [weak self] in self?.widgetIsGone() }
        for signal in ["notify::width-request", "notify::height-request"] {
            Signal.connect(widget, signal) { [weak self] in self?.updateArea() }
        }
        if let signal = display.changeSignal {
            Signal.connect(widget, signal) { [weak self] in self?.paintableDidChange() }
        }
        if let signal = display.retrySignal {
            hasRetryClick = true
            Signal.connect(widget, signal) { [weak self] in self?.tapped() }
        }
    }

    private func widgetIsGone() {
        guard !isGone else { return }
        isGone = true
        predecessors = []
        let ended = detach()
        phase = .idle
        ended.end(with: ImageDisplayError.widgetDestroyed)
    }

    /// Other code has shown another image: the running load is no longer needed.
    private func paintableDidChange() {
        guard !isShowingOwnChange, isReplaced else { return }
        cancel()
    }

    // MARK: Mapping

    private func didUnmap() {
        guard case .loading(let load) = phase, call?.presentation.cancelsWhenUnmapped == true else { return }
        load.cancel()
        predecessors = []
        picture.setIndicator(.none)
        phase = .suspended
    }

    private func didMap() {
        switch phase {
        case .suspended: prepare()
        case .waiting where call?.presentation.startsWhenDrawn != true: waitForSize()
        default: break
        }
    }

    /// Waits for the size after the first layout, which ends at the second tick of the frame clock.
    func waitForSize() {
        guard tickID == 0, !isGone, gtk_widget_get_mapped(display.widget) != 0 else { return }
        let ticks = TickCount(binding: self)
        tickID = gtk_widget_add_tick_callback(
            display.widget,
            { _, _, data in
                guard let data else { return gboolean(0) }
                let ticks = Unmanaged<TickCount>.fromOpaque(data).takeUnretainedValue()
                return MainActor.assumeIsolated { ticks.next() } ? gboolean(1) : gboolean(0)
            }, Unmanaged.passRetained(ticks).toOpaque(),
            { data in
                if let data { Unmanaged<TickCount>.fromOpaque(data).release() }
            })
    }

    fileprivate func layoutIsDone() {
        tickID = 0
        guard case .waiting = phase, let call, !call.presentation.startsWhenDrawn else { return }
        begin(targetArea(of: call))
    }

    @MainActor private final class TickCount {
        weak var binding: ImageBinding?
        var count = 0

        init(binding: ImageBinding) { self.binding = binding }

        /// Returns whether to be called again.
        func next() -> Bool {
            count += 1
            if count < 3 { return true }
            binding?.layoutIsDone()
            return false
        }
    }

    // MARK: Drawing

    /// Called while the widget is drawn, so changes of widgets are deferred.
    func willDraw(_ width: Double) {
        switch phase {
        case .waiting where call?.presentation.startsWhenDrawn == true:
            DeliveryQueue.shared.submit { [weak self] in self?.startDrawn() }
        case .loaded(let response):
            guard let call, needsArea(call), decodedArea != nil, picture.content == .picture else { return }
            let image = response.image
            let scale = Double(gtk_widget_get_scale_factor(display.widget))
            guard width * scale > Double(image.bitmap.width) * 1.25, image.info.size != image.bitmap.size else {
                return
            }
            DeliveryQueue.shared.submit { [weak self] in self?.upgrade() }
        default: break
        }
    }

    private func startDrawn() {
        guard case .waiting = phase, let call, call.presentation.startsWhenDrawn else { return }
        begin(targetArea(of: call))
    }

    /// Decodes again after the widget has grown or moved to a screen with a larger scale.
    private func upgrade() {
        guard case .loaded = phase, let call, let old = decodedArea, let new = targetArea(of: call),
            Double(new.width) > Double(old.width) * 1.25 || Double(new.height) > Double(old.height) * 1.25
        else { return }
        begin(new, isUpgrade: true)
    }

    // MARK: Retrying

    func installRetryClick() {
        guard !hasRetryClick, let gesture = gtk_gesture_click_new() else { return }
        hasRetryClick = true
        Signal.connect(UnsafeMutableRawPointer(gesture), "released") { [weak self] in self?.tapped() }
        gtk_widget_add_controller(display.widget, gesture)
    }

    private func tapped() {
        guard case .failed = phase, call?.presentation.retriesOnTap == true else { return }
        retry()
    }
}
