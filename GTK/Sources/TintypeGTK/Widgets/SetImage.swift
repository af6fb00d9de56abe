import CGTK
import Tintype

extension ImageDisplaying {
    /// Loads an image and shows it, in place of whatever was asked for before.
    ///
    /// The same request again is no new load: nothing flickers, nothing is thrown away, and the completion is called with the
    /// end of the load that runs. Any difference in URL, processors, target size or options makes another request. An image in
    /// memory is shown before this returns, and no placeholder with it.
    ///
    /// - Parameters:
    ///   - request: nil ends what runs and shows the placeholder.
    ///   - placeholder: shown while there is no image; with the option `delayPlaceholder` only after a failure.
    ///   - options: added to those of the request. `keepCurrentImage` leaves what is shown until the new image is there;
    ///     `avoidAutoSetImage` leaves showing it to the completion; `forceTransition` plays the transition for images from
    ///     memory too.
    ///   - progress: how far the transfer is; not called for images from a cache.
    ///   - completion: called on the main actor, once: with the image, with what the load throws, or with an
    ///     `ImageDisplayError`. Once more for each tap that loads again.
    @discardableResult
    public func setImage(
        with request: ImageRequest?, placeholder: Placeholder? = nil, options: ImageOptions = [],
        transition: ImageTransition = .none, presentation: ImagePresentation = ImagePresentation(),
        pipeline: ImagePipeline = .shared, progress: ((TransferProgress) -> Void)?,
        completion: ((Result<ImageResponse, any Error>) -> Void)? = nil
    ) -> ImageBinding {
        if let fit = presentation.contentFit { contentFit = fit }
        var request = request
        request?.options.formUnion(options)
        let binding = ImageBinding.of(self)
        binding.set(
            ImageBinding.Call(
                request: request, placeholder: placeholder, transition: transition, presentation: presentation,
                pipeline: pipeline, progress: progress, completions: completion.map { [$0] } ?? []))
        return binding
    }

    /// The same without progress, so that a trailing closure is the completion.
    @discardableResult
    public func setImage(
        with request: ImageRequest?, placeholder: Placeholder? = nil, options: ImageOptions = [],
        transition: ImageTransition = .none, presentation: ImagePresentation = ImagePresentation(),
        pipeline: ImagePipeline = .shared, completion: ((Result<ImageResponse, any Error>) -> Void)? = nil
    ) -> ImageBinding {
        setImage(
            with: request, placeholder: placeholder, options: options, transition: transition,
            presentation: presentation, pipeline: pipeline, progress: nil, completion: completion)
    }

    /// Ends what runs for this widget and leaves what is shown.
    public func cancelImageLoad() { imageBinding?.cancel() }

    /// What was set last; nil before the first `setImage`.
    public var imageBinding: ImageBinding? { ImageBinding.existing(on: widget, slot: slot) }
}

extension UnsafeMutablePointer where Pointee == GtkWidget {
    /// The display of a GtkPicture, a GtkImage or a GtkButton; nil for any other widget.
    @MainActor public var imageDisplay: (any ImageDisplaying)? {
        if isA(gtk_picture_get_type()) { return PictureDisplay(self) }
        if isA(gtk_image_get_type()) { return IconDisplay(self) }
        return isA(gtk_button_get_type()) ? ButtonDisplay(self) : nil
    }

    /// Loads an image and shows it on a GtkPicture, a GtkImage or as the icon of a GtkButton; see
    /// `ImageDisplaying.setImage`.
    @MainActor @discardableResult
    public func setImage(
        with request: ImageRequest?, placeholder: Placeholder? = nil, options: ImageOptions = [],
        transition: ImageTransition = .none, presentation: ImagePresentation = ImagePresentation(),
        pipeline: ImagePipeline = .shared, progress: ((TransferProgress) -> Void)?,
        completion: ((Result<ImageResponse, any Error>) -> Void)? = nil
    ) -> ImageBinding {
        guard let display = imageDisplay else {
            preconditionFailure("the widget is no GtkPicture, GtkImage, GtkButton or ImageDisplaying type")
        }
        return display.setImage(
            with: request, placeholder: placeholder, options: options, transition: transition,
            presentation: presentation, pipeline: pipeline, progress: progress, completion: completion)
    }

    /// The same without progress, so that a trailing closure is the completion.
    @MainActor @discardableResult
    public func setImage(
        with request: ImageRequest?, placeholder: Placeholder? = nil, options: ImageOptions = [],
        transition: ImageTransition = .none, presentation: ImagePresentation = ImagePresentation(),
        pipeline: ImagePipeline = .shared, completion: ((Result<ImageResponse, any Error>) -> Void)? = nil
    ) -> ImageBinding {
        setImage(
            with: request, placeholder: placeholder, options: options, transition: transition,
            presentation: presentation, pipeline: pipeline, progress: nil, completion: completion)
    }

    /// What was set last; nil before the first `setImage`.
    @MainActor public var imageBinding: ImageBinding? { ImageBinding.existing(on: self, slot: "image") }
}
