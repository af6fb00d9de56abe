import Foundation
import Testing

@testable import TintypeImaging

/// Without memory one load fails with an error, and the process goes on.
@Suite("Out of memory") struct MemoryLimitTests {
    private struct Line: Decodable {
        var operation: String
        var headroom: Int
        var outcome: String
    }

    /// Five megabytes of pixels.
    private static func bitmap(isOpaque: Bool) throws -> Bitmap {
        try TestImages.make(width: 1200, height: 1000, isOpaque: isOpaque) { x, y in
            let alpha = isOpaque ? 255 : 128 + (x + y) % 128
            return TestImages.premultiplied(x * 255 / 1200, y * 255 / 1000, (x ^ y) & 127, alpha)
        }
    }

    @Test(
        "Decoding, processing and encoding with any little memory fail with imageTooLarge or succeed",
        arguments: zip([ImageFormat.png, .jpeg, .webp, .gif], [true, true, false, false]))
    func littleMemory(format: ImageFormat, isOpaque: Bool) throws {
        let environment = ProcessInfo.processInfo.environment
        // A sanitizer maps terabytes, which no limit allows.
        guard environment["TSAN_OPTIONS"] == nil, environment["ASAN_OPTIONS"] == nil else { return }
        let data = try ImageCodecs.standard.encode(try Self.bitmap(isOpaque: isOpaque), as: format)
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("tintype-\(UUID().uuidString)")
        try data.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var operations = ["decode", "thumbnail", "half", "lenient", "encode \(format)"]
        if format == .png { operations += ["blur", "flip", "rotate", "circle"] }
        let child = try AnimationChild.run(["memory", file.path] + operations)
        let lines = try child.output.split(separator: UInt8(ascii: "\n")).map {
            try JSONDecoder().decode(Line.self, from: $0)
        }
        let last = lines.last.map { "\($0.operation) with \($0.headroom)" } ?? "nothing"
        #expect(child.status == 0, "the process ended after \(last)")
        for line in lines {
            #expect(["ok", "imageTooLarge"].contains(line.outcome), "\(line)")
        }
        // Five megabytes do not fit into three; half a gigabyte is enough for everything.
        #expect(lines.contains { $0.operation == "decode" && $0.outcome == "imageTooLarge" })
        for line in lines where line.headroom >= 512 << 20 { #expect(line.outcome == "ok", "\(line)") }
    }
}
