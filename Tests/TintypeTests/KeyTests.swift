import Foundation
import Testing

@testable import Tintype

/// A processor that is nothing but its name.
private struct Named: ImageProcessor {
    var identifier: String
    init(_ identifier: String) { self.identifier = identifier }
    func process(_ bitmap: Bitmap) throws -> Bitmap { bitmap }
}

private struct NoLoader: ImageLoader {
    var identifier: String
    func load(_ request: DownloadRequest, context: LoadContext) async throws -> (Data, DownloadResponse) {
        throw CancellationError()
    }
}

@Suite struct KeyTests {
    private func key(_ url: String = "https://example.com/a.png", _ change: (inout ImageRequest) -> Void = { _ in })
        -> String
    {
        var request = ImageRequest(string: url)
        change(&request)
        return request.keys.keys(for: request).image.string
    }

    private func processors(_ names: String...) -> String { key { $0.processors = names.map(Named.init) } }

    @Test("requests are equal if they load the same image in the same way, in one expression or in several")
    func equality() throws {
        let url = try #require(URL(string: "https://example.com/a.png"))
        let request = ImageRequest(
            url: url, processors: [SwapProcessor()], target: ResizeTarget(width: 8, height: nil), priority: .high,
            options: .progressive, userInfo: ["row": 1])
        var other = ImageRequest(string: "https://example.com/a.png")
        other.processors = [SwapProcessor()]
        other.target = ResizeTarget(width: 8, height: nil)
        other.priority = .high
        #expect(request != other)
        other.options = .progressive
        #expect(request == other && request.hashValue == other.hashValue)
        other.headers["X-Token"] = "1"
        #expect(request != other)
        let strings = ["https://example.com/a.png", "https://example.com/b.png"]
        #expect(Set(strings.map { ImageRequest(string: $0) }).count == 2)
        #expect(PipelineError.notInCache("a") == .notInCache("a"))
        #expect(PipelineError.notInCache("a") != .notInCache("b"))
    }

    @Test("S65: requests that differ make keys that differ, in memory and on disk")
    func injective() {
        var keys = [
            key(), key("https://example.com/b.png"),
            processors("resize-", "largeblur"), processors("resize-large", "blur"),
            processors("a", "bc"), processors("ab", "c"), processors("A", "B"), processors("B", "A"),
            processors("A"), processors("A", ""), processors("1.0"), processors("1"),
            processors("p1:A"), processors("A", "p1:B"), processors("A;B"), processors("é"), processors("e\u{301}x"),
            key { $0.target = ResizeTarget(width: 100, height: nil) },
            key { $0.target = ResizeTarget(width: nil, height: 100) },
            key { $0.target = ResizeTarget(width: 100, height: 100) },
            key { $0.target = ResizeTarget(width: 100, height: 100, fit: .cover) },
            key { $0.target = ResizeTarget(width: 100, height: 100, fit: .cover, gravity: .top) },
            key { $0.target = ResizeTarget(width: 100, height: 100, allowsUpscaling: false) },
            key { $0.target = ResizeTarget(width: 100, height: 100, filter: .box) },
            key { $0.target = ResizeTarget(width: 100, height: 100, isLinearLight: true) },
            key { $0.decodeOptions.isLenient = true }, key { $0.decodeOptions.appliesOrientation = false },
            key { $0.decodeOptions.frame = 0 }, key { $0.decodeOptions.frame = 10 },
            key { $0.decodeOptions.preferredSize = PixelSize(width: 1, height: 0) },
            key { $0.decodeOptions.limits.maximumPixelCount = 5 },
            key { $0.decodeOptions.limits.maximumFrameCount = 5 },
            key { $0.scale = 2 }, key { $0.scale = 3 },
            key { $0.options = .firstFrameOnly }, key { $0.options = .preloadAllFrames },
            key {
                $0.processors = [Named("A")]
                $0.options = .transformAnimatedImages
            },
            key { $0.loader = NoLoader(identifier: "x") }, key { $0.loader = NoLoader(identifier: "y") },
            key { $0.codecs = RequestCodecs(identifier: "x", codecs: .standard) },
        ]
        // A caller's own key that looks like a composed one.
        let composed = processors("A")
        keys.append(key { $0.cacheKey = composed })
        let twice = key { $0.cacheKey = composed }
        keys.append(key { $0.cacheKey = twice })
        #expect(Set(keys).count == keys.count)
    }

    @Test("S65: the separator inside an identifier, a resource or a key of the caller's cannot forge another key")
    func forgery() {
        let honest = key("https://example.com/a.png") { $0.processors = [Named("x"), Named("y")] }
        let forged = key("https://example.com/a.png") { $0.processors = [Named("x" + "p1:y")] }
        #expect(honest != forged)
        let resource = "https://example.com/a.png"
        #expect(honest != key { $0.cacheKey = "image-1;r\(resource.utf8.count):\(resource)p1:xp1:y" })
    }

    @Test("S65: what does not change pixels does not change keys; equal requests have equal keys")
    func stable() {
        let plain = key()
        #expect(plain == "https://example.com/a.png")
        #expect(key { $0.priority = .high } == plain)
        #expect(key { $0.headers["Authorization"] = "x" } == plain)
        #expect(key { $0.options = [.retryFailed, .refreshCached, .waitForStore, .lowPriority] } == plain)
        #expect(key { $0.userInfo["a"] = 1 } == plain)
        #expect(key("HTTPS://EXAMPLE.com:443/a.png#part") == plain)
        #expect(processors("A", "B") == processors("A", "B"))
        #expect(key("https://example.com/a b.png") == key("https://example.com/a%20b.png"))
        var request = ImageRequest(string: "https://example.com/a.png")
        _ = request.keys.keys(for: request)
        request.target = ResizeTarget(width: 10, height: 10)
        #expect(request.keys.keys(for: request).image.string != plain)
    }

    @Test("S65: keys are the same in every version: the golden file")
    func golden() throws {
        let cases: [(String, String)] = [
            ("plain", key()),
            ("query", key("http://h/a?b=1&c=ü")),
            ("width", key { $0.target = ResizeTarget(width: 100, height: nil) }),
            ("cover", key { $0.target = ResizeTarget(width: 128, height: 96, fit: .cover, gravity: .attention) }),
            ("keep", key { $0.target = ResizeTarget(width: nil, height: 96, allowsUpscaling: false, filter: .box) }),
            ("linear", key { $0.target = ResizeTarget(width: 1, height: 2, fit: .fill, isLinearLight: true) }),
            ("processors", processors("resize-", "largeblur")),
            ("unicode", processors("größe")),
            ("lenient", key { $0.decodeOptions.isLenient = true }),
            (
                "everything",
                key {
                    $0.target = ResizeTarget(width: 10, height: 20)
                    $0.decodeOptions.isLenient = true
                    $0.decodeOptions.appliesOrientation = false
                    $0.decodeOptions.frame = 3
                    $0.decodeOptions.preferredSize = PixelSize(width: 32, height: 16)
                    $0.decodeOptions.limits.maximumPixelCount = 1_000_000
                    $0.scale = 2
                    $0.options = [.firstFrameOnly, .preloadAllFrames, .transformAnimatedImages]
                    $0.processors = [Named("blur(2.5)"), Named("tint")]
                    $0.loader = NoLoader(identifier: "vault")
                    $0.codecs = RequestCodecs(identifier: "raw", codecs: .standard)
                }
            ),
            ("own", key { $0.cacheKey = "cat" }),
            ("own that looks composed", key { $0.cacheKey = "image-1;r3:abc" }),
            ("data", key("data:image/png;base64,AAAA")),
            ("file", key("/tmp/a b.png")),
            ("id", ImageRequest(id: "x", data: { Data() }).plainKey),
            ("image", ImageRequest(id: "x", image: { throw CancellationError() }).plainKey),
        ]
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/keys.txt")
        let lines = cases.map { "\($0.0)\t\($0.1)" }
        if ProcessInfo.processInfo.environment["TINTYPE_WRITE_GOLDEN"] != nil {
            try (lines.joined(separator: "\n") + "\n").write(to: file, atomically: true, encoding: .utf8)
        }
        let golden = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
        #expect(lines == golden)
    }

    @Test("@2x and @3x in the name, encoded or not, in the last part only")
    func scale() {
        #expect(ImageScale.inName("https://h/cat@2x.png") == 2)
        #expect(ImageScale.inName("https://h/cat%403x.png?x=1") == 3)
        #expect(ImageScale.inName("/tmp/cat@3x.jpg") == 3)
        #expect(ImageScale.inName("https://h/a@2x.d/cat.png") == 1)
        #expect(ImageScale.inName("https://h/cat@2x") == 1)
        #expect(ImageScale.inName("https://h/@2x.png") == 1)
        #expect(ImageScale.inName("https://h/cat.png?name=x@2x.png") == 1)
        #expect(ImageScale.inName("data:image/png,@2x.png") == 1)
    }
}

extension ImageRequest {
    fileprivate var plainKey: String { keys.keys(for: self).image.string }
}
