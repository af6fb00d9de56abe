#if SVG
    import Foundation
    import Testing

    @testable import TintypeImaging

    @Suite struct SVGCostTests {
        private let base = SVGDecoderTests()

        private func decoded(_ content: String, side: Int = 1000) throws -> Bitmap {
            try base.decoded(base.svg("width='\(side)' height='\(side)'", content))
        }

        private func expectTooCostly(_ content: String, side: Int = 1000, _ comment: Comment? = nil) {
            #expect(comment) {
                try decoded(content, side: side)
            } throws: {
                if case ImagingError.tooCostly(.svg, _) = $0 {
                    ($0 as? ImagingError)?.code == "imageTooLarge"
                } else {
                    false
                }
            }
        }

        @Test("S33: an element with thousands of attributes is refused before libxml2 compares them")
        func attributes() throws {
            let many = (0..<513).map { "a\($0)='1'" }.joined(separator: " ")
            expectTooCostly("<g \(many)/>", side: 8)
            let some = (0..<500).map { "a\($0)='1'" }.joined(separator: " ")
            #expect(try decoded("<rect \(some) width='8' height='8' fill='red'/>", side: 8).pixel(4, 4) == .red)
        }

        @Test("S33: style sheets with more rules than can be compared with every element are refused")
        func styleSheets() throws {
            let elements = String(repeating: "<rect class='c1' width='8' height='8'/>", count: 20_000)
            let rules = (0..<20_000).map { "g g .c\($0) > rect + rect { fill: red }" }.joined()
            expectTooCostly("<style>\(rules)</style>\(elements)", side: 8, "rules")
            for selector in ["rect:nth-last-child(%n+1)", "rect:last-of-type", "rect ~ rect"] {
                let rules = (0..<50).map { selector.replacing("%", with: "\($0 + 1)") + " { fill: red }" }.joined()
                expectTooCostly("<style>\(rules)</style>\(elements)", side: 8, "\(selector)")
            }
            // What drawing programs write.
            let usual = (0..<300).map { ".c\($0){fill:red}" }.joined() + "rect:first-child{fill:lime}"
            let drawn = try decoded("<style>\(usual)</style>" + elements.prefix(39 * 500), side: 8)
            #expect(drawn.pixel(4, 4) == .red)
        }

        @Test(
            "S33: lines with millions of dashes are refused",
            arguments: [
                "<path stroke-width='50' stroke-dasharray='.05' d='%'/>",
                "<path style='stroke-dasharray: 1e-1 , .2e0' d='%'/>",
                "<style>path { stroke-dasharray: .1px }</style><path d='%'/>",
                "<g stroke-dasharray='0,.1'><polyline points='%'/></g>",
                "<defs><path id='p' stroke-dasharray='5' d='%'/></defs><g id='g'>"
                    + String(repeating: "<use href='#p'/>", count: 40) + "</g>",
                "<circle r='1e8' stroke-dasharray='100'/>",
            ])
        func dashes(content: String) throws {
            let path = "M0 0" + String(repeating: "L1000 1000L0 0", count: 200)
            let points = String(repeating: "1000 1000,0 0 ", count: 200)
            let text = content.replacing("%", with: content.contains("points") ? points : path)
            expectTooCostly("<g stroke='red' fill='none'>\(text)</g>", side: 8)
        }

        @Test func usualDashesAreDrawn() throws {
            for list in ["4", "4 2", "0,0", "none", "3mm 1mm", "10%"] {
                let lines = (0..<200).map { "<path d='M0 \($0) h200' stroke-dasharray='\(list)'/>" }.joined()
                let bitmap = try decoded("<g stroke='red' fill='none'>\(lines)</g>", side: 200)
                #expect((0..<20).contains { bitmap.pixel($0, 100).alpha > 0 }, "\(list)")
            }
        }

        @Test("S33: a kernel that ends the process in librsvg is refused")
        func kernels() throws {
            func filter(_ order: String, _ count: Int, separator: String = " ") -> String {
                let numbers = Array(repeating: "1", count: count).joined(separator: separator)
                return "<filter id='f'><feConvolveMatrix order='\(order)' kernelMatrix='\(numbers)'/></filter>"
                    + "<rect width='8' height='8' filter='url(#f)'/>"
            }
            for order in ["3", "20", "21", "/**/30"] { expectTooCostly(filter(order, 400), side: 8, "\(order)") }
            expectTooCostly(filter("80", 6400), side: 8)
            expectTooCostly(filter("3", 400, separator: "/**/"), side: 8)
            #expect(try decoded(filter("3", 9), side: 8).pixel(4, 4).alpha == 255)
            #expect(try decoded(filter("19", 361), side: 8).pixel(4, 4).alpha == 255)
        }

        @Test("S33: tangled and endless lines, and gradients of thousands of stops, are refused")
        func tangledLines() throws {
            var generator = SeededGenerator(state: 7)
            let points = (0..<20_000).map { _ in
                "\(Int.random(in: 0..<1000, using: &generator)) \(Int.random(in: 0..<1000, using: &generator)) "
            }.joined()
            expectTooCostly("<path d='M\(points)'/>", side: 8, "path")
            expectTooCostly("<polyline points='\(points)'/>", side: 8, "polyline")
            expectTooCostly("<path d='M0 0\(String(repeating: "h1v1h1v-1", count: 100_000))'/>", side: 8, "stairs")
            expectTooCostly(String(repeating: "<circle r='1e9'/>", count: 1000), side: 8, "circles")
            let stops = String(repeating: "<stop offset='.5'/>", count: 4097)
            expectTooCostly("<linearGradient id='g'>\(stops)</linearGradient>", side: 8, "stops")
            // A waveform, a map of small houses, a coast.
            let wave = (0..<5000).map { "L\(Double($0) / 5) \($0 % 2 * ($0 * 7919 % 300))" }.joined()
            let houses = (0..<50_000).map { "M\($0 % 500 * 2) \($0 / 500 * 8)h1v1h-1z" }.joined()
            let coast = (0..<50_000).map { _ in
                "l\(Int.random(in: -3...3, using: &generator)) \(Int.random(in: -3...3, using: &generator))"
            }.joined()
            for path in ["M0 300" + wave, houses, "M500 500" + coast] {
                _ = try decoded("<path fill='red' d='\(path)'/>", side: 100)
            }
        }

        @Test("S33: text that would be set for minutes is refused")
        func longTexts() throws {
            for letter in ["abc ", "\u{301}", "&#97;", "a<!-- -->", "<![CDATA[a]]>"] {
                expectTooCostly(
                    "<text y='9'>\(String(repeating: letter, count: 20_000))</text>", side: 8, "\(letter)")
            }
            let lines = String(repeating: "<text y='9'>Some text that is a line of words</text>", count: 10_000)
            expectTooCostly(lines, side: 8, "lines")
            // What is not drawn does not count.
            let title = "<title>\(String(repeating: "abc ", count: 20_000))</title><rect width='8' height='8'/>"
            #expect(try decoded(title, side: 8).pixel(4, 4).alpha == 255)
            _ = try decoded(String(repeating: "<text y='9'>Some text that is a line</text>", count: 500), side: 8)
        }

        @Test func outlinesAreMeasured() {
            func path(_ text: String) -> [Double] {
                let outline = SVGOutline(path: text.utf8)
                return [outline.segmentCount, outline.length]
            }
            #expect(path("M10 10L13 14") == [1, 7])
            #expect(path("m1,1 2-3.5.5.5z") == [3, 5.5 + 1 + 5.5])
            #expect(path("M5 5H9v-3h-4Z") == [4, 4 + 3 + 4 + 3])
            // A curve: three sides, and six lines more.
            #expect(path("M0 0C0 1 1 2 3 3") == [9, 1 + 2 + 3])
            // The flags of an arc need nothing behind them.
            #expect(path("M0 0a5 5 0 1110 0") == [8, 10 + 40])
            #expect(path("M1e2 0L-1E+2,0") == [1, 200])
            #expect(path("M0 0 L 5 x 9 9") == [0, 0])
            #expect(path("") == [0, 0])
            let polygon = SVGOutline(points: "0,0 3,0 3,4".utf8)
            #expect(polygon.length == 7 && polygon.segmentCount == 2)
        }

        /// What a document with these costs does in a trial, and how long it takes to find out.
        private func trial(
            perPixel: Double, fixed: Double = 0, isQuadratic: Bool = false, worst: Double
        ) -> (isDrawn: Bool, seconds: Double) {
            var spent = 0.0
            let draw: (PixelSize) -> Double = { size in
                let area = Double(size.area)
                let seconds = fixed + perPixel * (isQuadratic ? area * area / 1e6 : area)
                spent += seconds
                return seconds
            }
            let trial = SVGTrial(
                worstSeconds: { Double($0.area) * worst }, isQuadratic: isQuadratic, draw: draw)
            do {
                try trial.run(PixelSize(width: 1000, height: 1000))
                return (true, spent)
            } catch {
                return (false, spent)
            }
        }

        @Test func trialsTellSlowFromFast() {
            // Seconds for each of a million pixels.
            for worst in [1e-5, 1e-4, 1e-2] {
                #expect(trial(perPixel: 1e-7, worst: worst).isDrawn)
                #expect(trial(perPixel: 8e-6, worst: worst).isDrawn)
                #expect(!trial(perPixel: 1.2e-5, worst: worst).isDrawn)
                #expect(!trial(perPixel: worst * 2, worst: worst).isDrawn)
                #expect(trial(perPixel: 5e-6, isQuadratic: true, worst: worst).isDrawn)
                #expect(!trial(perPixel: 2e-5, isQuadratic: true, worst: worst).isDrawn)
            }
            // Most of the time goes into reading long lists of elements, whatever the size.
            #expect(trial(perPixel: 1e-7, fixed: 2, worst: 1e-4).isDrawn)
            #expect(!trial(perPixel: 1e-7, fixed: 20, worst: 1e-4).isDrawn)
        }

        @Test func trialsTakeNoLongerThanDrawing() {
            for perPixel in [1e-8, 1e-6, 1e-5, 1e-4, 1e-3] {
                for fixed in [0, 0.1, 1, 4] {
                    let seconds = trial(perPixel: perPixel, fixed: fixed, worst: max(perPixel, 2e-5)).seconds
                    #expect(seconds < 20, "\(perPixel) and \(fixed)")
                }
            }
        }

        /// Whether the trial refuses them is up to the speed of the machine, so only the estimate is tested here.
        @Test("filters that could take minutes are in doubt")
        func slowDrawings() throws {
            for content in [
                "<filter id='f'><feGaussianBlur stdDeviation='1.5'/></filter>"
                    + String(repeating: "<rect width='1000' height='1000' filter='url(#f)'/>", count: 100),
                String(repeating: "<rect width='1000' height='1000' filter='blur(30px) blur(9px)'/>", count: 3000),
            ] {
                let work = try SVGFilter.filtered(
                    base.svg("width='1000' height='1000'", content),
                    images: SVGImages(limits: DecodeLimits(), isWanted: true)
                ).work
                #expect(work.worstSeconds(at: PixelSize(width: 1000, height: 1000)) > SVGWork.doubtfulSeconds)
            }
        }

        @Test func manySmallShadowsAreDrawn() throws {
            let shadows = (0..<150).map {
                "<rect x='\($0 % 15 * 60)' y='\($0 / 15 * 90)' width='30' height='30' filter='url(#f)'/>"
            }
            let content = "<filter id='f'><feGaussianBlur stdDeviation='3'/></filter>" + shadows.joined()
            let data = base.svg("width='1000' height='1000'", content)
            // In doubt by the estimate alone.
            let work = try SVGFilter.filtered(
                data, images: SVGImages(limits: DecodeLimits(), isWanted: true)
            ).work
            #expect(work.worstSeconds(at: PixelSize(width: 1000, height: 1000)) > SVGWork.doubtfulSeconds)
            #expect(try base.decoded(data).pixel(15, 15).alpha > 100)
            // As an icon it is not even that.
            #expect(work.worstSeconds(at: PixelSize(width: 256, height: 256)) < SVGWork.doubtfulSeconds)
        }
    }
#endif
