import CGTK
import Tintype
import XCTest

@testable import TintypeGTK

/// A widget for images in a window of its own, a loader for them, and everything that was shown.
@MainActor final class Stage {
    nonisolated static let grey = Placeholder.color(TestList.placeholder)

    let widget: Widget
    let window: TestWindow
    let loader: ColourLoader
    let pipeline: ImagePipeline
    private(set) var shown: [PicturePaintable.Content] = []
    private(set) var results: [String] = []

    /// - Parameters:
    ///   - widget: a GtkPicture of 32 pixels by default.
    ///   - isPresented: whether the window is shown at once.
    ///   - response: of the loader, for the number in the URL.
    init(
        _ widget: @autoclosure () -> Widget = makePicture(), width: Int = 100, height: Int = 100,
        isPresented: Bool = true, disk: DiskCache? = nil,
        _ response: @escaping @Sendable (Int) -> ColourLoader.Response = { _ in .init() }
    ) throws {
        try TestWindow.prepare()
        _ = LogWatch.take()
        self.widget = widget()
        loader = ColourLoader(response)
        pipeline = .testing(loader, disk: disk)
        window = try TestWindow(width: width, height: height, child: self.widget)
        if isPresented { window.present() }
    }

    /// - Parameter name: what `results` calls the call.
    @discardableResult
    func set(
        _ request: ImageRequest?, _ name: String = "", placeholder: Placeholder? = Stage.grey,
        options: ImageOptions = [], transition: ImageTransition = .none,
        presentation: ImagePresentation = ImagePresentation()
    ) -> ImageBinding {
        guard let display = widget.imageDisplay else { preconditionFailure("no widget that shows images") }
        ImageBinding.of(display).picture.onChange = { [weak self] in self?.shown.append($0) }
        return widget.setImage(
            with: request, placeholder: placeholder, options: options, transition: transition,
            presentation: presentation, pipeline: pipeline
        ) { [weak self] result in
            XCTAssertTrue(isMainThread())
            switch result {
            case .success(let response): self?.results.append("\(name) \(response.source)")
            case .failure(let error as ImageDisplayError):
                self?.results.append("\(name) \(error == .superseded ? "superseded" : error.code)")
            case .failure(let error): self?.results.append("\(name) \(PipelineError.code(of: error))")
            }
        }
    }

    func forget() {
        shown = []
        results = []
    }

    var binding: ImageBinding { get throws { try XCTUnwrap(widget.imageBinding) } }

    /// Of the image that was loaded; waits for it.
    var loadedSize: PixelSize? {
        var size: PixelSize?
        spin {
            if case .loaded(let response)? = widget.imageBinding?.state { size = response.image.bitmap.size }
            return size != nil
        }
        return size
    }

    var scale: Int { Int(gtk_widget_get_scale_factor(widget)) }

    var colour: PixelColor {
        spin(seconds: 0.1)
        return window.frame()?[16, 16] ?? .clear
    }

    func has(_ results: String...) -> Bool {
        spin { self.results.count >= results.count } && self.results == results
    }
}
