import CGTK
import Tintype

extension ImageDisplaying {
    /// Loads an image and shows it in place of the previous one.
    ///
    /// An equal request starts no new load; the completion is called when the running load ends. Requests differ if their URL,
    /// processors, target size or options do. An image in memory is shown before this returns, without a placeholder.
    ///
    /// - Parameters:
    ///   - request: nil cancels the load and shows the placeholder.
    ///   - placeholder: shown while there is no image; with the option `delayPlaceholder` only after a failure.
    ///   - options: added to those of the request. `keepCurrentImage` shows the old image until the new one arrives;
    ///     `avoidAutoSetImage` leaves it to the completion to show the image; `forceTransition` plays the transition for images from
    ///     memory too.
    ///   - progress: the progress of the transfer; not called for images from a cache.
    ///   - completion: called once on the main actor, with the image, the error of the load, or an
    ///     `ImageDisplayError`. Called again after each retry by a click.
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

    /// Loads an image without progress; a trailing closure is the completion.
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

    /// Cancels the load of this widget. The shown image stays.
    public func cancelImageLoad() { imageBinding?.cancel() }

    /// The state of the last `setImage`; nil before the first one.
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

    /// Loads an image without progress; a trailing closure is the completion.
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

    /// The state of the last `setImage`; nil before the first one.
    @MainActor public var imageBinding: ImageBinding? { ImageBinding.existing(on: self, slot: "image") }
}
