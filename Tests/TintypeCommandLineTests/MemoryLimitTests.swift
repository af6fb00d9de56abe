import Foundation
import TestOrigin
import Testing
import TintypeImaging

@Suite("Memory limit") struct MemoryLimitTests {
    @Test("An image that exceeds the available memory fails with imageTooLarge, and the next one is converted")
    func convert() async throws {
        // AddressSanitizer and ThreadSanitizer map terabytes, which no limit allows.
        let environment = ProcessInfo.processInfo.environment
        guard environment["TSAN_OPTIONS"] == nil, environment["ASAN_OPTIONS"] == nil else { return }
        let tool = try Tool()
        let prlimit = URL(fileURLWithPath: "/usr/bin/prlimit")
        defer { tool.remove() }
        // 400 megabytes of pixels in half a megabyte.
        let large = try Bitmap(width: 10_000, height: 10_000, isOpaque: true) { bytes, _ in
            bytes.initializeMemory(as: UInt8.self, repeating: 255)
        }
        for format in [ImageFormat.png, .jpeg] {
            let name = "large.\(format)"
            try ImageCodecs.standard.encode(large, as: format).write(to: tool.folder.appendingPathComponent(name))
            let outcome = try await tool.start(
                ["--as=400000000", Tool.binary.path, "convert", name, "out.png"], program: prlimit
            ).end()
            #expect(outcome.status == 1, "\(outcome.errors)")
            #expect(outcome.errors.contains("imageTooLarge"), "\(outcome.errors)")
            #expect(outcome.errors.contains(name), "\(outcome.errors)")
            #expect(!tool.files().contains("out.png"))
            let thumbnail = try await tool.start(
                ["--as=400000000", Tool.binary.path, "convert", "--resize", "64x64", name, "small.png"],
                program: prlimit
            ).end()
            #expect(thumbnail.status == 0, "\(thumbnail.errors)")
        }
    }

    @Test("Where threads do not fit, loads end with an error, and none waits for ever")
    func threads() async throws {
        let environment = ProcessInfo.processInfo.environment
        guard environment["TSAN_OPTIONS"] == nil, environment["ASAN_OPTIONS"] == nil else { return }
        let tool = try Tool()
        defer { tool.remove() }
        let origin = try TestOrigin()
        let jpeg = try Images.jpeg(1600, 1200)
        origin.onEverythingElse { _ in .ok(jpeg, type: "image/jpeg") }
        let urls = (0..<3).map { origin.url("/\($0).jpg") }.joined(separator: " ")
        for megabytes in [200, 260, 300, 320, 340, 380, 440] {
            let outcome = try await tool.shell(
                "exec timeout 60 prlimit --as=\(megabytes)000000 $T get --no-disk-cache --timeout 20 \(urls)")
            #expect(outcome.status == 0 || outcome.status == 1, "\(megabytes) MB: \(outcome.errors)")
            #expect(outcome.status == 0 || outcome.errors.hasPrefix("tintype: "), "\(megabytes) MB")
        }
    }
}
