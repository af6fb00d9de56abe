import CGTK
import Foundation
import Tintype
import XCTest

@testable import TintypeGTK

/// Screens with two device pixels for each application pixel. GDK reads the scale when it starts, so the tests of
/// `DoubleScale` run in a process of their own.
final class ScaleTests: XCTestCase {
    func testOnAScreenOfScaleTwo() throws {
        try MainActor.assumeIsolated { try TestWindow.prepare() }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["TintypeGTKTests.DoubleScale"]
        process.environment = ProcessInfo.processInfo.environment.merging(["GDK_SCALE": "2"]) { $1 }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        XCTAssertEqual(process.terminationStatus, 0, text)
        XCTAssertTrue(text.contains("Executed 5 tests, with 0 failures"), text)
    }
}

final class DoubleScale: XCTestCase {
    /// Skips where the scale is another one: in the main run.
    @MainActor private static func stage(_ widget: @autoclosure () -> Widget, size: Int = 60) throws -> Stage {
        try TestWindow.prepare()
        guard ProcessInfo.processInfo.environment["GDK_SCALE"] == "2" else { throw XCTSkip("runs in ScaleTests") }
        let stage = try Stage(widget(), width: size, height: size)
        XCTAssertEqual(stage.scale, 2)
        return stage
    }

    /// Red and blue columns of one device pixel each: anything but an image of the very size mixes them.
    @MainActor private static func checkLines(_ stage: Stage, from x: Int = 10, to end: Int = 30) throws {
        spin(seconds: 0.1)
        let frame = try stage.window.nextFrame(scale: 2)
        for x in x..<end {
            let expected = x % 2 == 0 ? Stripes.red : Stripes.blue
            XCTAssertTrue(frame[x, 20].isNear(expected, within: 2), "\(frame[x, 20]) at \(x)")
        }
    }

    func testAPictureIsDecodedToDevicePixels() throws {
        try MainActor.assumeIsolated {
            let stage = try Self.stage(makePicture(40, 24))
            defer { stage.window.close() }
            var presentation = ImagePresentation()
            presentation.contentFit = .cover
            stage.set(try Stripes.lines(width: 80, height: 48), presentation: presentation)
            XCTAssertEqual(stage.loadedSize, PixelSize(width: 80, height: 48))
            try Self.checkLines(stage)
            stage.set(try Stripes.lines(width: 400, height: 400), presentation: presentation)
            XCTAssertTrue(spin { stage.loadedSize == PixelSize(width: 80, height: 48) })
            // Anything but the decoded size was asked for: four times as wide on the widget means more pixels.
            gtk_widget_set_size_request(stage.widget, 60, 60)
            XCTAssertTrue(spin { stage.loadedSize == PixelSize(width: 120, height: 120) })
        }
    }

    func testAnIconIsDecodedToDevicePixels() throws {
        try MainActor.assumeIsolated {
            let stage = try Self.stage(gtk_image_new(), size: 24)
            defer { stage.window.close() }
            gtk_image_set_pixel_size(stage.widget.opaque, 24)
            stage.set(try Stripes.lines(width: 48, height: 48))
            XCTAssertEqual(stage.loadedSize, PixelSize(width: 48, height: 48))
            try Self.checkLines(stage)
        }
    }

    /// An icon of the theme is drawn at the screen's pixels, not drawn small and blown up.
    func testAPlaceholderIconIsSharp() throws {
        try MainActor.assumeIsolated {
            let stage = try Self.stage(makePicture(40, 40))
            defer { stage.window.close() }
            let icon = Placeholder.icon("image-missing", size: 24)
            stage.set(nil, placeholder: icon)
            var pointer = try XCTUnwrap(gtk_picture_get_paintable(stage.widget.opaque))
            XCTAssertEqual(Self.textureWidths(of: pointer), [48], "setImage")
            let lazy = AsyncImagePaintable(
                ColourLoader.url(1), width: 40, height: 40, scale: 2, placeholder: icon, pipeline: stage.pipeline)
            pointer = lazy.pointer
            XCTAssertEqual(Self.textureWidths(of: pointer), [48], "paintable")
        }
    }

    /// Of what a paintable draws in an area of 40 by 40.
    @MainActor private static func textureWidths(of paintable: OpaquePointer) -> [Int] {
        let snapshot = gtk_snapshot_new()
        gdk_paintable_snapshot(paintable, snapshot, 40, 40)
        guard let root = gtk_snapshot_free_to_node(snapshot) else { return [] }
        defer { gsk_render_node_unref(root) }
        var widths: [Int] = []
        var nodes = [root]
        while let node = nodes.popLast() {
            switch gsk_render_node_get_node_type(node) {
            case GSK_TEXTURE_NODE: widths.append(Int(gdk_texture_get_width(gsk_texture_node_get_texture(node))))
            case GSK_TRANSFORM_NODE: nodes.append(gsk_transform_node_get_child(node))
            case GSK_CLIP_NODE: nodes.append(gsk_clip_node_get_child(node))
            case GSK_OPACITY_NODE: nodes.append(gsk_opacity_node_get_child(node))
            case GSK_COLOR_MATRIX_NODE: nodes.append(gsk_color_matrix_node_get_child(node))
            case GSK_CONTAINER_NODE:
                for index in 0..<gsk_container_node_get_n_children(node) {
                    nodes.append(gsk_container_node_get_child(node, index))
                }
            default: break
            }
        }
        return widths
    }

    func testALazyPaintableIsDecodedToDevicePixels() throws {
        try MainActor.assumeIsolated {
            let stage = try Self.stage(makePicture(40, 40))
            defer { stage.window.close() }
            let paintable = AsyncImagePaintable(
                try Stripes.lines(width: 80, height: 80), width: 40, height: 40, scale: stage.scale,
                pipeline: stage.pipeline)
            gtk_picture_set_paintable(stage.widget.opaque, paintable.pointer)
            XCTAssertTrue(spin { paintable.state.isLoaded })
            try Self.checkLines(stage)
            // Never larger than itself: 40 device pixels are 20 of the application's.
            let small = AsyncImagePaintable(
                try Stripes.flag(width: 40, height: 40), width: 40, height: 40, fit: .scaleDown, scale: stage.scale,
                pipeline: stage.pipeline)
            gtk_picture_set_paintable(stage.widget.opaque, small.pointer)
            XCTAssertTrue(spin { small.state.isLoaded })
            spin(seconds: 0.1)
            let frame = try stage.window.nextFrame(scale: 2)
            XCTAssertTrue(frame[24, 40].isNear(Stripes.red), "\(frame[24, 40])")
            XCTAssertTrue(frame[56, 40].isNear(Stripes.blue), "\(frame[56, 40])")
            XCTAssertFalse(frame[16, 40].isNear(Stripes.red), "\(frame[16, 40])")
        }
    }

    func testAPictureOfItsOwnSizeHasItInApplicationPixels() throws {
        try MainActor.assumeIsolated {
            let stage = try Self.stage(gtk_picture_new(), size: 300)
            defer { stage.window.close() }
            gtk_widget_set_halign(stage.widget, GTK_ALIGN_START)
            gtk_widget_set_valign(stage.widget, GTK_ALIGN_START)
            var presentation = ImagePresentation()
            presentation.sizing = .original
            var request = try Stripes.flag(width: 80, height: 40)
            for (scale, width) in [(1.0, 80), (2, 40)] {
                request.scale = scale
                stage.set(request, presentation: presentation)
                XCTAssertEqual(stage.loadedSize, PixelSize(width: 80, height: 40))
                XCTAssertTrue(
                    spin(timeout: 2) { gtk_widget_get_width(stage.widget) == width },
                    "\(gtk_widget_get_width(stage.widget)) instead of \(width)")
            }
        }
    }
}
