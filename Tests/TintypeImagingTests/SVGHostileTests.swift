#if SVG
    import Foundation
    import Testing

    @testable import TintypeImaging

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #elseif canImport(Darwin)
        import Darwin
    #endif

    /// Listens on a port of the loopback interface and accepts nothing: a client that connects waits in its queue, where
    /// `hitCount` finds them.
    private final class Listener {
        private let socket: Int32
        let port: UInt16

        init() throws {
            #if canImport(Darwin)
                socket = Darwin.socket(AF_INET, SOCK_STREAM, 0)
            #else
                socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            #endif
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let socket = self.socket
            let isListening = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(socket, $0, length) == 0 && listen(socket, 16) == 0 && getsockname(socket, $0, &length) == 0
                }
            }
            port = UInt16(bigEndian: address.sin_port)
            try #require(isListening)
            _ = fcntl(socket, F_SETFL, O_NONBLOCK)
        }

        deinit { close(socket) }

        func hitCount() -> Int {
            var count = 0
            while true {
                let connection = accept(socket, nil, nil)
                guard connection >= 0 else { return count }
                close(connection)
                count += 1
            }
        }

        func connect() -> Bool {
            #if canImport(Darwin)
                let client = Darwin.socket(AF_INET, SOCK_STREAM, 0)
            #else
                let client = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            #endif
            defer { close(client) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            address.sin_port = port.bigEndian
            return withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    #if canImport(Darwin)
                        Darwin.connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                    #else
                        Glibc.connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                    #endif
                }
            }
        }
    }

    /// What a drawing must not be able to do: reach outside, or cost more than images may.
    @Suite struct SVGHostileTests {
        private let base = SVGDecoderTests()

        private func decoded(_ attributes: String, _ content: String) throws -> Bitmap {
            try base.decoded(base.svg(attributes, content))
        }

        private func png(_ width: Int, _ height: Int) throws -> Data {
            try PNGEncoder().encode(
                try .made(width, height, isOpaque: true) { _, _ in .red }, options: EncodeOptions())
        }

        /// A PNG that says it is huge, in a few bytes.
        private func bomb(_ side: Int) -> Data {
            var writer = PNGChunkWriter()
            writer.appendHeader(size: PixelSize(width: side, height: side), hasAlpha: true)
            writer.append("IDAT", Data([0x78, 0x9C, 0x03, 0x00, 0x00, 0x00, 0x00, 0x01]))
            writer.append("IEND", Data())
            return writer.data
        }

        private func image(_ data: Data, type: String = "image/png") -> String {
            "<image href='data:\(type);base64,\(data.base64EncodedString())' width='8' height='8'/>"
        }

        @Test("S33: no server is ever asked, whatever refers to it")
        func noConnections() throws {
            let listener = try Listener()
            let address = "http://127.0.0.1:\(listener.port)/x"
            let contents = [
                "<image href='\(address).png' width='8' height='8'/>",
                "<image xlink:href='\(address).svg' width='8' height='8'/>",
                "<use href='\(address).svg#a'/>",
                "<style>@import url(\(address).css);</style><style>@import '\(address).css';</style>",
                "<rect width='8' height='8' fill='url(\(address).svg#p)' filter='url(\(address).svg#f)'/>",
                "<rect width='8' height='8' style='mask:url(\(address).svg#m);marker:url(\(address).svg#m)'/>",
                "<filter id='f'><feImage href='\(address).png'/></filter><rect width='8' height='8' filter='url(#f)'/>",
                "<xi:include xmlns:xi='http://www.w3.org/2001/XInclude' href='\(address).svg'/>",
                "<style>@font-face { font-family: f; src: url(\(address).woff) }</style><text y='8' font-family='f'>a</text>",
                "<script href='\(address).js'/><a href='\(address)'><rect width='1' height='1'/></a>",
                "<foreignObject><iframe xmlns='http://www.w3.org/1999/xhtml' src='\(address)'/></foreignObject>",
                "<image href='data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 width=%228%22 height=%228%22"
                    + "%3E%3Cimage href=%22\(address)%22 width=%228%22 height=%228%22/%3E%3C/svg%3E' width='8' height='8'/>",
            ]
            for content in contents {
                do { _ = try decoded("width='8' height='8'", content) } catch is ImagingError {}
            }
            let heads = [
                "<?xml version='1.0'?><?xml-stylesheet type='text/css' href='\(address).css'?>",
                "<!DOCTYPE svg SYSTEM '\(address).dtd'>", "<!DOCTYPE svg [<!ENTITY % p SYSTEM '\(address).ent'> %p;]>",
                "<!DOCTYPE svg [<!ENTITY x SYSTEM '\(address).ent'>]>",
            ]
            for head in heads {
                let text = "\(head)<svg \(base.namespaces) width='8' height='8'><text y='8'>&x;</text></svg>"
                do { _ = try base.decoded(Data(text.utf8)) } catch is ImagingError {}
            }
            #expect(listener.hitCount() == 0)
            // The listener does see who comes.
            #expect(listener.connect())
            #expect(listener.hitCount() == 1)
        }

        @Test("S33: images inside a drawing are decoded by us: colours, WebP, an entity as the address")
        func embeddedImages() throws {
            let red = try png(8, 8)
            #expect(try decoded("width='8' height='8'", image(red)).pixel(4, 4) == .red)
            // The type that the URL claims does not count, and gdk-pixbuf has no WebP here.
            let webp = try ImageCodecs.standard.encode(
                try .made(8, 8, isOpaque: true) { _, _ in .red }, as: .webp)
            let drawn = try decoded("width='8' height='8'", image(webp, type: "image/x-tga"))
            #expect(drawn.pixel(4, 4).distance(to: .red) <= 6)
            let text =
                "<!DOCTYPE svg [<!ENTITY p 'data:image/png;base64,\(red.base64EncodedString())'>]>"
                + "<svg \(base.namespaces) width='8' height='8'><image href='&p;' width='8' height='8'/></svg>"
            #expect(try base.decoded(Data(text.utf8)).pixel(4, 4) == .red)
            // Longer than libxml2 allows by itself.
            let noise = try PNGEncoder().encode(
                try .made(1700, 1700, isOpaque: true) { x, y in
                    Pixel(UInt8(truncatingIfNeeded: x &* 73 ^ y &* 151), UInt8(truncatingIfNeeded: x &* y), 7, 255)
                }, options: EncodeOptions())
            let large = try decoded("width='8' height='8'", image(noise + Data(count: max(0, 8_000_000 - noise.count))))
            #expect(large.pixel(4, 4).alpha == 255)
        }

        @Test("S33: an image inside a drawing has the same limit of pixels, and all together too")
        func embeddedBombs() throws {
            #expect(throws: ImagingError.imageTooLarge(width: 30000, height: 30000, limit: 100_000_000)) {
                try decoded("width='8' height='8'", image(bomb(30000)))
            }
            for type in ["image/svg+xml", "image/jpeg", "image/x-tga", ""] {
                #expect(throws: ImagingError.self) {
                    try decoded("width='8' height='8'", image(bomb(30000), type: type))
                }
            }
            var options = DecodeOptions()
            options.limits.maximumPixelCount = 1000
            let one = base.svg("width='8' height='8'", image(try png(20, 20)))
            #expect(try base.decoder.decode(one, options: options).bitmap.pixel(4, 4) == .red)
            let three = base.svg("width='8' height='8'", String(repeating: image(try png(20, 20)), count: 3))
            #expect(throws: ImagingError.self) { try base.decoder.decode(three, options: options) }
            // A damaged one is left out, and said.
            let damaged = base.svg("width='8' height='8'", image(try png(20, 20).prefix(60)))
            let output = try base.decoder.decode(damaged, options: DecodeOptions())
            #expect(output.bitmap.pixel(4, 4) == .clear)
            #expect(output.warnings.count == 1)
        }

        @Test("S33: a drawing in a drawing is checked like the one around it")
        func nestedDrawings() throws {
            func nested(_ inner: Data) -> String { image(inner, type: "image/svg+xml") }
            let inner = base.svg("width='8' height='8'", "<rect width='8' height='8' fill='red'/>")
            #expect(try decoded("width='8' height='8'", nested(inner)).pixel(4, 4) == .red)
            #expect(try decoded("width='8' height='8'", nested(base.gzip(inner))).pixel(4, 4) == .red)
            let huge = base.svg("width='30000' height='30000'", "<rect width='8' height='8' fill='red'/>")
            #expect(throws: ImagingError.self) { try decoded("width='8' height='8'", nested(huge)) }
            let bombed = base.svg("width='8' height='8'", image(bomb(30000)))
            #expect(throws: ImagingError.self) { try decoded("width='8' height='8'", nested(bombed)) }
            var deep = inner
            for _ in 0..<6 { deep = base.svg("width='8' height='8'", nested(deep)) }
            #expect(try base.decoded(deep).pixel(4, 4) == .clear)
            // A gzip bomb in a gzip file, and one in an image.
            let spaces = try base.gzip(Data(repeating: 0x20, count: SVGDecoder.maximumByteCount + 1))
            #expect(throws: ImagingError.self) { try base.decoded(base.gzip(spaces)) }
            #expect(try decoded("width='8' height='8'", nested(spaces)).pixel(4, 4) == .clear)
        }

        /// The same decoder in a worker, with a short deadline.
        private func decodedInWorker(_ data: Data, deadline: Duration = .seconds(1)) throws -> Bitmap {
            var codecs = ImageCodecs.standard
            codecs.isolation.deadline = deadline
            return try codecs.decode(data).bitmap
        }

        // S33
        @Test(
            "References that repeat references end at a limit of librsvg or at the deadline",
            arguments: ["use", "pattern", "mask", "marker", "style", "clip-path"])
        func exponentialReferences(kind: String) throws {
            var content = "<g id='a0'><path d='M0 0 L4 4 L0 4Z'/></g>"
            var sheet = ""
            for level in 1...24 {
                let name = "a\(level - 1)"
                switch kind {
                case "use": content += "<g id='a\(level)'><use href='#\(name)'/><use href='#\(name)' x='1'/></g>"
                case "marker":
                    content += "<marker id='a\(level)'><path d='M0 0 L4 4 L0 4Z' marker-mid='url(#\(name))'/></marker>"
                case "style":
                    sheet += ".c\(level) { mask: url(#\(name)) }"
                    content +=
                        "<mask id='a\(level)'><rect class='c\(level)' width='1' height='1'/><rect class='c\(level)'/></mask>"
                case "pattern":
                    content +=
                        "<pattern id='a\(level)' width='1' height='1'><rect fill='url(#\(name))' width='9' height='9'/>"
                        + "<rect stroke='url( \"#\(name)\" )' width='9' height='9'/></pattern>"
                default:
                    content +=
                        "<\(kind == "mask" ? "mask" : "clipPath") id='a\(level)'><rect width='9' height='9'"
                        + " \(kind)='url(#\(name))'/><rect width='9' height='9' style='\(kind): url(#\(name))'/>"
                        + "</\(kind == "mask" ? "mask" : "clipPath")>"
                }
            }
            let last =
                switch kind {
                case "use": "<use href='#a24'/>"
                case "marker": "<path d='M0 0 L4 4 L0 4Z' marker='url(#a24)'/>"
                case "style": "<rect mask='url(#a24)' width='9' height='9'/>"
                case "pattern": "<rect fill='url(#a24)' width='9' height='9'/>"
                default: "<rect \(kind)='url(#a24)' width='9' height='9'/>"
                }
            let data = base.svg("width='8' height='8'", "<style>\(sheet)</style>\(content)\(last)")
            do { _ = try decodedInWorker(data) } catch is ImagingError {}
        }

        // S33
        @Test("A chain of references that is as deep as a stack costs one call")
        func longChains() throws {
            let chain = (1...20_000).map { "<use id='a\($0)' href='#a\($0 - 1)'/>" }.joined()
            let data = base.svg("width='8' height='8'", "<rect id='a0' width='8' height='8'/>\(chain)")
            #expect(throws: ImagingError.self) { try decodedInWorker(data) }
            // librsvg refuses circles, or leaves them out.
            let circle = "<g id='a'><use href='#b'/></g><g id='b'><use href='#a'/></g>"
            do { _ = try decoded("width='8' height='8'", circle) } catch is ImagingError {}
        }

        // S33
        @Test("Filters and layers that would take minutes end at the deadline, or for lack of memory")
        func costlyFilters() throws {
            func filter(_ step: String) -> String {
                "<filter id='f'>\(step)</filter><rect width='999' height='999' filter='url(#f)'/>"
            }
            let slow = filter("<feMorphology operator='dilate' radius='500'/>")
            let size = "width='3000' height='3000'"
            #expect(throws: ImagingError.decodeTimedOut(.svg, after: .milliseconds(500))) {
                try decodedInWorker(base.svg(size, slow), deadline: .milliseconds(500))
            }
            let layers =
                String(repeating: "<g opacity='0.5'>", count: 250) + "<rect width='9' height='9'/>"
                + String(repeating: "</g>", count: 250)
            #expect(throws: ImagingError.self) { try decodedInWorker(base.svg(size, layers)) }
            // The usual ones are drawn.
            let shadow = filter("<feGaussianBlur stdDeviation='2'/><feOffset dx='2'/><feMorphology radius='1'/>")
            let drawn = try decodedInWorker(base.svg("width='300' height='300'", shadow), deadline: .seconds(60))
            #expect(drawn.pixel(150, 150).alpha > 200)
        }

        @Test("S33: references in style sheets stay inside the document, however they are spelled")
        func dataInStyles() throws {
            let green = "data:text/css,rect%7Bfill:lime%7D"
            let spellings = [
                "@import url(\(green));", "@import '\(green)';", "@import url(DATA:text/css,rect%7Bfill:lime%7D);",
                "@import url(d\\61ta:text/css,rect%7Bfill:lime%7D);",
                "@im\\70ort 'd\\000061 ta:text/css,rect%7Bfill:lime%7D';",
            ]
            for sheet in spellings {
                let bitmap = try decoded(
                    "width='8' height='8'", "<style>\(sheet)</style><rect width='8' height='8' fill='red'/>")
                #expect(bitmap.pixel(4, 4) == .red, "\(sheet)")
            }
            let split = "<style>@import url(da<!-- -->ta<![CDATA[:text/css,rect%7Bfill:lime%7D]]>);</style>"
            let bitmap = try decoded("width='8' height='8'", split + "<rect width='8' height='8' fill='red'/>")
            #expect(bitmap.pixel(4, 4) == .red)
            // The rest of a sheet with an embedded font stays.
            let font =
                "<style>@font-face{font-family:f;src:url(data:font/woff2;base64,AAAA)} .r{fill:red}</style>"
                + "<rect class='r' width='8' height='8'/>"
            #expect(try decoded("width='8' height='8'", font).pixel(4, 4) == .red)
        }

        @Test("What entities, CDATA, quotes and references mean survives")
        func documentsKeepTheirMeaning() throws {
            let text = """
                <?xml version='1.0' encoding='ISO-8859-1'?>
                <!-- Drawn by hand -->
                <!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd" [
                  <!ENTITY ns "http://www.w3.org/2000/svg"> <!-- > ]> -->
                  <!ENTITY colour 'r&#101;d'>
                  <!ENTITY st "fill:&colour;">
                  <!ENTITY part "<rect width='4' height='8' style='&st;'/>">
                  <!ATTLIST rect fill CDATA "lime">
                ]>
                <s:svg xmlns:s="&ns;" width="8" height='8'>
                  <s:style type="text/css"><![CDATA[ .b > * , .b { fill: #00f } /* &colour; */ ]]></s:style>
                  <s:title>&part; \u{00E9} &quot;</s:title>
                  <s:rect class="b" x="4" width="4" height="8"/>
                  <s:rect width="4" height="8" style='&st;; font-family: "a &amp; b"'/>
                </s:svg>
                """
            let latin = Data(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
            let bitmap = try base.decoded(latin)
            #expect(bitmap.pixel(2, 4) == .red)
            #expect(bitmap.pixel(6, 4) == Pixel(0, 0, 255, 255))
            // In the default namespace what an entity holds is drawn.
            let drawn =
                "<!DOCTYPE svg [<!ENTITY part \"<g><rect width='8' height='8' fill='red'/></g>\">]>"
                + "<svg \(base.namespaces) width='8' height='8'>&part;</svg>"
            #expect(try base.decoded(Data(drawn.utf8)).pixel(4, 4) == .red)
            for encoding in ["UTF-7", "ISO-2022-JP", "IBM037"] {
                let text = "<?xml version='1.0' encoding='\(encoding)'?><svg \(base.namespaces) width='8' height='8'/>"
                #expect(throws: ImagingError.self) { try base.decoded(Data(text.utf8)) }
            }
        }
    }
#endif
