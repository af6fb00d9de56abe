import Foundation
import Testing

@testable import TintypeImaging

@Suite("Recognising formats") struct ImageFormatTests {
    private static func iso(_ major: String, _ compatible: [String]) -> [UInt8] {
        let brands = compatible.joined()
        return PNGBuilder.big32(16 + brands.utf8.count) + Array("ftyp\(major)\0\0\0\0\(brands)".utf8)
    }

    @Test("Whole signatures")
    func signatures() {
        let cases: [(ImageFormat?, [UInt8])] = [
            (.jpeg, [0xFF, 0xD8, 0xFF]), (.jpeg, [0xFF, 0xD8, 0xFF, 0xDB, 0, 1]), (nil, [0xFF, 0xD8, 0, 0]),
            (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
            (nil, [0x89, 0x50, 0x4E, 0x47, 0x0A, 0x1A, 0x0A, 0]),
            (.gif, Array("GIF87a".utf8)), (.gif, Array("GIF89a".utf8)), (nil, Array("GIF88a".utf8)),
            (.webp, Array("RIFF\u{1}\u{2}\0\0WEBPVP8 ".utf8)), (nil, Array("RIFF\u{1}\u{2}\0\0WAVEfmt ".utf8)),
            (.tiff, Array("II*\0".utf8)), (.tiff, Array("MM\0*".utf8)), (nil, Array("MM*\0".utf8)),
            (.tiff, Array("II+\0".utf8) + [8, 0, 0, 0]), (nil, Array("II+\0".utf8) + [4, 0, 0, 0]),
            (.jxl, [0xFF, 0x0A]), (.jxl, [0xFF, 0x0A, 1, 2, 3]),
            (.jxl, [0, 0, 0, 12] + Array("JXL ".utf8) + [0x0D, 0x0A, 0x87, 0x0A]),
            (.avif, Self.iso("avif", [])), (.avif, Self.iso("avis", ["msf1"])),
            (.avif, Self.iso("mif1", ["miaf", "avif"])),
            (.heic, Self.iso("heic", ["mif1"])), (.heic, Self.iso("mif1", ["heix"])),
            (.heic, Self.iso("msf1", ["hevc"])),
            (.heic, Self.iso("mif1", [])), (nil, Self.iso("isom", ["mp41"])), (nil, Self.iso("qt  ", [])),
            (.ico, [0, 0, 1, 0, 1, 0, 16, 16, 0, 0, 1, 0, 32, 0, 10, 0, 0, 0, 22, 0, 0, 0]),
            (.ico, [0, 0, 2, 0, 1, 0]), (nil, [0, 0, 1, 0, 0, 0]), (nil, [UInt8](repeating: 0, count: 64)),
            (.bmp, Array("BM".utf8) + [UInt8](repeating: 0, count: 12) + [40, 0, 0, 0]),
            (nil, Array("BMW is a car maker".utf8)), (nil, []), (nil, [0xFF]),
        ]
        for (format, bytes) in cases { #expect(ImageFormat.sniff(Data(bytes)) == format, "\(bytes)") }
    }

    // Scenario S33 of the conformance list.
    @Test("SVG with and without company, and pages that only contain it")
    func svg() {
        let images = [
            "<svg xmlns='http://www.w3.org/2000/svg'/>", "\u{FEFF}<?xml version='1.0'?>\n<!-- a > b -->\n<svg>",
            "<?xml version=\"1.0\"?><!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"x\" [<!ENTITY a \"b>\">]><svg>",
            "  \n<s:svg xmlns:s='http://www.w3.org/2000/svg'>", "<svg\n width='1'>",
        ]
        for text in images { #expect(ImageFormat.sniff(Data(text.utf8)) == .svg, "\(text)") }
        let others = [
            "<html><svg></svg></html>", "<!DOCTYPE html><svg>", "<svgfoo>", "svg", "<?xml version='1.0'?><rss>", "<",
            "<!-- <svg> ", "{\"svg\": 1}",
        ]
        for text in others { #expect(ImageFormat.sniff(Data(text.utf8)) == nil, "\(text)") }
        for isLittle in [true, false] {
            let units = Array("\u{FEFF}<?xml version='1.0'?><svg>".utf16)
            let bytes = units.flatMap { unit -> [UInt8] in
                let pair = [UInt8(unit & 255), UInt8(unit >> 8)]
                return isLittle ? pair : pair.reversed()
            }
            #expect(ImageFormat.sniff(Data(bytes)) == .svg)
        }
        // "<svg></svg>" through gzip -n.
        let compressed = Data(base64Encoded: "H4sIAAAAAAACA7MpLku3s9EHkQAGH0AHCwAAAA==")
        #expect(compressed.flatMap(ImageFormat.sniff) == .svg)
    }

    // Scenario S31 of the conformance list.
    @Test("Media types and extensions, both ways")
    func names() {
        let types: [(String, ImageFormat?)] = [
            ("image/jpg", .jpeg), ("IMAGE/JPEG", .jpeg), ("image/png; charset=utf-8", .png), ("image/x-icon", .ico),
            ("image/vnd.microsoft.icon", .ico), ("image/apng", .png), ("image/heif", .heic), ("image/tif", .tiff),
            ("image/svg+xml", .svg), (" image/webp ", .webp), ("application/octet-stream", nil), ("text/html", nil),
            ("", nil), ("image/", nil), (";", nil),
        ]
        for (type, format) in types { #expect(ImageFormat(mimeType: type) == format, "\(type)") }
        let extensions: [(String, ImageFormat?)] = [
            ("jpg", .jpeg), ("JPEG", .jpeg), ("jpe", .jpeg), ("jfif", .jpeg), (".png", .png), ("apng", .png),
            ("heif", .heic),
            ("tif", .tiff), ("tiff", .tiff), ("dib", .bmp), ("cur", .ico), ("svgz", .svg), ("txt", nil), ("", nil),
        ]
        for (name, format) in extensions { #expect(ImageFormat(fileExtension: name) == format, "\(name)") }
        for format in ImageFormat.allCases {
            #expect(ImageFormat(mimeType: format.mimeType) == format)
            #expect(ImageFormat(fileExtension: format.fileExtension) == format)
        }
    }

    // Scenario S69 of the conformance list.
    @Test("No bytes, unknown bytes, and too few bytes are told apart")
    func errors() {
        let codecs = ImageCodecs.standard
        #expect(throws: ImagingError.emptyBody) { try codecs.decode(Data()) }
        #expect(throws: ImagingError.unsupportedFormat("it looks like a web page or XML, not an image")) {
            try codecs.decode(Data("\n <html>".utf8))
        }
        #expect(throws: ImagingError.needsMoreData(nil, byteCount: ImageFormat.sniffByteCount)) {
            try codecs.info(Data([0x89, 0x50]), isComplete: false)
        }
        #expect(throws: ImagingError.unsupportedFormat("it starts with the bytes 00 01")) {
            try codecs.info(Data([0, 1]))
        }
    }
}
