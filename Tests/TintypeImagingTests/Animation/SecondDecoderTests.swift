import Foundation
import Testing

@testable import TintypeImaging

/// A Python with Pillow, if this machine has one.
private enum Pillow {
    static let python: String? = {
        let candidates = [ProcessInfo.processInfo.environment["TINTYPE_PYTHON"], "/usr/bin/python3"]
        let found = candidates.compactMap { $0 }.first { run($0, ["-c", "import PIL.Image"]) == 0 }
        if found == nil {
            print("Pillow was not found (set TINTYPE_PYTHON): frames are not compared with a second decoder")
        }
        return found
    }()

    static func run(_ path: String, _ arguments: [String]) -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        do { try process.run() } catch { return -1 }
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// All frames as straight RGBA, one after the other.
    static func frames(_ data: Data, python: String) throws -> [UInt8] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tintype-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (input, output) = (folder.appendingPathComponent("in"), folder.appendingPathComponent("out"))
        try data.write(to: input)
        let script = """
            import sys
            from PIL import Image
            image = Image.open(sys.argv[1])
            with open(sys.argv[2], 'wb') as out:
                for k in range(getattr(image, 'n_frames', 1)):
                    image.seek(k)
                    out.write(image.convert('RGBA').tobytes())
            """
        try #require(run(python, ["-c", script, input.path, output.path]) == 0)
        return [UInt8](try Data(contentsOf: output))
    }
}

/// What we write is read by Pillow as by ourselves, frame by frame.
@Suite struct SecondDecoderTests {
    private func movie() throws -> [EncodableFrame] {
        try (0..<8).map { number in
            let bitmap = try painted(32, 20) { x, y in
                let distance = (x - number * 3) * (x - number * 3) + (y - 10) * (y - 10)
                return distance < 30 ? rgba(255, number * 20, 0) : y > 14 ? rgba(x * 4, y * 10, 90) : 0
            }
            return EncodableFrame(bitmap: bitmap, duration: 0.08)
        }
    }

    @Test(.enabled(if: Pillow.python != nil), arguments: [ImageFormat.gif, .png, .webp])
    func `Pillow sees the same frames as we do`(format: ImageFormat) throws {
        let python = try #require(Pillow.python)
        var options = EncodeOptions()
        options.isLossless = true
        let encoder = try #require(ImageCodecs.standard.encoder(for: format))
        let data = try encoder.encode(frames: movie(), loopCount: 0, options: options)
        let image = try #require(try ImageCodecs.standard.animation(data))
        let theirs = try Pillow.frames(data, python: python)
        let size = image.info.storedSize
        try #require(theirs.count == size.area * 4 * image.frameCount)
        for index in 0..<image.frameCount {
            let bitmap = try image.frame(at: index)
            let start = index * size.area * 4
            var worst = 0
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let offset = start + (y * size.width + x) * 4
                    let alpha = Int(theirs[offset + 3])
                    let ours = bitmap[x: x, y: y]
                    let channels = [Int(ours.red), Int(ours.green), Int(ours.blue)]
                    for channel in 0..<3 {
                        let value = (Int(theirs[offset + channel]) * alpha + 127) / 255
                        worst = max(worst, abs(value - channels[channel]))
                    }
                    worst = max(worst, abs(alpha - Int(ours.alpha)))
                }
            }
            #expect(worst <= 1, "frame \(index)")
        }
    }

    /// A hundred frames of a moving disc by another encoder, whose choice of key frames is its own.
    @Test(.enabled(if: Pillow.python != nil), arguments: [true, false])
    func `Any frame of a WebP by Pillow is reached from its key frame`(isLossless: Bool) throws {
        let python = try #require(Pillow.python)
        let output = FileManager.default.temporaryDirectory.appendingPathComponent("tintype-\(UUID().uuidString).webp")
        defer { try? FileManager.default.removeItem(at: output) }
        let script = """
            import sys
            from PIL import Image, ImageDraw
            frames = []
            for k in range(100):
                image = Image.new('RGB', (120, 80), (20, 40, 90))
                draw = ImageDraw.Draw(image)
                draw.rectangle((0, 60, 119, 79), fill=(30, 120, 40))
                draw.ellipse((k, 10 + k % 30, k + 18, 28 + k % 30), fill=(250, 200 - k, 30))
                frames.append(image)
            frames[0].save(sys.argv[1], save_all=True, append_images=frames[1:], duration=40, loop=0,
                lossless=sys.argv[2] == '1')
            """
        try #require(Pillow.run(python, ["-c", script, output.path, isLossless ? "1" : "0"]) == 0)
        let data = try Data(contentsOf: output)
        var worst = 0
        var total = 0
        for index in 0..<100 {
            let source = try #require(
                try WebPDecoder().frames(data, options: DecodeOptions()) as? CompositedFrameSource)
            try #require(source.info.frameCount == 100)
            _ = try source.frame(at: index)
            worst = max(worst, source.decodedFrameCount)
            total += source.decodedFrameCount
        }
        print("WebP by Pillow, lossless \(isLossless): \(worst) frames at most, \(Double(total) / 100) on average")
        // libwebp's encoder leaves up to 24 frames between two that need nothing below them.
        #expect(worst <= 25)
    }
}

/// Filmstrips to look at, in `.build/contact-sheets`.
@Suite struct FilmstripTests {
    @Test(arguments: [ImageFormat.gif, .png, .webp])
    func `A filmstrip of each format is written and has every frame in it`(format: ImageFormat) throws {
        let frames = try (0..<8).map { number in
            let bitmap = try painted(48, 32) { x, y in
                let distance = (x - number * 6) * (x - number * 6) + (y - 16) * (y - 16)
                return distance < 90 ? rgba(230, 60 + number * 20, 30) : rgba(x * 4, y * 6, 120, y < 24 ? 255 : 0)
            }
            return EncodableFrame(bitmap: bitmap, duration: 0.1)
        }
        var options = EncodeOptions()
        options.isLossless = true
        let encoder = try #require(ImageCodecs.standard.encoder(for: format))
        let data = try encoder.encode(frames: frames, loopCount: 0, options: options)
        let image = try #require(try ImageCodecs.standard.animation(data))
        #expect(image.frameCount == 8)
        let bitmaps = try (0..<image.frameCount).map { try image.frame(at: $0) }
        let strip = try Bitmap(width: 50 * bitmaps.count, height: 32) { bytes, bytesPerRow in
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
            for (index, bitmap) in bitmaps.enumerated() {
                bitmap.withUnsafeBytes { source in
                    for y in 0..<32 {
                        let target = bytes.baseAddress.map { $0 + y * bytesPerRow + index * 200 }
                        if let from = source.baseAddress {
                            target?.copyMemory(from: from + y * bitmap.bytesPerRow, byteCount: 48 * 4)
                        }
                    }
                }
            }
        }
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(".build/contact-sheets")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try PNGEncoder().encode(strip, options: .init()).write(
            to: folder.appendingPathComponent("animation-\(format).png"))
    }
}
