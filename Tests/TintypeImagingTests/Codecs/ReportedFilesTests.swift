import Foundation
import Testing

@testable import TintypeImaging

/// Files that users reported, and their siblings.
@Suite struct ReportedFilesTests {
    private let codecs = ImageCodecs.standard

    private func file(_ name: String) throws -> Data {
        let parts = name.split(separator: ".").map(String.init)
        let url = try #require(
            Bundle.module.url(forResource: parts[0], withExtension: parts[1], subdirectory: "Fixtures"))
        return try Data(contentsOf: url)
    }

    // MARK: PNG

    @Test("The first frame control of an APNG may come before the animation control")
    func frameControlFirst() throws {
        let data = try file("apng-fctl-first.png")
        #expect(try codecs.info(data).frameCount == 2)
        let animation = try #require(try codecs.animation(data))
        #expect(try animation.frame(at: 0).size == animation.frame(at: 1).size)
    }

    @Test("A frame control without an animation control is a still")
    func frameControlAlone() throws {
        var data = try file("apng-fctl-first.png")
        let range = try #require(data.range(of: Data("acTL".utf8)))
        data.replaceSubrange(range, with: Data("abTL".utf8))
        #expect(try codecs.info(data).frameCount == 1)
        #expect(try codecs.animation(data) == nil)
    }

    @Test("A profile's name shows no control characters") func escapesInProfileName() throws {
        let name = try codecs.info(file("esc_icc.png")).colorSpace
        #expect(name.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
    }

    // MARK: JPEG

    @Test(
        "A JPEG segment that says it is shorter than its own length is empty", arguments: [0, 1],
        [0xFE, 0xE0, 0xE5, 0xEE])
    func shortSegments(length: UInt8, marker: UInt8) throws {
        let data = try JPEGFixtures.encoded(try Bitmap.gradient(40, 30), quality: 90)
        let odd = data.prefix(2) + [0xFF, marker, 0, length] + data.dropFirst(2)
        #expect(try codecs.info(odd).storedSize == PixelSize(width: 40, height: 30))
        #expect(try codecs.decode(odd).bitmap.pixels == codecs.decode(data).bitmap.pixels)
    }

    @Test("A quantization table without a length is damage", arguments: [0, 1])
    func shortTable(length: UInt8) throws {
        let data = try JPEGFixtures.encoded(try Bitmap.gradient(40, 30), quality: 90)
        let odd = data.prefix(2) + [0xFF, 0xDB, 0, length] + data.dropFirst(2)
        #expect(throws: ImagingError.self) { try codecs.decode(odd) }
    }

    // MARK: SVG

    private static let comment = "<!--" + String(repeating: " long ] > \" '", count: 2000) + "-->"
    private static let instruction = "<?x " + String(repeating: "long ", count: 2000) + "?>"
    private static let prologs = [
        comment, "<?xml version='1.0'?>\n" + comment, comment + comment + "\n", instruction,
        "<!DOCTYPE svg [" + comment + "<!ENTITY a '" + String(repeating: "]>", count: 4000) + "'>" + "]>",
        "<!DOCTYPE foo [" + comment + instruction + "]>" + comment, String(repeating: " \n", count: 5000),
    ]

    @Test("An SVG is recognised behind whatever XML allows before its root", arguments: prologs, [0, 1, 2, 3])
    func longProlog(prolog: String, encoding: Int) throws {
        let text = prolog + "<svg xmlns='http://www.w3.org/2000/svg' width='7' height='5'/>"
        let data: Data
        switch encoding {
        case 0: data = Data(text.utf8)
        case 1: data = Data([0xEF, 0xBB, 0xBF]) + Data(text.utf8)
        default:
            data = Data(
                "\u{FEFF}\(text)".utf16.flatMap { unit in
                    let pair = [UInt8(unit & 255), UInt8(unit >> 8)]
                    return encoding == 2 ? pair : pair.reversed()
                })
        }
        #expect(ImageFormat.sniff(data) == .svg)
        #expect(ImageFormat.needsMoreData(toSniff: data.prefix(5000)) || ImageFormat.sniff(data.prefix(5000)) == .svg)
    }

    @Test("What is no SVG is not looked at further")
    func otherMarkup() {
        for text in ["<!-- \(Self.comment) --><html>", "<!DOCTYPE html>" + Self.comment, "{" + Self.comment] {
            #expect(ImageFormat.sniff(Data(text.utf8)) == nil)
        }
        #expect(!ImageFormat.needsMoreData(toSniff: Data(count: 5000)))
        #expect(!ImageFormat.needsMoreData(toSniff: Data(repeating: 0x20, count: SVGSignature.maximumByteCount + 1)))
    }

    #if SVG
        @Test("An SVG behind a long comment is drawn") func svgBehindComment() throws {
            #expect(try codecs.decode(file("svg-comment-8k.svg")).bitmap.width > 0)
        }

        @Test("Facts about an SVG come from its root and style sheets alone")
        func svgHeader() throws {
            let data = try file("svg-5000-duplicate-ids.svgz")
            let (text, isCut) = try SVGSource.start(data)
            let header = try SVGFilter.header(text, isCut: isCut, limits: DecodeLimits())
            #expect(header.count < 1000)
            #expect(try codecs.info(data).storedSize.area > 0)
            let styled = """
                <?xml version="1.0"?><svg:svg xmlns:svg="http://www.w3.org/2000/svg" viewBox="0 0 30 20">
                <svg:g><svg:rect id="a" width="4"/>&amp;<![CDATA[ <b> ]]></svg:g>
                <svg:style>svg { fill: red }</svg:style><svg:g><svg:style/></svg:g></svg:svg>
                """
            #expect(try codecs.info(Data(styled.utf8)).storedSize == PixelSize(width: 30, height: 20))
        }
    #endif

    // MARK: Animations

    @Test("Frames times canvas count against the limit before a frame is decoded", arguments: ["gif", "png", "webp"])
    func animationBudget(format: String) throws {
        var options = DecodeOptions()
        options.limits.maximumAnimationPixelCount = 1_000_000_000
        let data = try file("gif-20-frames-100mp.gif")
        let target = try #require(ImageFormat(fileExtension: format))
        #expect {
            try codecs.transcode(data, to: target, decoding: options)
        } throws: { ($0 as? ImagingError)?.code == "imageTooLarge" }
        options.frame = 19
        #expect {
            try codecs.decode(data, options: options)
        } throws: { ($0 as? ImagingError)?.code == "imageTooLarge" }
    }

    @Test("Frames that a transform makes larger count as well") func transformedFrames() throws {
        let animation = try #require(try codecs.animation(file("gif-loop-0.gif")))
        var limits = DecodeLimits()
        limits.maximumAnimationPixelCount = 2_000_000
        #expect {
            try codecs.encode(animation, as: .gif, limits: limits) { _ in try Bitmap.gradient(1000, 1000) }
        } throws: { ($0 as? ImagingError)?.code == "imageTooLarge" }
    }

    @Test("A check that throws ends the work at the next frame") func cancellation() throws {
        let animation = try #require(try codecs.animation(file("gif-loop-0.gif")))
        let count = Counter()
        #expect(throws: CancellationError.self) {
            try ImagingCancellation.withCheck {
                if count.next() > 2 { throw CancellationError() }
            } operation: {
                try codecs.encode(animation, as: .gif)
            }
        }
        #expect(try codecs.encode(animation, as: .gif).count > 0)
    }

    private final class Counter: @unchecked Sendable {
        // Used by one thread.
        private var count = 0

        func next() -> Int {
            count += 1
            return count
        }
    }

    private func checkAnimation(as format: ImageFormat) throws {
        let original = try #require(try codecs.animation(file("gif-loop-0.gif")))
        var options = EncodeOptions()
        options.isLossless = true
        let data = try codecs.encode(original, as: format, options: options)
        let animation = try #require(try codecs.animation(data))
        #expect(animation.frameCount == original.frameCount)
        for index in 0..<original.frameCount {
            #expect(abs(animation.info.frames[index].duration - original.info.frames[index].duration) < 0.002)
            #expect(try animation.frame(at: index).pixels == original.frame(at: index).pixels)
        }
    }

    #if AVIF
        @Test("An animation stays one as AVIF") func animatedAVIF() throws { try checkAnimation(as: .avif) }

        @Test("An AVIF sequence beside an audio track plays", arguments: ["soun", "text", "meta"])
        func audioTrack(handler: String) throws {
            let original = try #require(try codecs.animation(file("gif-loop-0.gif")))
            var data = try codecs.encode(original, as: .avif)
            let whole = try codecs.info(data)
            let movie = try #require(data.withUnsafeBytes { ISOBoxes(ByteView($0)).first("moov") })
            func box(_ type: String, _ content: Data) -> Data {
                let size = UInt32(content.count + 8)
                return Data([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) }) + Data(type.utf8) + content
            }
            let track = box(
                "trak",
                box("tkhd", Data(count: 84))
                    + box("mdia", box("hdlr", Data(count: 8) + Data(handler.utf8) + Data(count: 13))))
            // A new movie at the end, so that nothing else moves; the old one is padding.
            let content = Data(data[movie.content])
            data.replaceSubrange(movie.typeOffset..<movie.typeOffset + 4, with: Data("free".utf8))
            for moved in [track + content, content + track] {
                let file = data + box("moov", moved)
                #expect(try codecs.info(file).frames == whole.frames)
                #expect(try codecs.info(file).loopCount == whole.loopCount)
                let animation = try #require(try codecs.animation(file))
                #expect(try animation.frame(at: 2).size == original.frame(at: 2).size)
            }
        }
    #endif

    #if JXL
        @Test("An animation stays one as JPEG XL") func animatedJXL() throws { try checkAnimation(as: .jxl) }

        @Test("A JPEG XL that needs too much memory is refused")
        func expensiveJXL() throws {
            for name in ["jxl-lossy-100mp.jxl"] {
                let data = try file(name)
                #expect(try codecs.info(data).storedSize.area <= 100_000_000)
                #expect {
                    try codecs.decode(data)
                } throws: { ($0 as? ImagingError)?.code == "imageTooLarge" }
            }
        }

        @Test("The black of a CMYK JPEG XL is not dropped") func cmykJXL() throws {
            let data = try file("cmyk-black.jxl")
            #expect(try codecs.info(data).colorSpace == "CMYK")
            #expect(throws: ImagingError.unsupportedFormat("a JPEG XL in CMYK")) { try codecs.decode(data) }
        }

        @Test("libjxl gets no more memory than the limit") func memoryOfJXL() throws {
            let memory = JXLMemory(limit: 1000)
            let manager = memory.manager
            let block = try #require(manager.alloc(manager.opaque, 900))
            #expect(manager.alloc(manager.opaque, 200) == nil && memory.isExceeded)
            manager.free(manager.opaque, block)
            let second = try #require(manager.alloc(manager.opaque, 1000))
            manager.free(manager.opaque, second)
            manager.free(manager.opaque, nil)
        }
    #endif

    // MARK: HEIC

    #if HEIC
        @Test("Facts of a HEIC do not depend on how much of the file is there", arguments: ["grid-pq-tiles", "icc"])
        func colorsOfPrefix(name: String) throws {
            let data = try file("\(name).heic")
            let whole = try codecs.info(data)
            #expect(whole.colorSpace == (name == "icc" ? "Swap built-in" : "Rec. 2020 PQ"))
            let padding = Data([0, 0x10, 0, 8]) + Data("free".utf8) + Data(count: 1 << 20)
            #expect(try codecs.info(data + padding, isComplete: false) == whole)
        }

        @Test("4:2:2 of 10 bits is read from its planes, not through RGB of 8 bytes a pixel") func planesOfHEIC() throws
        {
            var options = DecodeOptions()
            options.target = ResizeTarget(width: 64, height: 64)
            try file("big-10bit-422.heic").withUnsafeBytes { bytes in
                let image = try HEICContext(bytes).primaryImage(limits: options.limits)
                let items = try HEIFItems(ByteView(bytes), format: .heic)
                let size = try image.decodeWide(items.chroma, limits: options.limits) {
                    try options.plan(storedSize: $0, orientation: .up)
                }?.size
                #expect(size == PixelSize(width: 8640, height: 5760))
            }
        }

        @Test("An image of 10 bits is converted row by row") func deepHEIC() throws {
            var options = DecodeOptions()
            options.target = ResizeTarget(width: 64, height: 64)
            let image = try codecs.decode(file("blocks-alpha-10bit.heic"), options: options)
            #expect(image.info.bitDepth == 10 && image.info.hasAlpha)
        }
    #endif
}
