import Foundation
import Tintype

extension Job {
    /// A memory hit, a load beside a raw download, and the whole way.
    static let pipeline: [Job] = [
        Job(name: "memory hits", by: "tintype") { try memoryHits($0) },
        Job(name: "loads", by: "raw download", prepare: rawDownloads),
        Job(name: "loads", by: "tintype", prepare: loadsWithoutDecoding),
        Job(name: "whole loads", by: "tintype", prepare: wholeLoads),
    ]

    private static func memoryHits(_ parameters: Parameters) throws -> Work {
        let pipeline = ImagePipeline(configuration(disk: nil))
        let bitmap = try Bitmap(width: 8, height: 8) { bytes, _ in
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
        }
        let image = DecodedImage(
            bitmap: bitmap, info: ImageInfo(format: .png, storedSize: bitmap.size, hasAlpha: true))
        let requests = (0..<1000).map { ImageRequest(string: "https://example.com/images/\($0).jpg") }
        for request in requests { pipeline.cache.storeInMemory(image, for: request) }
        struct Miss: Error {}
        switch parameters.values["form"] {
        case "new requests":
            return Work(operations: 1000) {
                for number in 0..<1000
                where pipeline.cachedImage(for: ImageRequest(string: "https://example.com/images/\(number).jpg")) == nil
                {
                    throw Miss()
                }
            }
        case "async":
            return Work(operations: 1000) {
                try wait { for request in requests { _ = try await pipeline.image(for: request) } }
            }
        default:
            return Work(operations: 1000) {
                for request in requests where pipeline.cachedImage(for: request) == nil { throw Miss() }
            }
        }
    }

    private static func rawDownloads(_ parameters: Parameters) throws -> Work {
        let (origin, count) = (try parameters.text("origin"), try parameters.number("count"))
        let downloader = ImageDownloader()
        return Work(operations: count) {
            try wait {
                try await forEach(below: count, workers: 6) { number in
                    _ = try await downloader.data(for: DownloadRequest(url: "\(origin)/\(number)"))
                }
            }
        }
    }

    /// The same transfers through a pipeline whose decoder does nothing; with `folder` both caches keep the results.
    private static func loadsWithoutDecoding(_ parameters: Parameters) throws -> Work {
        let (origin, count) = (try parameters.text("origin"), try parameters.number("count"))
        let downloader = ImageDownloader()
        return Work.withFigures(operations: count) {
            var configuration = configuration(disk: parameters.values["folder"])
            configuration.downloader = downloader
            configuration.codecs = ImageCodecs(decoders: [NoDecoder()], encoders: [])
            let pipeline = ImagePipeline(configuration)
            try wait { try await pipeline.cache.removeAll() }
            return try Cost.of {
                try wait {
                    try await forEach(below: count, workers: 6) { number in
                        _ = try await pipeline.image(for: ImageRequest(string: "\(origin)/\(number)"))
                    }
                    await pipeline.waitUntilIdle()
                }
            }.figures
        }
    }

    /// `count` distinct JPEGs: download, decode to 128 pixels, both caches.
    private static func wholeLoads(_ parameters: Parameters) throws -> Work {
        let (origin, count) = (try parameters.text("origin"), try parameters.number("count"))
        let folder = try parameters.text("folder")
        return Work.withFigures(operations: count) {
            let pipeline = ImagePipeline(configuration(disk: folder))
            try wait { try await pipeline.cache.removeAll() }
            return try Cost.of {
                try wait {
                    try await forEach(below: count, workers: 16) { number in
                        var request = ImageRequest(string: "\(origin)/\(number).jpg")
                        request.target = ResizeTarget(width: 128, height: 128)
                        _ = try await pipeline.image(for: request)
                    }
                    await pipeline.waitUntilIdle()
                }
            }.figures
        }
    }

    private static func configuration(disk: String?) -> ImagePipeline.Configuration {
        var configuration = ImagePipeline.Configuration()
        configuration.diskCache = disk.flatMap { try? DiskCache(.init(root: URL(fileURLWithPath: $0))) }
        return configuration
    }
}

/// Takes any bytes for an image of one pixel.
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
