/// The resampler that copies the source pixel under the centre of each output pixel.
final class NearestResampler: RowResampler {
    private let destination: ResampleDestination
    private let columns: [Int32]
    private let lines: [Int]
    private var position = 0
    private var nextOutput = 0

    init(_ plan: ResizePlan, into destination: ResampleDestination) {
        self.destination = destination
        columns = Self.indices(
            origin: plan.region.x, extent: plan.region.width, size: plan.source.width, count: plan.scaled.width
        ).map(Int32.init)
        lines = Self.indices(
            origin: plan.region.y, extent: plan.region.height, size: plan.source.height, count: plan.scaled.height)
    }

    var isComplete: Bool { nextOutput == lines.count }

    func push(_ rows: UnsafePointer<UInt8>, bytesPerRow: Int, count: Int) {
        let width = columns.count
        while nextOutput < lines.count, lines[nextOutput] < position + count {
            let line = lines[nextOutput]
            let output = UnsafeMutableRawPointer(destination.row(nextOutput))
            if nextOutput > 0, lines[nextOutput - 1] == line {
                output.copyMemory(from: destination.row(nextOutput - 1), byteCount: width * 4)
            } else {
                let input = UnsafeRawPointer(rows + (line - position) * bytesPerRow)
                columns.withUnsafeBufferPointer { columns in
                    for x in 0..<width {
                        let pixel = input.loadUnaligned(fromByteOffset: Int(columns[x]) * 4, as: UInt32.self)
                        output.storeBytes(of: pixel, toByteOffset: x * 4, as: UInt32.self)
                    }
                }
            }
            nextOutput += 1
        }
        position += count
    }

    /// Returns the source index for each output. Integer regions are divided exactly, so that a centre between two pixels
    /// always selects the right one.
    private static func indices(origin: Double, extent: Double, size: Int, count: Int) -> [Int] {
        let isWhole = origin == origin.rounded() && extent == extent.rounded()
        return (0..<count).map { index in
            let place =
                isWhole
                ? Int(origin) + (2 * index + 1) * Int(extent) / (2 * count)
                : Int(origin + (Double(index) + 0.5) * extent / Double(count))
            return min(max(0, place), size - 1)
        }
    }
}
