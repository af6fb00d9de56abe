import CJPEGShim
import Foundation
import Testing

@testable import TintypeImaging

@Suite("JPEG straight to a fraction of its size") struct JPEGReducedTests {
    /// Rows of a session that was started, or nil if it fails on the way.
    private func pixels(_ size: PixelSize, _ session: JPEGSession, isReduced: Bool) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: size.width * size.height * 4)
        let isWhole = bytes.withUnsafeMutableBytes { buffer in
            guard let base = buffer.baseAddress else { return false }
            var row = 0
            while row < size.height {
                let count = min(16, size.height - row)
                let place = base + row * size.width * 4
                if isReduced {
                    guard session.readReduced(place, bytesPerRow: size.width * 4, count: count) else { return false }
                    row += count
                } else {
                    guard let got = try? session.read(place, bytesPerRow: size.width * 4, count: count), got > 0
                    else { return false }
                    row += got
                }
            }
            return true
        }
        return isWhole ? bytes : nil
    }

    private func reduced(_ data: Data, by reduction: Int) throws -> (size: PixelSize, pixels: [UInt8]?)? {
        try data.withUnsafeBytes { bytes in
            let session = try JPEGSession(bytes)
            guard let size = session.startReduced(by: reduction) else { return nil }
            return (size, pixels(size, session, isReduced: true))
        }
    }

    private func usual(_ data: Data, by reduction: Int) throws -> (size: PixelSize, pixels: [UInt8]?, facts: cj_facts) {
        try data.withUnsafeBytes { bytes in
            let session = try JPEGSession(bytes)
            let size = try session.start(scale: 8 / reduction, output: CJ_OUTPUT_RGBA, maximumScanCount: 100)
            let pixels = pixels(size, session, isReduced: false)
            return (size, pixels, session.facts)
        }
    }

    private func largestDifference(_ first: [UInt8], _ second: [UInt8]) -> Int {
        zip(first, second).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
    }

    private static let plainSamples: [JPEGSamples] = [
        JPEGSamples(model: .gray), JPEGSamples(model: .rgb), JPEGSamples(), JPEGSamples(sampling: (2, 2)),
        JPEGSamples(model: .gray, restartInterval: 1), JPEGSamples(restartInterval: 7),
        JPEGSamples(sampling: (2, 2), restartInterval: 1), JPEGSamples(sampling: (2, 2), restartInterval: 33),
    ]

    @Test("What libjpeg gives at the same fraction, within its rounding", arguments: plainSamples, [2, 4, 8])
    func likeLibrary(_ samples: JPEGSamples, reduction: Int) throws {
        for (width, height) in [(523, 301), (256, 256), (400, 1000), (17, 4001)] {
            let data = samples.encoded(width: width, height: height)
            let ours = try #require(try reduced(data, by: reduction), "\(width)×\(height)")
            let theirs = try usual(data, by: reduction)
            #expect(ours.size == theirs.size)
            let (ourPixels, theirPixels) = (try #require(ours.pixels), try #require(theirs.pixels))
            let difference = largestDifference(ourPixels, theirPixels)
            #expect(difference <= 3, "\(width)×\(height)")
        }
    }

    /// libjpeg keeps square blocks, and interpolates what is left; ours are the means of what a whole decode gives.
    @Test(
        "Components that are halved in one direction: the means of the whole image",
        arguments: [
            JPEGSamples(sampling: (2, 1)), JPEGSamples(sampling: (1, 2)),
            JPEGSamples(sampling: (2, 1), restartInterval: 5),
            JPEGSamples(sampling: (4, 1)),
        ], [2, 4, 8])
    func meansOfWhole(_ samples: JPEGSamples, reduction: Int) throws {
        let data = samples.encoded(width: 640, height: 320)
        let result = try reduced(data, by: reduction)
        if samples.sampling.across == 4, reduction == 2 {
            #expect(result == nil, "sixteen samples of a block of eight")
            return
        }
        let ours = try #require(result)
        let pixels = try #require(ours.pixels)
        let theirs = try usual(data, by: 1)
        let whole = try #require(theirs.pixels)
        var sum = 0.0
        for y in 0..<320 / reduction {
            for x in 0..<640 / reduction {
                for channel in 0..<3 {
                    var mean = 0
                    for row in 0..<reduction {
                        for column in 0..<reduction {
                            mean += Int(whole[((y * reduction + row) * 640 + x * reduction + column) * 4 + channel])
                        }
                    }
                    let ours = Double(pixels[(y * 640 / reduction + x) * 4 + channel])
                    sum += abs(ours - Double(mean) / Double(reduction * reduction))
                }
            }
        }
        #expect(sum / Double(pixels.count / 4 * 3) < 1)
    }

    @Test("What is no plain baseline file, or too small to be worth it, is left to libjpeg")
    func leftToLibrary() throws {
        #expect(try reduced(JPEGSamples(isProgressive: true).encoded(width: 300, height: 300), by: 4) == nil)
        #expect(try reduced(JPEGSamples().encoded(width: 255, height: 256), by: 4) == nil)
        #expect(try reduced(JPEGSamples().encoded(width: 300, height: 300), by: 3) == nil)
        #expect(try reduced(JPEGFixtures.ycck, by: 2) == nil)
    }

    @Test(
        "Damage never passes: what is decoded whole is what libjpeg decodes without complaint", arguments: plainSamples)
    func damage(_ samples: JPEGSamples) throws {
        let whole = samples.encoded(width: 300, height: 260)
        let scan = try #require(JPEGFixtures.scanOffsets(whole).last)
        var generator = SeededGenerator(state: 5)
        var passed = 0
        for attempt in 0..<300 {
            var data = whole
            switch attempt % 3 {
            case 0: data = whole.prefix(Int.random(in: scan..<whole.count, using: &generator))
            case 1:
                let place = Int.random(in: scan + 12..<whole.count, using: &generator)
                data[place] = UInt8.random(in: 0...255, using: &generator)
            default:
                let place = Int.random(in: scan + 12..<whole.count - 8, using: &generator)
                data.removeSubrange(place..<place + Int.random(in: 1...6, using: &generator))
            }
            // Both see the same address range for sure.
            data = Data(data)
            guard let ours = try reduced(data, by: 4), let pixels = ours.pixels else { continue }
            passed += 1
            let theirs = try usual(data, by: 4)
            #expect(theirs.facts.lacks_data == 0, "attempt \(attempt)")
            let theirPixels = try #require(theirs.pixels)
            #expect(largestDifference(pixels, theirPixels) <= 3, "attempt \(attempt)")
        }
        #expect(passed < 300)
    }

    @Test("A thumbnail of a cut file is refused, and leniently shows the rows before the cut")
    func cutThumbnail() throws {
        let whole = JPEGSamples(sampling: (2, 2)).encoded(width: 640, height: 640)
        let data = Data(whole.prefix(whole.count / 2))
        var options = DecodeOptions()
        options.target = ResizeTarget(width: 80, height: 80)
        #expect(throws: ImagingError.truncated(.jpeg)) { try JPEGDecoder().decode(data, options: options) }
        options.isLenient = true
        let output = try JPEGDecoder().decode(data, options: options)
        #expect(output.isPartial)
        #expect(output.bitmap.pixel(40, 10).alpha == 255)
        #expect(output.bitmap.pixel(40, 75).alpha == 0)
    }
}
