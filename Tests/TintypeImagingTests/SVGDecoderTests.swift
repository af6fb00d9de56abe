#if SVG
    import CDeflate
    import Foundation
    import Testing

    @testable import TintypeImaging

    @Suite struct SVGDecoderTests {
        let decoder = SVGDecoder()
        /// Draws in this process, where no sandbox hides what a drawing could reach.
        private static let codecs: ImageCodecs = {
            var codecs = ImageCodecs.standard
            codecs.isolation = .none
            return codecs
        }()
        let namespaces = "xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\""

        func svg(_ attributes: String, _ content: String = "") -> Data {
            Data("<svg \(namespaces) \(attributes)>\(content)</svg>".utf8)
        }

        private func size(_ data: Data) throws -> PixelSize {
            try decoder.info(data, isComplete: true, limits: DecodeLimits()).size
        }

        func decoded(_ data: Data, preferred: PixelSize? = nil, target: ResizeTarget? = nil) throws -> Bitmap {
            var options = DecodeOptions()
            options.preferredSize = preferred
            options.target = target
            return try Self.codecs.decode(data, options: options).bitmap
        }

        private let square =
            "<rect width='20' height='20' fill='red'/><rect x='20' width='20' height='20' fill='#00f'"
            + " fill-opacity='0.5'/>"

        @Test func drawsPremultipliedRGBA() throws {
            let bitmap = try decoded(svg("width='60' height='20'", square))
            #expect(bitmap.size == PixelSize(width: 60, height: 20))
            #expect(bitmap.pixel(5, 5) == .red)
            #expect(bitmap.pixel(30, 5).distance(to: Pixel(0, 0, 128, 128)) <= 1)
            #expect(bitmap.pixel(50, 5) == .clear)
        }

        @Test(
            "S33: sizes from width and height, the viewBox, or the default",
            arguments: [
                ("width='60' height='40'", 60, 40), ("width='1in' height='72pt'", 96, 96),
                ("viewBox='0 0 70 30'", 70, 30), ("width='140' viewBox='0 0 70 30'", 140, 60),
                ("height='60' viewBox='0 0 70 30'", 140, 60), ("width='100%' height='100%' viewBox='0 0 7 9'", 7, 9),
                ("", 300, 150), ("width='10.2' height='10'", 11, 10),
            ]) func sizes(attributes: String, width: Int, height: Int) throws
        {
            #expect(try size(svg(attributes)) == PixelSize(width: width, height: height))
        }

        @Test func rendersAtTheWantedSize() throws {
            let data = svg("viewBox='0 0 40 20'", square)
            let large = try decoded(data, preferred: PixelSize(width: 400, height: 400))
            #expect(large.size == PixelSize(width: 400, height: 200))
            // A sharp edge at 200: this was drawn large, not scaled up.
            #expect(large.pixel(198, 50) == .red && large.pixel(202, 50).alpha < 140)
            let target = try decoded(data, target: ResizeTarget(width: 100, height: nil))
            #expect(target.size == PixelSize(width: 100, height: 50) && target.pixel(49, 10) == .red)
            let cover = try decoded(data, target: ResizeTarget(width: 50, height: 50, fit: .cover))
            #expect(cover.size == PixelSize(width: 50, height: 50) && cover.pixel(23, 10) == .red)
            #expect(cover.pixel(27, 10).alpha < 140)
        }

        @Test("S33: a size cap gives a typed error, from the header") func hugeSizes() throws {
            let data = svg("width='20000' height='20000'", square)
            let expected = ImagingError.imageTooLarge(width: 20000, height: 20000, limit: 100_000_000)
            #expect(throws: expected) { try decoded(data) }
            #expect(throws: expected) { try size(data) }
            // It can still be drawn small.
            #expect(try decoded(data, target: ResizeTarget(width: 10, height: 10)).width == 10)
            for attributes in ["width='1e30' height='1e30'", "width='99999999999' height='1'"] {
                #expect {
                    try decoded(svg(attributes))
                } throws: {
                    switch $0 {
                    case ImagingError.imageTooLarge, ImagingError.corrupt: true
                    default: false
                    }
                }
            }
        }

        @Test("S33: UTF-16 and gzip") func encodings() throws {
            let text =
                "<?xml version=\"1.0\" encoding=\"UTF-16\"?><svg \(namespaces) width='60' height='20'>\(square)</svg>"
            for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian] {
                let mark: [UInt8] = encoding == .utf16LittleEndian ? [0xFF, 0xFE] : [0xFE, 0xFF]
                let data = Data(mark) + (try #require(text.data(using: encoding)))
                #expect(try decoded(data).pixel(5, 5) == .red)
            }
            #expect(try decoded(gzip(svg("width='60' height='20'", square))).pixel(5, 5) == .red)
        }

        func gzip(_ data: Data) throws -> Data {
            let compressor = try #require(libdeflate_alloc_compressor(6))
            defer { libdeflate_free_compressor(compressor) }
            var output = [UInt8](repeating: 0, count: data.count + 1000)
            let count = data.withUnsafeBytes { source in
                libdeflate_gzip_compress(compressor, source.baseAddress, source.count, &output, output.count)
            }
            return Data(output[..<count])
        }

        @Test("S33: a gzip bomb is refused") func gzipBomb() throws {
            let bomb = try gzip(Data(repeating: 0x20, count: SVGDecoder.maximumByteCount + 1))
            #expect {
                try decoder.decode(bomb, options: DecodeOptions())
            } throws: {
                if case ImagingError.unsupportedFormat = $0 { true } else { false }
            }
        }

        @Test("S33: no file outside the document is read") func outsideReferences() throws {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let red = try PNGEncoder().encode(
                try .made(8, 8, isOpaque: true) { _, _ in .red }, options: EncodeOptions())
            let image = folder.appendingPathComponent("red.png")
            try red.write(to: image)
            let style = folder.appendingPathComponent("style.css")
            try Data("rect { fill: red }".utf8).write(to: style)
            let use = folder.appendingPathComponent("part.svg")
            try svg("width='8' height='8'", "<rect id='a' width='8' height='8' fill='red'/>").write(to: use)
            let contents = [
                "<image xlink:href='\(image.absoluteString)' width='8' height='8'/>",
                "<image href='\(image.path)' width='8' height='8'/>",
                "<style>@import url('\(style.absoluteString)');</style><rect width='8' height='8' fill='none'/>",
                "<use xlink:href='\(use.absoluteString)#a'/>",
                "<xi:include xmlns:xi='http://www.w3.org/2001/XInclude' href='\(use.absoluteString)'/>",
            ]
            for content in contents {
                let bitmap = try decoded(svg("width='8' height='8'", content))
                #expect(bitmap.pixel(4, 4) == .clear, "\(content)")
            }
            // The same image inside the document is drawn: it is the reference that is refused.
            let inside = "<image href='data:image/png;base64,\(red.base64EncodedString())' width='8' height='8'/>"
            #expect(try decoded(svg("width='8' height='8'", inside)).pixel(4, 4) == .red)
            let entity =
                "<!DOCTYPE svg [<!ENTITY x SYSTEM \"\(style.absoluteString)\">]>"
                + "<svg \(namespaces) width='60' height='20'><text y='15'>&x;</text></svg>"
            if let bitmap = try? decoded(Data(entity.utf8)) {
                #expect(bitmap.pixels.allSatisfy { $0.allSatisfy { $0 == .clear } })
            }
        }

        @Test("S33: an entity bomb is stopped") func entityBomb() {
            var text = "<?xml version=\"1.0\"?><!DOCTYPE svg [<!ENTITY a0 \"<rect width='1' height='1'/>\">"
            for level in 1...12 {
                let body = String(repeating: "&a\(level - 1);", count: 10)
                text += "<!ENTITY a\(level) \"\(body)\">"
            }
            text += "]><svg \(namespaces) width='10' height='10'>&a12;</svg>"
            #expect(throws: ImagingError.self) { try decoder.decode(Data(text.utf8), options: DecodeOptions()) }
        }

        @Test func deepNestingIsAnError() {
            let depth = 100_000
            let content = String(repeating: "<g>", count: depth) + String(repeating: "</g>", count: depth)
            #expect(throws: ImagingError.self) { try decoded(svg("width='10' height='10'", content)) }
        }

        @Test("S33: twelve megabytes of paths are drawn") func manyPaths() throws {
            let path = "<path d='M0 0 L10 10 L5 9 Z'/>"
            let content = String(repeating: path, count: 12 << 20 / path.utf8.count)
            #expect(try decoded(svg("width='10' height='10'", content)).pixel(3, 4).alpha > 0)
        }

        @Test func documentsThatAreNotClosedAreErrors() {
            for text in [
                "<svg \(namespaces) width='10' height='10'><rect/>", "<svg", "<svg width='0' height='10'></svg>",
            ] {
                #expect(throws: ImagingError.self) { try decoder.decode(Data(text.utf8), options: DecodeOptions()) }
            }
        }

        @Test func hostileBytes() {
            let hostile = HostileBytes(decoder, svg("width='20' height='10'", square))
            hostile.truncateEverywhere(step: 3)
            hostile.flipBits(rounds: 300)
        }
    }
#endif
