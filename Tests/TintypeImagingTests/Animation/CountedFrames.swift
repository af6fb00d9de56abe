import Foundation
import TintypeBase

@testable import TintypeImaging

/// A source whose frame k is k in all pixels, and that writes down what it was asked for.
final class CountedFrames: FrameSource, @unchecked Sendable {
    let info: ImageInfo
    // Guarded by itself.
    let log = Locked<[Int]>([])
    let drops = Locked(0)
    var damaged: Set<Int> = []
    private let side: Int

    init(_ count: Int, side: Int = 8, durations: [Double]? = nil, loopCount: Int? = 0) {
        self.side = side
        info = ImageInfo(
            format: .gif, storedSize: PixelSize(width: side, height: side), hasAlpha: false, frameCount: count,
            loopCount: loopCount,
            frames: (durations ?? Array(repeating: 0.1, count: count)).map { .init(rawDuration: $0) })
    }

    func frame(at index: Int) throws -> Bitmap {
        log.withLock { $0.append(index) }
        guard !damaged.contains(index) else { throw ImagingError.corrupt(.gif, "frame \(index)") }
        return try Bitmap(width: side, height: side) { bytes, _ in
            bytes.initializeMemory(as: UInt8.self, repeating: UInt8(index))
        }
    }

    func dropState() { drops.withLock { $0 += 1 } }

    var asked: [Int] { log.withLock { $0 } }
    /// How often the frame that was decoded most often was.
    var mostOften: Int { Dictionary(grouping: asked, by: { $0 }).values.map(\.count).max() ?? 0 }
}

/// Waits until something that another thread does has come true.
func eventually(_ seconds: Double = 120, _ condition: () -> Bool) async -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end {
        if condition() { return true }
        try? await Task.sleep(for: .milliseconds(1))
    }
    return condition()
}
