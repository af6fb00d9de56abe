import CSampledJPEG
import Foundation
import Testing

@testable import TintypeImaging

/// A JPEG file with any sampling factors, whose true pixels are known.
struct SampledJPEG: CustomTestStringConvertible {
    enum Model: Int {
        case gray = 1
        case ycc = 3
        case cmyk = 4
        case ycck = 5
    }

    struct Factors: Equatable {
        var across: Int
        var down: Int

        /// 1×1 … 4×4.
        static let all = (0..<16).map { Factors(across: $0 % 4 + 1, down: $0 / 4 + 1) }
    }

    var model = Model.ycc
    /// One for each component.
    var factors: [Factors]
    var size: PixelSize
    var scans = TT_SCANS_INTERLEAVED
    var restartInterval = 0

    var testDescription: String {
        let text = factors.map { "\($0.across)x\($0.down)" }.joined(separator: ",")
        return "\(model) \(text) \(size), scans \(scans.rawValue), restart \(restartInterval)"
    }

    /// True if the blocks of all components fit into one MCU (T.81, B.2.3).
    var canInterleave: Bool { factors.count == 1 || factors.reduce(0) { $0 + $1.across * $1.down } <= 10 }

    /// True if every component's ratio to the finest one is a whole number; libjpeg decodes no other files.
    var hasWholeRatios: Bool {
        let across = factors.map(\.across).max() ?? 1
        let down = factors.map(\.down).max() ?? 1
        return factors.allSatisfy { across % $0.across == 0 && down % $0.down == 0 }
    }

    private var layout: tt_sampled_layout {
        var layout = tt_sampled_layout()
        layout.width = UInt32(size.width)
        layout.height = UInt32(size.height)
        layout.components = Int32(factors.count)
        layout.is_ycck = model == .ycck ? 1 : 0
        layout.scans = scans
        layout.restart_interval = UInt32(restartInterval)
        withUnsafeMutableBytes(of: &layout.horizontal) { bytes in
            for (index, factor) in factors.enumerated() {
                bytes.bindMemory(to: Int32.self)[index] = Int32(factor.across)
            }
        }
        withUnsafeMutableBytes(of: &layout.vertical) { bytes in
            for (index, factor) in factors.enumerated() { bytes.bindMemory(to: Int32.self)[index] = Int32(factor.down) }
        }
        return layout
    }

    func encoded() throws -> Data {
        var layout = layout
        var output: UnsafeMutablePointer<UInt8>?
        var length: UInt = 0
        try #require(tt_sampled_encode(&layout, &output, &length) == 0, "\(testDescription)")
        return Data(bytesNoCopy: try #require(output), count: Int(length), deallocator: .free)
    }

    /// Red, green and blue at a place in pixels.
    func truth(_ x: Double, _ y: Double) -> [Double] {
        var layout = layout
        let values = factors.indices.map { tt_sampled_value(&layout, Int32($0), x, y) }
        func colors(_ values: [Double]) -> [Double] {
            let (luma, blue, red) = (values[0], values[1] - 128, values[2] - 128)
            return [luma + 1.402 * red, luma - 0.344136 * blue - 0.714136 * red, luma + 1.772 * blue]
        }
        switch model {
        case .gray: return [values[0], values[0], values[0]]
        case .ycc: return colors(values)
        // Inks are stored inverted.
        case .cmyk: return values[..<3].map { $0 * values[3] / 255 }
        case .ycck: return colors(values).map { (255 - $0) * values[3] / 255 }
        }
    }
}
