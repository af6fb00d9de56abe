import CGTK
import Tintype
import XCTest

@testable import TintypeGTK

/// Where the pixels of an image are in a widget of 40 by 40.
final class FitTests: XCTestCase {
    /// How a widget comes to its size.
    private enum Room: CaseIterable { case requested, given, requestedAndGrown }

    /// Left, middle and right of a row; nil is the window's background.
    private struct Row: Equatable { var y: Int, colours: [PixelColor?] }

    @MainActor private static func rows(
        _ fit: ContentFit, _ room: Room, picture size: (width: Int, height: Int)
    ) throws -> [Row] {
        let widget: Widget = gtk_picture_new()
        switch room {
        case .requested:
            gtk_widget_set_size_request(widget, 40, 40)
            gtk_widget_set_halign(widget, GTK_ALIGN_START)
            gtk_widget_set_valign(widget, GTK_ALIGN_START)
        case .given: break
        case .requestedAndGrown: gtk_widget_set_size_request(widget, 20, 10)
        }
        let stage = try Stage(widget, width: 40, height: 40)
        defer { stage.window.close() }
        var presentation = ImagePresentation()
        presentation.contentFit = fit
        stage.set(
            try Stripes.flag(width: size.width, height: size.height), placeholder: nil, presentation: presentation)
        XCTAssertNotNil(stage.loadedSize)
        spin(seconds: 0.1)
        let frame = try stage.window.nextFrame()
        return [3, 20, 36].map { y in
            Row(
                y: y,
                colours: [2, 20, 37].map { x in
                    [Stripes.red, Stripes.green, Stripes.blue].first { frame[x, y].isNear($0) }
                })
        }
    }

    private static let flag: [PixelColor?] = [Stripes.red, Stripes.green, Stripes.blue]
    private static let nothing: [PixelColor?] = [nil, nil, nil]

    func testPixelsOfEveryFit() throws {
        try MainActor.assumeIsolated {
            try TestWindow.prepare()
            let wide = (width: 160, height: 80)
            for room in Room.allCases {
                let contained = try Self.rows(.contain, room, picture: wide)
                XCTAssertEqual(contained.map(\.colours), [Self.nothing, Self.flag, Self.nothing], "contain, \(room)")
                let scaledDown = try Self.rows(.scaleDown, room, picture: wide)
                XCTAssertEqual(scaledDown, contained, "scaleDown, large, \(room)")
                // 80 by 40, of which the middle 40 are seen: nothing but green.
                let covered = try Self.rows(.cover, room, picture: wide)
                let green = [PixelColor?](repeating: Stripes.green, count: 3)
                XCTAssertEqual(covered.map(\.colours), [green, green, green], "cover, \(room)")
                let filled = try Self.rows(.fill, room, picture: wide)
                XCTAssertEqual(filled.map(\.colours), [Self.flag, Self.flag, Self.flag], "fill, \(room)")
                // 20 by 10 in the middle.
                let small = try Self.rows(.scaleDown, room, picture: (20, 10))
                XCTAssertEqual(
                    small.map(\.colours), [Self.nothing, [nil, Stripes.green, nil], Self.nothing], "small, \(room)")
                let enlarged = try Self.rows(.contain, room, picture: (20, 10))
                XCTAssertEqual(enlarged, contained, "small, contain, \(room)")
            }
        }
    }

    func testIconsContainThePicture() throws {
        try MainActor.assumeIsolated {
            let stage = try Stage(gtk_image_new(), width: 40, height: 40)
            defer { stage.window.close() }
            gtk_image_set_pixel_size(stage.widget.opaque, 40)
            stage.set(try Stripes.flag(width: 160, height: 80), placeholder: nil)
            XCTAssertEqual(stage.loadedSize, PixelSize(width: 40 * stage.scale, height: 20 * stage.scale))
            spin(seconds: 0.1)
            let frame = try stage.window.nextFrame()
            for (x, colour) in [(2, Stripes.red), (20, Stripes.green), (37, Stripes.blue)] {
                XCTAssertTrue(frame[x, 20].isNear(colour), "\(frame[x, 20]) at \(x)")
                XCTAssertFalse(frame[x, 4].isNear(colour))
            }
        }
    }
}
