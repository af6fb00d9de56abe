import Foundation
import Synchronization
import Tintype

/// An origin in the process: `http://rows.test/N.png` is an image of one colour, which says N.
final class ColourLoader: ImageLoader {
    struct Response: Sendable {
        var delay: Duration = .zero
        var status = 200
        var size = 16
    }

    let identifier = "colour"
    private let response: @Sendable (Int) -> Response
    private let state = Mutex<(starts: [Int: Int], ends: [Int: Int])>(([:], [:]))

    /// - Parameter response: for the number in the URL.
    init(_ response: @escaping @Sendable (Int) -> Response) { self.response = response }

    var startCount: Int { state.withLock { $0.starts.values.reduce(0, +) } }
    /// Loads that got a response and were not cancelled before.
    var endCount: Int { state.withLock { $0.ends.values.reduce(0, +) } }
    func starts(_ number: Int) -> Int { state.withLock { $0.starts[number] ?? 0 } }
    func ends(_ number: Int) -> Int { state.withLock { $0.ends[number] ?? 0 } }

    static func url(_ number: Int) -> ImageRequest { ImageRequest("http://rows.test/\(number).png") }

    /// Different for every number below 8,192, and never grey.
    static func colour(_ number: Int) -> PixelColor {
        PixelColor(red: UInt8(number & 63) * 4, green: UInt8(number >> 6 & 127) * 2, blue: 250)
    }

    func load(_ request: DownloadRequest, context: LoadContext) async throws -> (Data, DownloadResponse) {
        let number = Int(request.url.split(separator: "/").last?.split(separator: ".").first ?? "") ?? -1
        state.withLock { $0.starts[number, default: 0] += 1 }
        let response = response(number)
        let data = try ColourLoader.picture(ColourLoader.colour(number), size: response.size)
        if response.delay > .zero {
            try await Task.sleep(for: response.delay / 2)
            context.didMakeProgress(TransferProgress(received: data.count / 2, total: data.count))
            try await Task.sleep(for: response.delay / 2)
        }
        guard response.status == 200 else {
            throw NetworkingError.badStatus(response.status, headers: [:])
        }
        state.withLock { $0.ends[number, default: 0] += 1 }
        return (data, DownloadResponse(status: 200, headers: ["Content-Type": "image/png"], finalURL: request.url))
    }

    static func bitmap(_ colour: PixelColor, size: Int) throws -> Bitmap {
        try Bitmap(width: size, height: size, isOpaque: true) { bytes, _ in
            for offset in stride(from: 0, to: size * size * 4, by: 4) {
                bytes[offset] = colour.red
                bytes[offset + 1] = colour.green
                bytes[offset + 2] = colour.blue
                bytes[offset + 3] = 255
            }
        }
    }

    static func picture(_ colour: PixelColor, size: Int) throws -> Data {
        try ImageCodecs.standard.encode(bitmap(colour, size: size), as: .png)
    }
}

extension ImagePipeline {
    /// With the loader alone: no disk, unless one is given.
    static func testing(_ loader: ColourLoader, disk: DiskCache? = nil) -> ImagePipeline {
        var configuration = Configuration(diskCache: disk)
        configuration.loader = loader
        configuration.requestDefaults.retry = .none
        configuration.reactsToMemoryPressure = false
        return ImagePipeline(configuration)
    }
}
