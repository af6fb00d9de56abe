import Foundation
import Testing

@testable import TintypeImaging

@Suite struct ContactSheetTests {
    @Test("Every processor on one image, as a PNG to look at")
    func processors() throws {
        let (sheet, legend) = try ProcessorContactSheet.make()
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: ".build/contact-sheets")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let data = try ImageCodecs.standard.encode(sheet, as: .png)
        try data.write(to: folder.appending(path: "processors.png"))
        try Data(legend.utf8).write(to: folder.appending(path: "processors.txt"))
        // What was written is an image of all cells.
        let read = try ImageCodecs.standard.decode(data).bitmap
        #expect(read.size == sheet.size)
        #expect(read.pixelBytes == sheet.pixelBytes)
    }
}
