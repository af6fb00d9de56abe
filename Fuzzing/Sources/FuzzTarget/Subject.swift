import FoundationEssentials
import Tintype

/// What one fuzzing run looks at.
struct Subject: Sendable {
    let name: String
    let run: @Sendable (Data) -> Void

    /// The subject that the environment names; the process stops when it names none.
    static let chosen: Subject = {
        let name = ProcessInfo.processInfo.environment["TINTYPE_FUZZ"] ?? ""
        guard let subject = all.first(where: { $0.name == name }) else {
            fatalError("TINTYPE_FUZZ must be one of: \(all.map(\.name).joined(separator: " "))")
        }
        return subject
    }()

    static let all: [Subject] = ImageFormat.allCases.map(image) + [info] + animations + network + stored + [arguments]

    /// Small limits keep the fuzzer on the parsers rather than on filling big bitmaps.
    private static var limits: DecodeLimits {
        var limits = DecodeLimits()
        limits.maximumPixelCount = 1 << 20
        limits.maximumFrameCount = 64
        return limits
    }

    /// Every way in which one format's bytes become pixels: strict, lenient, shrunk, frame by frame, as they arrive.
    private static func image(_ format: ImageFormat) -> Subject {
        Subject(name: format.rawValue) { data in
            guard let decoder = ImageCodecs.standard.decoder(for: format) else { return }
            let codecs = ImageCodecs(decoders: [decoder], encoders: [])
            var options = DecodeOptions()
            options.limits = limits
            // Errors are the expected end of most inputs; what is hunted is crashes, hangs and sanitizer reports.
            _ = try? decoder.info(data, isComplete: true, limits: limits)
            _ = try? codecs.decode(data, options: options)
            options.isLenient = true
            options.target = ResizeTarget(width: 24, height: 16, fit: .cover)
            _ = try? codecs.decode(data, options: options)
            options.target = nil
            if let frames = try? decoder.frames(data, options: options) {
                for index in 0..<min(frames.info.frameCount, 8) { _ = try? frames.frame(at: index) }
                _ = try? frames.frame(at: 0)
            }
            if let incremental = decoder.incrementalDecoder(options: options) {
                var rest = data
                while !rest.isEmpty {
                    let piece = rest.prefix(max(1, data.count / 5))
                    guard (try? incremental.append(Data(piece))) != nil else { break }
                    _ = try? incremental.preview()
                    rest = rest.dropFirst(piece.count)
                }
            }
        }
    }

    /// Sniffing and headers of every format, of whole files and of prefixes.
    private static let info = Subject(name: "info") { data in
        _ = try? ImageCodecs.standard.info(data, limits: limits)
        _ = try? ImageCodecs.standard.info(data.prefix(data.count / 2), isComplete: false, limits: limits)
    }
}
