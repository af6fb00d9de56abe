import Foundation
import Tintype

/// The samples of the pages about the three layers.
enum LayerSamples {
    static func info(data: Data) throws {
        // SAMPLE Sources/TintypeImaging/TintypeImaging.docc/TintypeImaging.md 1
        let info = try ImageCodecs.standard.info(data)  // reads the header, decodes no pixel
        print(info.format, info.size, info.frameCount)

        var options = DecodeOptions()
        options.target = ResizeTarget(width: 320, height: 320, fit: .contain)
        options.limits.maximumPixelCount = 25_000_000
        let image = try ImageCodecs.standard.decode(data, options: options)
        // END
        print(image.bitmap.size)
    }

    static func processing(bitmap: Bitmap) throws {
        // SAMPLE Sources/TintypeImaging/TintypeImaging.docc/TintypeImaging.md 2
        let card: any ImageProcessor = .compose([
            .resize(width: 400, height: 300, fit: .cover), .blur(sigma: 1.5), .roundedCorners(radius: 20),
        ])
        let drawn = try card.process(bitmap)
        let file = try ImageCodecs.standard.encode(drawn, as: .png)
        // END
        print(file.count)
    }

    static func animation(data: Data) async throws {
        // SAMPLE Sources/TintypeImaging/TintypeImaging.docc/TintypeImaging.md 3
        guard let animation = try ImageCodecs.standard.animation(data) else { return }  // a still
        let player = AnimatedImagePlayer(animation)
        for await frame in player.frames() {
            print(frame.index, frame.bitmap.size)  // when it is due; decoded ahead, within a budget
        }
        // END
    }

    static func placeholders(bitmap: Bitmap) throws {
        // SAMPLE Sources/TintypeImaging/TintypeImaging.docc/TintypeImaging.md 4
        let hash = try ThumbHash(encoding: bitmap)  // about 25 bytes, for a database or a JSON response
        let blurred = try ThumbHash(hash.bytes).bitmap()  // on the other side
        let color = try bitmap.dominantColor()
        // END
        print(blurred.size, color?.hex ?? "")
    }

    static func memory(bitmap: Bitmap) {
        // SAMPLE Sources/TintypeCaching/TintypeCaching.docc/TintypeCaching.md 1
        let cache = MemoryCache<String, Bitmap>(.init(costLimit: 64 << 20))
        cache.set(bitmap, for: "cat", cost: bitmap.byteCount)
        let hit = cache.value(for: "cat")

        let monitor = MemoryPressureMonitor()
        monitor.start { level in cache.handleMemoryPressure(level) }
        // END
        print(hit?.size ?? bitmap.size, cache.statistics.hitRatio ?? 0)
    }

    static func memoryCache(bitmap: Bitmap, url: String) {
        // SAMPLE Sources/TintypeCaching/Memory/MemoryCache.swift 1
        let cache = MemoryCache<String, Bitmap>(.init(costLimit: 64 << 20))
        cache.set(bitmap, for: url, cost: bitmap.byteCount)
        let hit = cache.value(for: url)
        // END
        print(hit?.size ?? bitmap.size)
        // SAMPLE Sources/TintypeCaching/System/MemoryPressureMonitor.swift 1
        let monitor = MemoryPressureMonitor()
        monitor.start { level in cache.handleMemoryPressure(level) }
        // END
    }

    static func disk(data: Data) async throws {
        // SAMPLE Sources/TintypeCaching/TintypeCaching.docc/TintypeCaching.md 2
        let cache = try DiskCache(.init(namespace: "covers", maximumAge: .seconds(30 * 86_400)))
        try await cache.store(data, for: "https://example.com/cover.jpg")
        if let entry = try await cache.entry(for: "https://example.com/cover.jpg") {
            print(entry.data.count, entry.metadata.storedAt)
        }
        let result = try await cache.verify()
        // END
        print(result.isClean)
    }

    static func oldFolder() throws -> DiskCache {
        // SAMPLE Sources/TintypeCaching/TintypeCaching.docc/TintypeCaching.md 3
        let old = URL(fileURLWithPath: "/var/lib/app/com.hackemist.SDImageCache/default")
        let cache = try DiskCache(.init(readOnlyPaths: [old]))
        // END
        return cache
    }

    static func download() async throws {
        // SAMPLE Sources/TintypeNetworking/TintypeNetworking.docc/TintypeNetworking.md 1
        let downloader = ImageDownloader()
        var request = DownloadRequest(url: "https://example.com/Größe 1.png")  // encoded once, however it is written
        request.maximumBodyByteCount = 5 << 20
        request.blocksPrivateAddresses = true
        let (data, response) = try await downloader.data(for: request)
        print(data.count, response.finalURL, response.metrics.total)
        // END
    }

    static func streaming(downloader: ImageDownloader) async throws {
        // SAMPLE Sources/TintypeNetworking/TintypeNetworking.docc/TintypeNetworking.md 2
        var request = DownloadRequest(url: "https://example.com/archive.bin")
        request.keepsBody = false  // memory stays small
        let transfer = downloader.transfer(for: request)
        var count = 0
        for try await chunk in transfer.chunks { count += chunk.data.count }
        // END
        print(count)
    }
}

// SAMPLE Sources/TintypeImaging/Animation/ImagingCancellation.swift 1
func encode(_ animation: AnimatedImage, isCancelled: @escaping @Sendable () -> Bool) throws -> Data {
    try ImagingCancellation.withCheck {
        if isCancelled() { throw CancellationError() }
    } operation: {
        try ImageCodecs.standard.encode(animation, as: .gif)
    }
}
// END
