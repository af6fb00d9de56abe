import Foundation
import Testing

@testable import TintypeImaging

/// Builds with other traits: what is in, and what is said of what is not.
@Suite struct TraitTests {
    /// What this build was made with, as the package says it.
    static let optional: [ImageFormat: Bool] = {
        var formats: [ImageFormat: Bool] = [.avif: false, .heic: false, .jxl: false, .tiff: false, .svg: false]
        #if AVIF
            formats[.avif] = true
        #endif
        #if HEIC
            formats[.heic] = true
        #endif
        #if JXL
            formats[.jxl] = true
        #endif
        #if TIFF
            formats[.tiff] = true
        #endif
        #if SVG
            formats[.svg] = true
        #endif
        return formats
    }()

    /// The first bytes of a file in each format that is a trait.
    static let starts: [(ImageFormat, [UInt8])] = [
        (.avif, [0, 0, 0, 16] + Array("ftypavif\0\0\0\0".utf8)),
        (.heic, [0, 0, 0, 16] + Array("ftypheic\0\0\0\0".utf8)),
        (.jxl, [0xFF, 0x0A, 0x7F, 0]), (.tiff, Array("II*\0\u{8}\0\0\0".utf8)),
        (.svg, Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8)),
    ]

    @Test("The standard codecs are those of the traits, and the six that are always in")
    func standardCodecs() {
        let decodes = Set(ImageCodecs.standard.decoders.map(\.format))
        let always: Set<ImageFormat> = [.jpeg, .png, .gif, .webp, .bmp, .ico]
        #expect(decodes == always.union(Self.optional.filter(\.value).keys))
        let encodes = Set(ImageCodecs.standard.encoders.map(\.format))
        let optional = [ImageFormat.avif, .jxl].filter { Self.optional[$0] == true }
        #expect(encodes == Set([ImageFormat.jpeg, .png, .gif, .webp]).union(optional))
        for (format, _) in Self.optional { #expect(format.trait == format.rawValue.uppercased()) }
    }

    @Test("A format whose codec is absent is known, and the error names the trait", arguments: starts)
    func absentCodec(format: ImageFormat, bytes: [UInt8]) throws {
        // As in a build without the trait; where it is absent, nothing has to be taken out.
        var codecs = ImageCodecs.standard
        codecs.decoders.removeAll { $0.format == format }
        codecs.encoders.removeAll { $0.format == format }
        let data = Data(bytes)
        let expected = ImagingError.codecUnavailable(format, trait: format.rawValue.uppercased())
        #expect(ImageFormat.sniff(data) == format)
        #expect(throws: expected) { try codecs.info(data) }
        #expect(throws: expected) { try codecs.info(data, isComplete: false) }
        #expect(throws: expected) { try codecs.decode(data) }
        #expect(throws: expected) { try codecs.animation(data) }
        #expect(throws: expected) {
            try codecs.encode(try .made(2, 2, isOpaque: true) { _, _ in .red }, as: format)
        }
        #expect(expected.code == "codecUnavailable")
        #expect(expected.description.contains("trait \(format.rawValue.uppercased())"))
        // Nothing can be shown of it while it arrives, which is no error yet.
        let progressive = ProgressiveImageDecoder(codecs: codecs)
        try progressive.append(data + Data(count: ImageFormat.sniffByteCount))
        #expect(try progressive.preview() == nil)
        #expect(!progressive.canPreview)
        if Self.optional[format] == false {
            #expect(throws: expected) { try ImageCodecs.standard.decode(data) }
        }
    }
}
