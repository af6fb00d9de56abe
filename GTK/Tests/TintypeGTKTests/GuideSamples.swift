import CGTK
import Tintype
import TintypeGTK

/// The samples of "On screen" and "Show a long list in GTK", which `Tests/DocumentationTests` compares with the pages.
@MainActor enum GuideSamples {
    static func start() {
        // SAMPLE Sources/Tintype/Tintype.docc/OnScreen.md 1
        MainLoop.install()  // once, on the main thread, before g_application_run
        // END
    }

    static func set(_ image: Widget) {
        // SAMPLE Sources/Tintype/Tintype.docc/OnScreen.md 2
        image.setImage(
            with: "https://example.com/cat.jpg", placeholder: .icon("image-loading"), transition: .crossFade
        ) { result in
            if case .failure(let error) = result { print(error) }
        }
        // END
    }

    static func widgetRows(_ cell: Widget, icon: String) {
        // SAMPLE Sources/Tintype/Tintype.docc/LongLists.md 1
        // In the factory's "bind" …
        cell.setImage(with: ImageRequest(string: icon), placeholder: .icon("application-x-executable"))
        // … and in its "unbind"
        cell.setImage(with: nil)
        // END
    }

    static func paintableRows(_ cell: Widget, icon: String) {
        // SAMPLE Sources/Tintype/Tintype.docc/LongLists.md 2
        // In the factory's "bind" …
        let scale = Int(gtk_widget_get_scale_factor(cell))
        let paintable = AsyncImagePaintable(ImageRequest(string: icon), width: 48, height: 48, scale: scale)
        gtk_picture_set_paintable(cell.opaque, paintable.pointer)
        // … and in its "unbind"
        gtk_picture_set_paintable(cell.opaque, nil)
        // END
    }
}
