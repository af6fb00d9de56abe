import Foundation
import Testing

@testable import TintypeImaging

@Suite("Messages between the parent and a worker")
struct WorkerMessageTests {
    private static let requests: [WorkerRequest] = {
        var options = DecodeOptions()
        options.target = ResizeTarget(width: 10, height: nil, fit: .cover, filter: .mitchell, gravity: .topLeft)
        options.isLenient = true
        options.frame = 3
        options.preferredSize = PixelSize(width: 5, height: 6)
        let input = WorkerRequest.Input(byteCount: 12, isInMailbox: false)
        return [
            .configure(version: 1, memory: 1 << 40, isStrict: true), .info(input, isComplete: false, DecodeLimits()),
            .decode(input, options), .openFrames(session: 7, input, options), .frame(session: 7, index: 2),
            .openPreviews(session: 8, options), .append(session: 8, input), .preview(session: 8), .close(session: 7),
            .output(byteCount: 9),
        ]
    }()

    private static let replies: [WorkerReply] = {
        var info = ImageInfo(
            format: .gif, storedSize: PixelSize(width: 3, height: 4), orientation: .left, hasAlpha: true,
            colorSpace: "Indexed", frameCount: 2, loopCount: 0,
            frames: [.init(rawDuration: 0), .init(rawDuration: 0.5)])
        info.isFrameListComplete = false
        info.isHDR = true
        let pixels = WorkerReply.Pixels(size: PixelSize(width: 3, height: 4), isOpaque: false, output: .kept)
        return [
            .ready(missing: 3), .info(info), .image(pixels, info, isPartial: true, warnings: ["a", "ü"]),
            .frame(pixels),
            .frames(info, pixelsPerFrame: 12), .nothing(canPreview: true), .noSession, .needsOutput(byteCount: 5),
            .elsewhere(.single, offset: 3, byteCount: 4),
            .failure(.unsupportedFormat("x")), .failure(.codecUnavailable(.jxl, trait: "JXL")),
            .failure(.corrupt(.png, "y")), .failure(.truncated(.gif)), .failure(.needsMoreData(nil, byteCount: 5)),
            .failure(.imageTooLarge(width: 1, height: 2, limit: 3)), .failure(.tooManyFrames(.webp, limit: 4)),
            .failure(.tooCostly(.svg, "z")), .failure(.noSuchFrame(4, count: 2)), .failure(.emptyBody),
            .failure(.processorFailed("p")),
        ]
    }()

    @Test("Every request and reply is read as it was written", arguments: requests)
    func requestRoundTrip(_ request: WorkerRequest) throws {
        #expect(try WorkerRequest(decoding: request.encoded()) == request)
    }

    @Test("Every reply is read as it was written", arguments: replies)
    func replyRoundTrip(_ reply: WorkerReply) throws {
        #expect(try WorkerReply(decoding: reply.encoded()) == reply)
    }

    @Test("No field of the options and facts is left out: the messages follow when one is added")
    func fieldCounts() {
        #expect(Mirror(reflecting: DecodeOptions()).children.count == 6)
        #expect(Mirror(reflecting: DecodeLimits()).children.count == 4)
        #expect(Mirror(reflecting: ResizeTarget(width: 1, height: 1)).children.count == 7)
        let info = ImageInfo(format: .png, storedSize: PixelSize(width: 1, height: 1), hasAlpha: false)
        #expect(Mirror(reflecting: info).children.count == 12)
    }

    @Test("Facts that no image can have are refused")
    func impossibleFacts() throws {
        var info = ImageInfo(format: .gif, storedSize: PixelSize(width: 1, height: 1), hasAlpha: false)
        func isRefused(_ info: ImageInfo) -> Bool {
            (try? WorkerReply(decoding: WorkerReply.info(info).encoded())) == nil
        }
        #expect(!isRefused(info))
        info.storedSize = PixelSize(width: .max, height: 2)
        #expect(isRefused(info))
        info.storedSize = PixelSize(width: 1, height: 1)
        for duration in [Double.nan, .infinity, -1] {
            info.frames = [.init(rawDuration: duration)]
            #expect(isRefused(info))
        }
        info.frames = []
        info.mimeType = "image/png\r\nSet-Cookie: a=b"
        #expect(isRefused(info))
    }

    @Test("A message that ends early, or has bytes too many, is refused")
    func truncatedMessages() {
        for bytes in Self.requests.map({ $0.encoded() }) {
            for changed in bytes.indices.map({ Array(bytes.prefix($0)) }) + [bytes + [0]] {
                #expect(throws: WireReader.Violation.self) { try WorkerRequest(decoding: changed) }
            }
        }
        for bytes in Self.replies.map({ $0.encoded() }) {
            for changed in bytes.indices.map({ Array(bytes.prefix($0)) }) + [bytes + [0]] {
                #expect(throws: WireReader.Violation.self) { try WorkerReply(decoding: changed) }
            }
        }
    }

    @Test("Random changes of a message never crash the reader, and no reply names a bitmap of an impossible size")
    func mutatedMessages() {
        var generator = SystemRandomNumberGenerator()
        for bytes in Self.replies.map({ $0.encoded() }) + Self.requests.map({ $0.encoded() }) {
            for _ in 0..<500 {
                var changed = bytes
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    changed[Int.random(in: 0..<changed.count, using: &generator)] = .random(
                        in: 0...255, using: &generator)
                }
                _ = try? WorkerRequest(decoding: changed)
                if let reply = try? WorkerReply(decoding: changed), case .frame(let pixels) = reply {
                    #expect((pixels.byteCount ?? 0) > 0)
                }
            }
        }
    }
}
