import Foundation
import TestOrigin
import TintypeBase

@testable import Tintype

/// One origin, one pipeline and one cache folder that goes away with it.
final class Rig: Sendable {
    let origin: TestOrigin
    let folder: URL
    let pipeline: ImagePipeline
    private let recorded: Locked<[ImageEvent]>

    init(_ change: (inout ImagePipeline.Configuration) throws -> Void = { _ in }) throws {
        origin = try TestOrigin()
        folder = FileManager.default.temporaryDirectory.appending(path: "tintype-\(UUID().uuidString)")
        recorded = Locked([])
        let recorded = recorded
        var configuration = try Rig.configuration(folder: folder)
        configuration.observer = { event in recorded.withLock { $0.append(event) } }
        try change(&configuration)
        pipeline = ImagePipeline(configuration)
    }

    deinit {
        do { try FileManager.default.removeItem(at: folder) } catch { print("left behind: \(folder.path)") }
    }

    static func configuration(folder: URL) throws -> ImagePipeline.Configuration {
        var configuration = ImagePipeline.Configuration()
        configuration.diskCache = try DiskCache(DiskCache.Configuration(root: folder))
        configuration.requestDefaults.retry = .none
        // What a test holds back on purpose must not time out because a sanitizer makes everything slow.
        if dripPace > 1 {
            configuration.requestDefaults.timeouts = Timeouts(
                connect: .seconds(120), idle: .seconds(120), total: .seconds(300))
        }
        configuration.reactsToMemoryPressure = false
        return configuration
    }

    /// Another pipeline over the same folder: what a new process would see.
    func restarted(_ change: (inout ImagePipeline.Configuration) throws -> Void = { _ in }) async throws
        -> ImagePipeline
    {
        await pipeline.waitUntilIdle()
        var configuration = try Rig.configuration(folder: folder)
        try change(&configuration)
        return ImagePipeline(configuration)
    }

    func url(_ path: String) -> String { origin.url(path) }
    func request(_ path: String) -> ImageRequest { ImageRequest(string: origin.url(path)) }
    var events: [ImageEvent] { recorded.withLock { $0 } }
}

/// How slowly origins drip where a test needs the client to see single pieces: slower under a sanitizer, which `make`
/// names in the environment.
let dripPace: Double = {
    let environment = ProcessInfo.processInfo.environment
    return environment["TSAN_OPTIONS"] != nil || environment["ASAN_OPTIONS"] != nil ? 10 : 1
}()

/// Images made for the tests.
enum Image {
    /// One colour, opaque.
    static func bitmap(_ red: UInt8, _ green: UInt8, _ blue: UInt8, width: Int = 8, height: Int = 6) throws -> Bitmap {
        try Bitmap(width: width, height: height, isOpaque: true) { bytes, bytesPerRow in
            for y in 0..<height {
                for x in 0..<width {
                    let offset = y * bytesPerRow + x * 4
                    bytes[offset] = red
                    bytes[offset + 1] = green
                    bytes[offset + 2] = blue
                    bytes[offset + 3] = 255
                }
            }
        }
    }

    static func png(_ red: UInt8, _ green: UInt8, _ blue: UInt8, width: Int = 8, height: Int = 6) throws -> Data {
        try ImageCodecs.standard.encode(bitmap(red, green, blue, width: width, height: height), as: .png)
    }

    static func jpeg(_ red: UInt8, _ green: UInt8, _ blue: UInt8, width: Int = 64, height: Int = 48) throws -> Data {
        try ImageCodecs.standard.encode(bitmap(red, green, blue, width: width, height: height), as: .jpeg)
    }

    /// Three frames of 4x2, red, green and blue, 0.1 s each. Every second pixel is a clear code, so that codes stay 3 bits.
    static var gif: Data {
        var data = Data("GIF89a".utf8)
        data += [4, 0, 2, 0, 0b1000_0001, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0]
        data += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 0]
        for color in 0..<3 {
            data += [0x21, 0xF9, 4, 0, 10, 0, 0, 0, 0x2C, 0, 0, 0, 0, 4, 0, 2, 0, 0, 2]
            var (bits, count, bytes) = (0, 0, [UInt8]())
            for code in (0..<8).flatMap({ $0 % 2 == 0 ? [4, color] : [color] }) + [5] {
                bits |= code << count
                count += 3
                while count >= 8 {
                    bytes.append(UInt8(bits & 255))
                    bits >>= 8
                    count -= 8
                }
            }
            if count > 0 { bytes.append(UInt8(bits & 255)) }
            data += [UInt8(bytes.count)] + bytes + [0]
        }
        return data + [0x3B]
    }

    static func color(of image: DecodedImage) -> [UInt8] {
        let pixel = image.bitmap[x: 0, y: 0]
        return [pixel.red, pixel.green, pixel.blue, pixel.alpha]
    }
}

/// Exchanges red and blue; counts its runs.
struct SwapProcessor: ImageProcessor {
    var identifier = "swap"
    let count = Locked(0)

    func process(_ bitmap: Bitmap) throws -> Bitmap {
        count.withLock { $0 += 1 }
        return try Bitmap(width: bitmap.width, height: bitmap.height, isOpaque: bitmap.isOpaque) { bytes, bytesPerRow in
            for y in 0..<bitmap.height {
                for x in 0..<bitmap.width {
                    let pixel = bitmap[x: x, y: y]
                    let offset = y * bytesPerRow + x * 4
                    bytes[offset] = pixel.blue
                    bytes[offset + 1] = pixel.green
                    bytes[offset + 2] = pixel.red
                    bytes[offset + 3] = pixel.alpha
                }
            }
        }
    }
}

/// Waits until something holds; false if it does not in time.
func eventually(seconds: Double = 120, _ condition: () async throws -> Bool) async rethrows -> Bool {
    let end = ContinuousClock.now.advanced(by: .seconds(seconds))
    while ContinuousClock.now < end {
        if try await condition() { return true }
        try? await Task.sleep(for: .milliseconds(2))
    }
    return try await condition()
}
