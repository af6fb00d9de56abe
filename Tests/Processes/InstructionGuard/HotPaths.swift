import Foundation
import Tintype
import TintypeCaching
import TintypeImaging
import TintypeResponses

/// Work whose instructions are counted. Nothing here may depend on time, addresses, threads or the processor's speed.
struct HotPath: Sendable {
    let name: String
    /// Runs of the lesser of the two counts.
    let count: Int
    /// Prepares once; the closure is one run.
    let prepare: @Sendable () throws -> () throws -> Void

    static let all: [HotPath] = [
        HotPath(name: "memory cache: hit", count: 20_000) {
            let cache = MemoryCache<String, Int>(.init(costLimit: 1 << 20))
            let keys = (0..<100).map { "https://example.org/\($0).jpg" }
            for (number, key) in keys.enumerated() { cache.set(number, for: key, cost: 100) }
            var next = 0
            return {
                next = (next + 1) % keys.count
                guard cache.value(for: keys[next]) == next else { throw GuardError("a hit that missed") }
            }
        },
        HotPath(name: "memory cache: set with eviction", count: 20_000) {
            let cache = MemoryCache<Int, Int>(.init(costLimit: 1000, entryCostFraction: 1))
            for number in 0..<3000 { cache.set(number, for: number, cost: 1) }
            var next = 3000
            return {
                next += 1
                cache.set(next, for: next, cost: 1)
            }
        },
        HotPath(name: "pipeline: cachedImage of a kept request", count: 10_000) {
            let pipeline = ImagePipeline(.init(diskCache: nil))
            let request = ImageRequest(string: "https://example.org/a.png")
            let bitmap = try pattern(8, 8)
            let image = try ImageCodecs.standard.decode(ImageCodecs.standard.encode(bitmap, as: .png))
            pipeline.cache.storeInMemory(image, for: request)
            return { guard pipeline.cachedImage(for: request) != nil else { throw GuardError("not in memory") } }
        },
        HotPath(name: "URL: request and key of a new one", count: 500) {
            let pipeline = ImagePipeline(.init(diskCache: nil))
            var next = 0
            return {
                next += 1
                var request = ImageRequest(
                    string: "https://Example.ORG:443/a b/../images/100\(next % 800 + 100).jpg?size=large&x=%41#top")
                request.target = ResizeTarget(width: 128, height: 128, fit: .cover)
                guard pipeline.cache.imageKey(for: request).string.count > 40 else { throw GuardError("no key") }
            }
        },
        HotPath(name: "disk cache: read of 4 KB", count: 200) {
            let root = FileManager.default.temporaryDirectory.appending(path: "tintype-guard")
            let cache = try DiskCache(.init(root: root))
            let payload = Data((0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            try cache.storeSynchronously(payload, for: "https://example.org/a.jpg")
            return {
                guard try cache.entrySynchronously(for: "https://example.org/a.jpg")?.data.count == 4096 else {
                    throw GuardError("a read that missed")
                }
            }
        },
        HotPath(name: "JPEG: decode 256x192", count: 4) {
            let data = try ImageCodecs.standard.encode(pattern(256, 192), as: .jpeg)
            return { _ = try ImageCodecs.standard.decode(data) }
        },
        HotPath(name: "PNG: decode 256x192", count: 4) {
            let data = try ImageCodecs.standard.encode(pattern(256, 192), as: .png)
            return { _ = try ImageCodecs.standard.decode(data) }
        },
        HotPath(name: "resize: Lanczos 512x384 to 128x96", count: 4) {
            let bitmap = try pattern(512, 384)
            return { _ = try bitmap.resized(to: ResizeTarget(width: 128, height: 96)) }
        },
        HotPath(name: "GIF: frames of 128x96, in turn", count: 8) {
            let frames = try (0..<4).map { EncodableFrame(bitmap: try pattern(128, 96, shift: $0 * 7), duration: 0.1) }
            guard let encoder = ImageCodecs.standard.encoder(for: .gif),
                let decoder = ImageCodecs.standard.decoder(for: .gif)
            else { throw GuardError("no GIF codec") }
            let data = try encoder.encode(frames: frames, loopCount: 0, options: .init())
            guard let source = try decoder.frames(data, options: .init()) else { throw GuardError("no frames") }
            var next = 0
            return {
                _ = try source.frame(at: next % 4)
                next += 1
            }
        },
        HotPath(name: "JSON: parse 10 KB", count: 10) {
            let items = (0..<100).map {
                "{\"id\":\($0),\"name\":\"item \($0)\",\"tags\":[\"a\",\"b\\n\",null,true],\"x\":-1.5e3}"
            }
            let data = Data("[\(items.joined(separator: ","))]".utf8)
            return { _ = try JSONValue(data: data) }
        },
    ]

    /// An image with edges and smooth parts.
    private static func pattern(_ width: Int, _ height: Int, shift: Int = 0) throws -> Bitmap {
        try Bitmap(width: width, height: height, isOpaque: true) { bytes, bytesPerRow in
            for y in 0..<height {
                for x in 0..<width {
                    let offset = y * bytesPerRow + x * 4
                    bytes[offset] = UInt8(truncatingIfNeeded: (x + shift) * 255 / width)
                    bytes[offset + 1] = UInt8(truncatingIfNeeded: y * 255 / height)
                    bytes[offset + 2] = (x + shift) / 16 % 2 == y / 16 % 2 ? 200 : 40
                    bytes[offset + 3] = 255
                }
            }
        }
    }
}

struct GuardError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
