import Foundation
import Tintype

#if canImport(Glibc)
    import Glibc
#endif

/// What the pipeline costs: a memory hit, a load beside a raw download, and the whole way with both caches.
extension Subject {
    static let pipeline = Subject(name: "pipeline", summary: "memory hits, cost per load, pictures per second") {
        measurement in
        try memoryHits(&measurement)
        try costPerLoad(&measurement)
        try wholeLoads(&measurement)
    }

    private static func memoryHits(_ measurement: inout Measurement) throws {
        let pipeline = ImagePipeline(configuration(disk: nil))
        let bitmap = try Bitmap(width: 8, height: 8) { bytes, _ in bytes.initializeMemory(as: UInt8.self, repeating: 0)
        }
        let image = DecodedImage(
            bitmap: bitmap, info: ImageInfo(format: .png, storedSize: bitmap.size, hasAlpha: true))
        let requests = (0..<1000).map { ImageRequest("https://example.com/pictures/\($0).jpg") }
        for request in requests { pipeline.cache.storeInMemory(image, for: request) }
        measurement.measure("1000 memory hits, kept requests") {
            for request in requests where pipeline.cachedImage(for: request) == nil { fatalError("a miss") }
        }
        measurement.measure("1000 memory hits, new requests") {
            for number in 0..<1000
            where pipeline.cachedImage(for: ImageRequest("https://example.com/pictures/\(number).jpg")) == nil {
                fatalError("a miss")
            }
        }
        measurement.measure("1000 memory hits, async") {
            wait { for request in requests { _ = try await pipeline.image(for: request) } }
        }
    }

    /// The same 2,000 transfers with and without the pipeline; the decoder does nothing, and no tier keeps anything.
    private static func costPerLoad(_ measurement: inout Measurement) throws {
        let body = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [UInt8](repeating: 0, count: 1000))
        let count = 2000
        let paths = (0..<count).map { "/\($0)" }
        let origin = try BenchOrigin(Dictionary(uniqueKeysWithValues: paths.map { ($0, body) }))
        let downloader = ImageDownloader()
        try cost("2000 raw downloads", &measurement) {
            wait {
                try await each(paths, workers: 6) { path in
                    _ = try await downloader.data(for: HTTPRequest(url: origin.url(path)))
                }
            }
        }
        for (name, disk) in [("no disk", nil), ("disk", folder())] as [(String, URL?)] {
            try cost("2000 loads, \(name), no decoding", &measurement) {
                var configuration = configuration(disk: disk)
                configuration.downloader = downloader
                configuration.codecs = ImageCodecs(decoders: [NoDecoder()], encoders: [])
                let pipeline = ImagePipeline(configuration)
                wait {
                    try await pipeline.cache.removeAll()
                    try await each(paths, workers: 6) { path in
                        _ = try await pipeline.image(for: ImageRequest(origin.url(path)))
                    }
                    await pipeline.waitUntilIdle()
                }
            }
        }
    }

    /// 1,000 distinct JPEGs of about 20 KB: download, decode to 128 pixels, both caches.
    private static func wholeLoads(_ measurement: inout Measurement) throws {
        let count = 1000
        var bodies: [String: Data] = [:]
        for number in 0..<count { bodies["/\(number).jpg"] = try jpeg(number) }
        print("# \(bodies.values.reduce(0) { $0 + $1.count } / count) bytes for each JPEG")
        let origin = try BenchOrigin(bodies)
        let disk = folder()
        try cost("1000 JPEGs to 128 px, both caches", &measurement) {
            let pipeline = ImagePipeline(configuration(disk: disk))
            wait {
                try await pipeline.cache.removeAll()
                try await each((0..<count).map { $0 }, workers: 16) { number in
                    var request = ImageRequest(origin.url("/\(number).jpg"))
                    request.target = ResizeTarget(width: 128, height: 128)
                    _ = try await pipeline.image(for: request)
                }
                await pipeline.waitUntilIdle()
            }
        }
    }

    // MARK: Parts

    private static func configuration(disk: URL?) -> ImagePipeline.Configuration {
        var configuration = ImagePipeline.Configuration()
        configuration.diskCache = disk.flatMap { try? DiskCache(DiskCache.Configuration(root: $0)) }
        return configuration
    }

    private static func folder() -> URL {
        FileManager.default.temporaryDirectory.appending(path: "tintype-bench-\(getpid())")
    }

    /// A photo-like JPEG; the number makes each one different.
    private static func jpeg(_ number: Int) throws -> Data {
        let bitmap = try BenchPicture.photo(width: 320 + number % 7, height: 240)
        var options = EncodeOptions()
        options.quality = 85
        return try ImageCodecs.standard.encode(bitmap, as: .jpeg, options: options)
    }

    /// Prints wall and process time of one run, the best of three.
    private static func cost(_ name: String, _ measurement: inout Measurement, _ body: () throws -> Void) throws {
        guard measurement.filter.isEmpty || name.contains(measurement.filter) else { return }
        var best = (wall: Double.infinity, cpu: Double.infinity)
        for _ in 0..<3 {
            let (wall, cpu) = (clock(CLOCK_MONOTONIC), clock(CLOCK_PROCESS_CPUTIME_ID))
            try body()
            best.wall = min(best.wall, clock(CLOCK_MONOTONIC) - wall)
            best.cpu = min(best.cpu, clock(CLOCK_PROCESS_CPUTIME_ID) - cpu)
        }
        print(
            #"{"subject":"pipeline","case":"\#(name)","wall_s":\#(best.wall),"process_cpu_s":\#(best.cpu)}"#)
    }

    private static func clock(_ kind: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(kind, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func each<Item: Sendable>(
        _ items: [Item], workers: Int, _ body: @escaping @Sendable (Item) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<workers {
                group.addTask {
                    for index in stride(from: worker, to: items.count, by: workers) { try await body(items[index]) }
                }
            }
            try await group.waitForAll()
        }
    }

    private static func wait(_ body: @escaping @Sendable () async throws -> Void) {
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            do { try await body() } catch { print("# failed: \(error)") }
            done.signal()
        }
        done.wait()
    }
}

/// Takes any bytes for a picture of one pixel.
private struct NoDecoder: ImageDecoder {
    var format: ImageFormat { .png }
    private static let info = ImageInfo(format: .png, storedSize: PixelSize(width: 1, height: 1), hasAlpha: false)

    func info(_ data: Data, isComplete: Bool, limits: DecodeLimits) throws -> ImageInfo { Self.info }

    func decode(_ data: Data, options: DecodeOptions) throws -> DecoderOutput {
        DecoderOutput(
            bitmap: try Bitmap(width: 1, height: 1) { bytes, _ in
                bytes.initializeMemory(as: UInt8.self, repeating: 255)
            }, info: Self.info)
    }
}
