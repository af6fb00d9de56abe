import CGTK
import Tintype

/// The display of a binding.
extension ImageBinding {
    private var fit: ContentFit { display.contentFit }
    private var scale: Int { Int(gtk_widget_get_scale_factor(display.widget)) }

    /// The paintable fills the widget; the image is placed inside the paintable by its content fit.
    func reveal() {
        hasRevealed = true
        guard !isShown else { return }
        isShowingOwnChange = true
        display.show(picture.pointer)
        isShowingOwnChange = false
    }

    func showPlaceholder() {
        picture.show(call?.placeholder, fit: fit, scale: scale)
        reveal()
    }

    /// Shows the placeholder until the image arrives.
    func showInterim() {
        guard let request = call?.request else { return }
        let options = request.options
        if options.contains(.keepCurrentImage), keepsCurrent() { return }
        if options.contains(.delayPlaceholder) {
            guard !options.contains(.avoidAutoSetImage) else { return }
            // Do not show the image of the previous row.
            picture.showNothing()
            reveal()
        } else if call?.placeholder != nil || !options.contains(.avoidAutoSetImage) {
            showPlaceholder()
        }
    }

    /// Returns false if there is no image to keep.
    private func keepsCurrent() -> Bool {
        if isShown { return picture.content != .nothing }
        guard let shown = display.shownPaintable else { return false }
        // Adopt an image that other code has set until the new one arrives.
        let current = ObjectReference(retaining: UnsafeMutableRawPointer(shown))
        picture.show(current, fit: fit, as: .picture)
        reveal()
        return true
    }

    /// - Parameter transition: the transition, which the caller chooses by the source of the image.
    func show(_ image: DecodedImage, responseScale: Double, transition: ImageTransition, plays: Bool) {
        let scale = decodedArea == nil ? responseScale : Double(scale)
        picture.show(image, scale: scale, fit: fit, transition: transition, plays: plays)
        reveal()
    }

    func showFailure() {
        guard let call, let request = call.request else { return }
        if let failureImage = call.presentation.failureImage {
            picture.show(failureImage, fit: fit, scale: scale)
            reveal()
        } else if request.options.contains(.delayPlaceholder), call.placeholder != nil {
            showPlaceholder()
        }
    }
}
