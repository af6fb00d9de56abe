import Foundation
import Testing

@testable import TintypeImaging

/// The images that the vectors below were made from, with the reference implementations of the algorithms' authors.
private enum VectorImage {
    static func ramps(_ width: Int, _ height: Int) throws -> Bitmap {
        try TestImages.make(width: width, height: height, isOpaque: true) { x, y in
            (UInt8(x * 255 / (width - 1)), UInt8(y * 255 / (height - 1)), UInt8((x * 7 + y * 13) % 256), 255)
        }
    }

    static func disc(_ side: Int) throws -> Bitmap {
        try TestImages.make(width: side, height: side, isOpaque: true) { x, y in
            let isInside = (x - side / 2) * (x - side / 2) + (y - side / 2) * (y - side / 2) < side * side / 9
            return isInside ? (250, 200, 30, 255) : (20, 60, 120, 255)
        }
    }

    static func checks(_ width: Int, _ height: Int) throws -> Bitmap {
        try TestImages.make(width: width, height: height, isOpaque: true) { x, y in
            let level: UInt8 = (x / 4 + y / 4) % 2 == 1 ? 255 : 0
            return (level, level, level, 255)
        }
    }
}

@Suite struct BlurHashTests {
    @Test("Hashes are those of the reference implementation, to the letter")
    func encode() throws {
        func hash(_ bitmap: Bitmap, _ horizontal: Int, _ vertical: Int) throws -> String {
            try BlurHash(encoding: bitmap, horizontalComponents: horizontal, verticalComponents: vertical).string
        }
        let ramps = try VectorImage.ramps(32, 24)
        #expect(try hash(ramps, 4, 3) == "L$Hewc2nwyX8l~WBjpe;gIfdfSfm")
        #expect(try hash(ramps, 1, 1) == "00Hewc")
        #expect(try hash(ramps, 3, 5) == "c$Hewc2nwyl~WBjpgIfdfSn$Wqjye;fSfR")
        let disc = try VectorImage.disc(40)
        #expect(try hash(disc, 4, 3) == "LxI4e2fk0pfkfkfQfQfQ0pfQ-OfQ")
        #expect(try hash(disc, 3, 5) == "cxI4e2fk0pfkfQfQ0pfQ-OfkfQfQR-fQxV")
        let checks = try VectorImage.checks(16, 33)
        #expect(try hash(checks, 4, 3) == "L8Lqe9~qfQ_3?bD%fQ4nfQM{fQIU")
        #expect(
            try hash(ramps, 9, 9)
                == "|$Hewc2nwyX8a{ofWoofWol~WBjpe;fOe:fPe:fPgIfdfSfmfPflfPflfOn$WqjyfSfQfRfRfRfQe;fSfRfMfOfPfPfPfPocWnjr"
                + "fOfTfRfRfRfReofSfRfSfSfNfPfPfPoxWnjsfPfOfNfSfPfRepfSfPfRfPfSfTfPfR")
    }

    @Test(
        "Published hashes are painted as by the reference implementation",
        arguments: [
            ("LEHV6nWB2yk8pyo0adR*.7kCMdnj", [[135, 164, 177], [144, 167, 179], [161, 145, 141], [139, 143, 146]]),
            ("LGF5]+Yk^6#M@-5c,1J5@[or[Q6.", [[176, 118, 163], [210, 82, 126], [94, 129, 186], [119, 106, 122]]),
            ("L6PZfSi_.AyE_3t7t7R**0o#DgR4", [[229, 228, 226], [227, 226, 223], [218, 209, 201], [218, 216, 213]]),
            ("LKO2:N%2Tw=w]~RBVZRi};RPxuwH", [[251, 192, 161], [234, 201, 170], [205, 169, 161], [194, 181, 173]]),
        ])
    func decode(hash: String, pixels: [[Int]]) throws {
        let bitmap = try BlurHash(hash).bitmap(width: 8, height: 6)
        #expect(bitmap.isOpaque)
        for ((x, y), expected) in zip([(0, 0), (7, 0), (3, 2), (7, 5)], pixels) {
            for (found, wanted) in zip(bitmap.channels(x, y), expected) { #expect(abs(Int(found) - wanted) <= 1) }
        }
    }

    @Test("The mean colour is in the hash; transparent pixels lie on the ground that is given")
    func colors() throws {
        let flat = try TestImages.constant((37, 140, 222, 255), width: 300, height: 200)
        let hash = try BlurHash(encoding: flat)
        #expect(hash.averageColor == PixelColor(red: 37, green: 140, blue: 222))
        #expect(try hash.bitmap(width: 5, height: 5).channels(4, 2) == [37, 140, 222, 255])
        let clear = try TestImages.constant((0, 0, 0, 0), width: 3, height: 3)
        #expect(try BlurHash(encoding: clear).averageColor == .white)
        #expect(try BlurHash(encoding: clear, background: .black).averageColor == .black)
    }

    @Test("A large image has nearly the hash of the same image made small")
    func large() throws {
        let large = try VectorImage.disc(600)
        let small = try large.resized(to: ResizeTarget(width: 100, height: nil, filter: .box, isLinearLight: true))
        let first = try BlurHash(encoding: large).bitmap(width: 16, height: 12).pixelBytes
        let second = try BlurHash(encoding: small).bitmap(width: 16, height: 12).pixelBytes
        #expect(zip(first, second).allSatisfy { abs(Int($0) - Int($1)) <= 8 })
    }

    @Test(
        "What is not a BlurHash is refused",
        arguments: [
            "", "L", "LEHV6nWB2yk8pyo0adR*.7kCMdn", "LEHV6nWB2yk8pyo0adR*.7kCMdnjj", "LEHV6nWB2yk8pyo0adR*.7kCMd\"j",
            "00~~~~", "~0Hewc", "LEHV6nWB2yk8pyo0adR*.7kCMd~~", "LEHV6nWB2yk8pyo0adR*.7kCMdné",
            String(repeating: "0", count: 100_000),
        ])
    func invalid(hash: String) {
        let error = #expect(throws: ImagingError.self) { try BlurHash(hash) }
        #expect(error?.code == "processorFailed")
    }

    @Test("Components and sizes out of range are refused")
    func badParameters() throws {
        let bitmap = try TestImages.constant((1, 1, 1, 255), width: 1, height: 1)
        #expect(try BlurHash(encoding: bitmap).averageColor == PixelColor(red: 1, green: 1, blue: 1))
        for (x, y) in [(0, 3), (4, 10), (-1, 3)] {
            #expect(throws: ImagingError.self) {
                try BlurHash(encoding: bitmap, horizontalComponents: x, verticalComponents: y)
            }
        }
        let hash = try BlurHash(encoding: bitmap)
        for (width, height, punch) in [(0, 5, 1.0), (5, -1, 1), (5000, 5, 1), (5, 5, .nan), (5, 5, -1)] {
            #expect(throws: ImagingError.self) { try hash.bitmap(width: width, height: height, punch: punch) }
        }
    }
}

@Suite struct ThumbHashTests {
    @Test(
        "Hashes are those of the reference implementation, to the byte",
        arguments: [
            (0, "3/cJPZpwh3eBdndYh2eXiINwB/h3"), (1, "WOgJbwgHeIiHeHiAe4l3d5h4eHAIB4cA"),
            (2, "3/cNMZ6BhnRwh3d3cYAY+Hc="),
        ])
    func encode(which: Int, base64: String) throws {
        let bitmap =
            switch which {
            case 0: try VectorImage.ramps(32, 24)
            case 1: try VectorImage.disc(40)
            default: try VectorImage.ramps(100, 7)
            }
        #expect(try Data(ThumbHash(encoding: bitmap).bytes).base64EncodedString() == base64)
    }

    @Test("Alpha is in the hash")
    func alpha() throws {
        // The reference has straight colours; premultiplied ones are rounded, which may move a term by one.
        let bitmap = try TestImages.make(width: 16, height: 33) { x, y in
            x < 8 ? (200, 40, 90, 255) : TestImages.premultiplied(10, 220, 60, y * 255 / 32)
        }
        let reference = try #require(Data(base64Encoded: "GkmCCiYrf2p4iHdwlfiodo91s2h4eIg="))
        let hash = try ThumbHash(encoding: bitmap)
        #expect(hash.bytes.count == reference.count)
        for (a, b) in zip(hash.bytes, reference) {
            #expect(abs(Int(a & 15) - Int(b & 15)) <= 1)
            #expect(abs(Int(a >> 4) - Int(b >> 4)) <= 1)
        }
        let painted = try ThumbHash(Array(reference)).bitmap()
        #expect(painted.size == PixelSize(width: 13, height: 32))
        #expect(!painted.isOpaque)
        // (240, 0, 88, 224), straight, at the top left; (0, 250, 70, 222) at the bottom right.
        for ((x, y), straight) in [((0, 0), [240, 0, 88, 224]), ((12, 31), [0, 250, 70, 222])] {
            let pixel = painted.channels(x, y).map(Int.init)
            #expect(abs(pixel[3] - straight[3]) <= 1)
            for channel in 0..<3 { #expect(abs(pixel[channel] - straight[channel] * straight[3] / 255) <= 1) }
        }
    }

    @Test("A published hash is painted as by the reference implementation")
    func decode() throws {
        let bytes = try #require(Data(base64Encoded: "1QcSHQRnh493V4dIh4eXh1h4kJUI"))
        let hash = try ThumbHash(Array(bytes))
        #expect(abs(hash.aspectRatio - 0.714285) < 1e-5)
        #expect(hash.averageColor == PixelColor(red: 85, green: 81, blue: 87))
        let bitmap = try hash.bitmap()
        #expect(bitmap.size == PixelSize(width: 23, height: 32))
        for ((x, y), pixel) in [
            ((0, 0), [64, 77, 113, 255]), ((22, 0), [84, 109, 139, 255]), ((11, 16), [140, 109, 88, 255]),
            ((22, 31), [0, 4, 39, 255]),
        ] {
            for (found, wanted) in zip(bitmap.channels(x, y), pixel) { #expect(abs(Int(found) - wanted) <= 1) }
        }
    }

    @Test("Any bytes are painted or refused, never worse")
    func hostile() throws {
        var random = TestImages.Random(state: 3)
        for length in 0..<40 {
            for _ in 0..<20 {
                let bytes = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                do {
                    let bitmap = try ThumbHash(bytes).bitmap()
                    #expect((1...32).contains(bitmap.width) && (1...32).contains(bitmap.height))
                } catch let error as ImagingError {
                    #expect(error.code == "processorFailed")
                }
            }
        }
        #expect(throws: ImagingError.self) { try ThumbHash([1, 2, 3]) }
        #expect(throws: ImagingError.self) { try ThumbHash([0, 0, 0x80, 0, 0]) }
    }

    @Test("Images of one pixel and of nothing visible have a hash")
    func small() throws {
        let one = try TestImages.constant((200, 100, 50, 255), width: 1, height: 1)
        let color = try ThumbHash(encoding: one).averageColor
        #expect(abs(Int(color.red) - 200) < 6 && abs(Int(color.green) - 100) < 6 && abs(Int(color.blue) - 50) < 6)
        let clear = try TestImages.constant((0, 0, 0, 0), width: 300, height: 2)
        #expect(try ThumbHash(encoding: clear).averageColor.alpha == 0)
    }
}

@Suite struct ColorStatisticsTests {
    @Test("The dominant colour is the most frequent one, not the mean")
    func dominant() throws {
        let bitmap = try TestImages.make(width: 60, height: 40, isOpaque: true) { x, y in
            x < 36 ? (30, UInt8(60 + y % 3), 200, 255) : (250, UInt8(x), UInt8(y * 5), 255)
        }
        let color = try #require(try bitmap.dominantColor())
        #expect(abs(Int(color.red) - 30) <= 3 && abs(Int(color.green) - 61) <= 3 && abs(Int(color.blue) - 200) <= 3)
        let mean = try bitmap.averageColor()
        #expect(mean.red > 100)
    }

    @Test("Transparent pixels do not count")
    func transparent() throws {
        let bitmap = try TestImages.make(width: 20, height: 20) { x, y in x == 3 ? (10, 200, 10, 255) : (0, 0, 0, 0) }
        #expect(try bitmap.dominantColor() == PixelColor(red: 10, green: 200, blue: 10))
        #expect(try bitmap.averageColor() == PixelColor(red: 10, green: 200, blue: 10, alpha: 13))
        let clear = try TestImages.constant((0, 0, 0, 0), width: 5, height: 5)
        #expect(try clear.dominantColor() == nil)
        #expect(try clear.averageColor() == .clear)
        let one = try TestImages.constant((1, 2, 3, 255), width: 1, height: 1)
        #expect(try one.dominantColor() == PixelColor(red: 1, green: 2, blue: 3))
    }
}
