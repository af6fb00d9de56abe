import Foundation
import Testing

@testable import TintypeImaging

@Suite struct BlurTests {
    /// One row or column through a true Gaussian, with the edge pixels going on for ever.
    private func gaussian(_ values: [Double], sigma: Double) -> [Double] {
        let reach = Int((sigma * 8).rounded(.up))
        let weights = (-reach...reach).map { exp(-0.5 * Double($0 * $0) / (sigma * sigma)) }
        let sum = weights.reduce(0, +)
        return values.indices.map { center in
            var result = 0.0
            for offset in -reach...reach {
                result += weights[offset + reach] * values[min(max(center + offset, 0), values.count - 1)]
            }
            return result / sum
        }
    }

    private func reference(_ bitmap: Bitmap, sigma: Double) -> [Double] {
        let (width, height) = (bitmap.width, bitmap.height)
        var values = bitmap.pixelBytes.map(Double.init)
        for channel in 0..<4 {
            for y in 0..<height {
                let row = gaussian((0..<width).map { values[(y * width + $0) * 4 + channel] }, sigma: sigma)
                for x in 0..<width { values[(y * width + x) * 4 + channel] = row[x] }
            }
            for x in 0..<width {
                let column = gaussian((0..<height).map { values[($0 * width + x) * 4 + channel] }, sigma: sigma)
                for y in 0..<height { values[(y * width + x) * 4 + channel] = column[y] }
            }
        }
        return values
    }

    @Test("A blur is within two levels of a true Gaussian", arguments: [0.3, 0.8, 1.5, 3, 4.9, 5, 7.3, 10, 25, 300])
    func accuracy(sigma: Double) throws {
        // Hard edges, right up to the border, and alpha.
        let bitmap = try TestImages.make(width: 70, height: 41) { x, y in
            if x < 3 { return (255, 255, 255, 255) }
            if y > 36 { return (0, 80, 0, 80) }
            return (x / 9 + y / 7) % 2 == 0 ? (250, 30, 10, 255) : (0, 0, 0, 0)
        }
        let expected = reference(bitmap, sigma: sigma)
        var first: [UInt8]?
        for form in PixelKernelForm.available {
            let bytes = try bitmap.blurred(sigma: sigma, form: form).pixelBytes
            let worst = zip(bytes, expected).map { abs(Double($0) - $1) }.max() ?? 99
            #expect(worst <= 2, "\(form)")
            #expect(bytes == first ?? bytes)
            first = first ?? bytes
        }
    }

    @Test("A blur of one colour changes nothing, at any width and on any size")
    func constant() throws {
        for (width, height) in [(1, 1), (1, 40), (40, 1), (3, 2), (64, 50)] {
            let bitmap = try TestImages.constant((10, 99, 200, 201), width: width, height: height)
            for sigma in [0, 0.05, 0.4, 2, 6, 40, 10_000] {
                let result = try ImageProcessors.GaussianBlur(sigma: sigma).process(bitmap)
                #expect(result.pixelBytes == bitmap.pixelBytes)
            }
        }
    }

    @Test("Sharpening makes edges steeper by the known amount and leaves flat parts alone")
    func sharpen() throws {
        let edge = try TestImages.make(width: 40, height: 5, isOpaque: true) { x, _ in
            x < 20 ? (100, 100, 100, 255) : (150, 150, 150, 255)
        }
        let blurred = gaussian((0..<40).map { $0 < 20 ? 100.0 : 150 }, sigma: 2)
        let sharp = try ImageProcessors.Sharpen(amount: 1, sigma: 2).process(edge)
        for x in 0..<40 {
            let source = x < 20 ? 100.0 : 150
            #expect(abs(Double(sharp.channels(x, 2)[0]) - (2 * source - blurred[x])) <= 1.5)
        }
        #expect(sharp.channels(2, 2) == [100, 100, 100, 255])
        #expect(sharp.channels(19, 2)[0] < 92)
        let unchanged = try ImageProcessors.Sharpen(amount: 1, sigma: 2, threshold: 60).process(edge)
        #expect(unchanged.pixelBytes == edge.pixelBytes)
        #expect(try ImageProcessors.Sharpen(amount: 0).process(edge).pixelBytes == edge.pixelBytes)
    }
}
