import Foundation
import Testing
import Tintype

@testable import TintypeCommandLine
@testable import TintypeDemo

@Suite("Demo")
struct DemoTests {
    @Test("the property list has the rows, every icon but one exists, and some are shared")
    func catalogue() throws {
        let apps = try DemoApp.all()
        #expect(apps.count >= 24)
        let files = DemoIcons.files()
        let wanted = Set(apps.map(\.icon))
        #expect(wanted.count < apps.count)
        #expect(wanted.filter { files[String($0.dropFirst("/icons/".count))] == nil } == ["/icons/almanac.png"])
        #expect(Set(files.keys).isSubset(of: wanted.map { String($0.dropFirst("/icons/".count)) }))
        for (name, data) in files {
            let format = try #require(ImageFormat.sniff(data), "\(name)")
            #expect(Conversion.format(forPath: name) == format)
        }
    }

    @Test("the font has a glyph for every character of the demo")
    func glyphs() throws {
        let text = try DemoApp.all().map(\.name).joined() + "0123456789, downloads"
        for character in text where character != " " {
            #expect(StrokeFont.glyphs[character] != nil, "\(character)")
        }
        let (segments, width) = StrokeFont.layout("Il", height: 20)
        #expect(segments.count == 2)
        #expect(abs(width - 4.6) < 1e-9)
    }

    @Test("the sheet shows icons and the placeholder in their cards")
    func sheet() throws {
        let red = try Bitmap(width: 96, height: 96, isOpaque: true) { bytes, _ in
            for index in stride(from: 0, to: bytes.count, by: 4) {
                bytes.storeBytes(of: UInt32(littleEndian: 0xFF00_00FF), toByteOffset: index, as: UInt32.self)
            }
        }
        let apps = try DemoApp.all()
        let rows = apps.enumerated().map {
            ContactSheet.Row(name: $1.name, downloads: "\($1.downloads)", icon: $0 == 0 ? red : nil)
        }
        let sheet = try ContactSheet(title: "Tintype demo", subtitle: "\(rows.count) rows", rows: rows).drawn()
        #expect(sheet[x: 40 + 66, y: 128 + 66] == (255, 0, 0, 255))
        let placeholder = sheet[x: 40 + 396 + 22, y: 128 + 66]
        #expect(placeholder.red > 200 && placeholder.red < 250)
        #expect(sheet[x: 2, y: 2] == (0xF3, 0xF1, 0xEC, 255))
    }
}
