import Foundation
import TestOrigin
import Tintype
import TintypeBase

/// Loads many processed images with 64 tasks, and prints how much memory the process holds on the way.
///
/// Results are 512 px wide and go to disk only: what grows is what waits to be stored.
enum StoreCurve {
    static func run(counts: [Int]) async throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "tintype-curve-\(UUID().uuidString)")
        defer {
            do { try FileManager.default.removeItem(at: root) } catch { print("left behind: \(root.path)") }
        }
        let origin = try TestOrigin()
        let bitmap = try Bitmap(width: 768, height: 768, isOpaque: true) { bytes, bytesPerRow in
            for y in 0..<768 {
                for x in 0..<768 {
                    let offset = y * bytesPerRow + x * 4
                    bytes[offset] = UInt8(truncatingIfNeeded: x / 3)
                    bytes[offset + 1] = UInt8(truncatingIfNeeded: y / 3)
                    bytes[offset + 2] = UInt8(truncatingIfNeeded: x &* y >> 6)
                    bytes[offset + 3] = 255
                }
            }
        }
        let body = try ImageCodecs.standard.encode(bitmap, as: .jpeg)
        origin.onEverythingElse { _ in .ok(body) }
        var configuration = ImagePipeline.Configuration(
            diskCache: try DiskCache(DiskCache.Configuration(root: root, maximumByteCount: 4 << 30)))
        configuration.dataCachePolicy = .processed
        configuration.memoryCache = ImageMemoryCache(.init(costLimit: 64 << 20))
        let pipeline = ImagePipeline(configuration)
        print("loads   RSS MiB   pending MiB   entries   seconds")
        var done = 0
        let start = ContinuousClock.now
        for count in counts {
            let range = done..<count
            let next = Locked(range.lowerBound)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<64 {
                    group.addTask {
                        while true {
                            let index = next.withLock { next in
                                defer { next += 1 }
                                return next
                            }
                            guard index < range.upperBound else { return }
                            var request = ImageRequest(string: origin.url("/\(index)"))
                            request.target = ResizeTarget(width: 512, height: 512)
                            _ = try await pipeline.image(for: request)
                        }
                    }
                }
                try await group.waitForAll()
            }
            done = count
            let resident = Double(ProcessFigures.now(root: root).residentKilobytes) / 1024
            let pending = Double(pipeline.pendingStoreByteCount) / 1_048_576
            print(
                "\(count)\t\(Int(resident))\t\(Int(pending))\t\(pipeline.cache.disk?.count ?? 0)\t"
                    + String(format: "%.1f", start.duration(to: .now).inSeconds))
            fflush(nil)
        }
        await pipeline.flush()
        print("after flush: \(pipeline.cache.disk?.count ?? 0) entries")
    }
}
