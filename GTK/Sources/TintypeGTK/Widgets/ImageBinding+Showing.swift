import CGTK
import Tintype

/// What the widget shows at each stage.
extension ImageBinding {
    private var fit: ContentFit { display.contentFit }
    private var scale: Int { Int(gtk_widget_get_scale_factor(display.widget)) }

    /// The image has the widget's proportions to deal with, not the paintable: the paintable fills what it is given.
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

    /// Until the image comes.
    func showInterim() {
        guard let call, call.request != nil else { return }
        let options = call.options
        if options.contains(.keepCurrentImage), keepsCurrent() { return }
        if options.contains(.delayPlaceholder) {
            guard !options.contains(.avoidAutoSetImage) else { return }
            // Not the image of the row that was here before.
            picture.showNothing()
            reveal()
        } else if call.placeholder != nil || !options.contains(.avoidAutoSetImage) {
            showPlaceholder()
        }
    }

    /// False if there is nothing to be kept.
    private func keepsCurrent() -> Bool {
        if isShown { return picture.content != .nothing }
        guard let shown = display.shownPaintable else { return false }
        // An image that other code has set: it becomes ours until the new one is there.
        let current = ObjectReference(retaining: UnsafeMutableRawPointer(shown))
        picture.show(current, fit: fit, as: .picture)
        reveal()
        return true
    }

    /// - Parameter transition: plays unless it is none; the caller knows where the image comes from.
    func show(_ image: DecodedImage, responseScale: Double, transition: ImageTransition, plays: Bool) {
        let scale = decodedArea == nil ? responseScale : Double(scale)
        picture.show(image, scale: scale, fit: fit, transition: transition, plays: plays)
        reveal()
    }

    func showFailure() {
        guard let call, call.request != nil else { return }
        if let failureImage = call.presentation.failureImage {
            picture.show(failureImage, fit: fit, scale: scale)
            reveal()
        } else if call.options.contains(.delayPlaceholder), call.placeholder != nil {
            showPlaceholder()
        }
    }
}
