import Foundation
import TintypeImaging

/// Runs operations on an image while the process may take only a little more memory than it has.
///
/// For every step the limit is `headroom` bytes above what is mapped now. Prints one line of JSON for each:
/// {"operation": name, "headroom": bytes, "outcome": "ok" or the code of the error}. An operation that traps ends the
/// process, and the missing lines tell.
struct MemoryLimit {
    /// Bytes; from far too little for the image to more than enough.
    private static let headrooms = [3, 6, 12, 25, 512].map { $0 << 20 }

    private let data: Data
    private let image: DecodedImage

    init(file: String) throws {
        data = try Data(contentsOf: URL(fileURLWithPath: file))
        image = try ImageCodecs.standard.decode(data)
    }

    func run(_ names: Set<String>) throws {
        for (name, operation) in operations where names.isEmpty || names.contains(name) {
            // Once without a limit: what is made only once is there then.
            try operation()
            for headroom in Self.headrooms { try run(name, operation, headroom: headroom) }
        }
    }

    private var operations: [(String, () throws -> Void)] {
        let codecs = ImageCodecs.standard
        var thumbnail = DecodeOptions()
        thumbnail.target = ResizeTarget(width: 64, height: 64)
        var half = DecodeOptions()
        half.target = ResizeTarget(width: image.bitmap.width / 2 + 1, height: image.bitmap.height / 2 + 1)
        half.target?.isLinearLight = true
        var lenient = DecodeOptions()
        lenient.isLenient = true
        let options = [("decode", DecodeOptions()), ("thumbnail", thumbnail), ("half", half), ("lenient", lenient)]
        let processors: [(String, any ImageProcessor)] = [
            ("blur", .blur(sigma: 8)), ("flip", .flip(.vertical)), ("rotate", .rotate(degrees: 30)),
            ("circle", .circle()),
        ]
        let encoders: [ImageFormat] = [.png, .jpeg, .webp, .gif]
        return options.map { name, options in (name, { _ = try codecs.decode(data, options: options) }) }
            + processors.map { name, processor in (name, { _ = try processor.process(image.bitmap) }) }
            + encoders.map { format in ("encode \(format)", { _ = try codecs.encode(image.bitmap, as: format) }) }
    }

    private func run(_ name: String, _ operation: () throws -> Void, headroom: Int) throws {
        // Blocks that wait for reuse would be memory without a limit.
        PixelPool.shared.trim()
        let whole = try Self.limit(rlim_t(Self.mappedByteCount() + headroom))
        var outcome = "ok"
        do { try operation() } catch let error as ImagingError { outcome = error.code }
        _ = try Self.limit(whole)
        print("{\"operation\": \"\(name)\", \"headroom\": \(headroom), \"outcome\": \"\(outcome)\"}")
    }

    /// Sets the limit of the address space and returns the one before.
    private static func limit(_ byteCount: rlim_t) throws -> rlim_t {
        var limits = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limits) == 0 else { throw POSIXError(.EPERM) }
        let before = limits.rlim_cur
        limits.rlim_cur = min(byteCount, limits.rlim_max)
        guard setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limits) == 0 else { throw POSIXError(.EPERM) }
        return before
    }

    private static func mappedByteCount() -> Int {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
        return (text.split(separator: " ").first.flatMap { Int($0) } ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
