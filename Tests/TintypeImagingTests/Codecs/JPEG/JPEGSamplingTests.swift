import CJPEGShim
import CSampledJPEG
import Foundation
import Testing

@testable import TintypeImaging

/// Every legal combination of sampling factors (T.81, B.2.2) against the pixels that were encoded.
@Suite("JPEG sampling factors") struct JPEGSamplingTests {
    private typealias Factors = SampledJPEG.Factors

    /// The sizes 1…70 in turn.
    private func size(_ index: Int) -> PixelSize { PixelSize(width: 1 + index * 37 % 70, height: 1 + index * 53 % 70) }

    @Test("One component, which has no need of factors", arguments: SampledJPEG.Factors.all)
    func gray(factors: SampledJPEG.Factors) throws {
        for index in 0..<70 {
            try check(SampledJPEG(model: .gray, factors: [factors], size: size(index), restartInterval: index % 3))
        }
        try check(SampledJPEG(model: .gray, factors: [factors], size: PixelSize(width: 333, height: 301)))
    }

    @Test("Three components, interleaved where ten blocks are enough", arguments: SampledJPEG.Factors.all)
    func color(first: SampledJPEG.Factors) throws {
        for index in 0..<256 {
            var file = SampledJPEG(
                factors: [first, Factors.all[index / 16], Factors.all[index % 16]], size: size(index))
            file.scans =
                file.canInterleave && index % 5 != 0
                ? TT_SCANS_INTERLEAVED : index % 2 == 0 ? TT_SCANS_SEPARATE : TT_SCANS_PROGRESSIVE
            file.restartInterval = index % 4 == 0 ? 1 + index % 7 : 0
            try check(file)
        }
    }

    @Test("Three components in large images", arguments: SampledJPEG.Factors.all)
    func large(first: SampledJPEG.Factors) throws {
        for (index, chroma) in Factors.all.enumerated() {
            var file = SampledJPEG(
                factors: [first, chroma, chroma], size: PixelSize(width: 300 + index * 5, height: 347 - index * 3))
            if !file.canInterleave { file.scans = TT_SCANS_SEPARATE }
            try check(file)
            try checkIncremental(file)
        }
    }

    @Test("Four components, CMYK and YCCK", arguments: SampledJPEG.Factors.all)
    func inks(first: SampledJPEG.Factors) throws {
        for index in 0..<4096 {
            let others = [Factors.all[index / 256], Factors.all[index / 16 % 16], Factors.all[index % 16]]
            var file = SampledJPEG(
                model: index % 2 == 0 ? .cmyk : .ycck, factors: [first] + others, size: size(index))
            if !file.canInterleave {
                // Of those that only separate scans can hold, every 61st.
                guard index % 61 == 0 else { continue }
                file.scans = TT_SCANS_SEPARATE
            }
            try check(file)
        }
    }

    // MARK: Checks

    private func check(_ file: SampledJPEG) throws {
        let data = try file.encoded()
        guard file.hasWholeRatios else { return expectUnsupported(data, file) }
        try data.withUnsafeBytes { bytes in
            let header = try JPEGHeader(bytes, isComplete: true, limits: DecodeLimits())
            for scale in 1...8 { try checkEighths(bytes, header, file, scale: scale) }
        }
        try checkThumbnails(data, file)
    }

    private func expectUnsupported(_ data: Data, _ file: SampledJPEG) {
        var options = DecodeOptions()
        for target in [nil, ResizeTarget(width: 7, height: 7, fit: .fill)] {
            options.target = target
            let error = #expect(throws: ImagingError.self, "\(file.testDescription)") {
                try JPEGDecoder().decode(data, options: options)
            }
            #expect(error?.code == "unsupportedFormat", "\(file.testDescription)")
        }
    }

    /// libjpeg's output at `scale` eighths against the truth at nine places.
    private func checkEighths(
        _ bytes: UnsafeRawBufferPointer, _ header: JPEGHeader, _ file: SampledJPEG, scale: Int
    ) throws {
        let pixels = JPEGPixelConverter(header)
        let session = try JPEGSession(bytes)
        let size = try session.start(scale: scale, output: pixels.output, maximumScanCount: 100)
        let expected = PixelSize(
            width: (file.size.width * scale + 7) / 8, height: (file.size.height * scale + 7) / 8)
        #expect(size == expected, "\(file.testDescription)")
        let bitmap = try Bitmap(width: size.width, height: size.height, isOpaque: true) { target, bytesPerRow in
            let base = try #require(target.baseAddress)
            var row = 0
            while row < size.height {
                let place = base + row * bytesPerRow
                let count = try session.read(place, bytesPerRow: bytesPerRow, count: size.height - row)
                for index in 0..<count {
                    pixels.convert(
                        (place + index * bytesPerRow).assumingMemoryBound(to: UInt8.self), width: size.width)
                }
                row += count
            }
        }
        // Half a sample of the coarsest component, and what a pixel at the edge averages.
        let tolerance = 8 + 140 / Double(max(64, min(file.size.width, file.size.height))) * 4 * 8 / Double(scale) / 2
        var worst = 0.0
        for y in [0, size.height / 2, size.height - 1] {
            for x in [0, size.width / 2, size.width - 1] {
                func place(_ index: Int, _ side: Int) -> Double {
                    min((Double(index) + 0.5) * 8 / Double(scale) - 0.5, Double(side - 1))
                }
                let truth = file.truth(place(x, file.size.width), place(y, file.size.height))
                let pixel = bitmap.channels(x, y)
                for channel in 0..<3 { worst = max(worst, abs(truth[channel] - Double(pixel[channel]))) }
            }
        }
        #expect(worst <= tolerance, "\(file.testDescription), scale \(scale)")
    }

    /// The last preview of a file that comes in pieces against a decode of the whole.
    private func checkIncremental(_ file: SampledJPEG) throws {
        let data = try file.encoded()
        let decoder = try #require(JPEGDecoder().incrementalDecoder(options: DecodeOptions()))
        guard file.hasWholeRatios else {
            let error = #expect(throws: ImagingError.self, "\(file.testDescription)") { try decoder.append(data) }
            #expect(error?.code == "unsupportedFormat", "\(file.testDescription)")
            return
        }
        var last: DecoderOutput?
        for start in stride(from: 0, to: data.count, by: 3000) {
            try decoder.append(Data(data[start..<min(data.count, start + 3000)]))
            last = try decoder.preview() ?? last
        }
        let full = try JPEGDecoder().decode(data, options: DecodeOptions()).bitmap
        let bitmap = try #require(last?.bitmap, "\(file.testDescription)")
        let isSame = bitmap.withUnsafeBytes { ours in
            full.withUnsafeBytes { theirs in ours.elementsEqual(theirs) }
        }
        #expect(isSame && last?.isPartial == false, "\(file.testDescription)")
    }

    /// Thumbnails, through scaled decoding where it applies, against a full decode and the same filter.
    private func checkThumbnails(_ data: Data, _ file: SampledJPEG) throws {
        let full = try JPEGDecoder().decode(data, options: DecodeOptions()).bitmap
        #expect(full.size == file.size)
        // The reductions 1, 2, 4 and 8.
        for divisor in [2, 4, 8, 16] {
            let target = ResizeTarget(
                width: max(1, file.size.width / divisor), height: max(1, file.size.height / divisor), fit: .fill)
            var options = DecodeOptions()
            options.target = target
            let thumbnail = try JPEGDecoder().decode(data, options: options).bitmap
            let expected = try full.resized(to: target)
            #expect(thumbnail.size == expected.size)
            let difference = zip(thumbnail.pixelBytes, expected.pixelBytes).reduce(0) {
                max($0, abs(Int($1.0) - Int($1.1)))
            }
            // In small images the edges weigh more, where blocks hold samples that are not shown.
            let tolerance = min(file.size.width, file.size.height) < 100 ? 16 : 8
            #expect(difference <= tolerance, "\(file.testDescription), divisor \(divisor)")
        }
    }
}
