import Foundation
import Synchronization
import TintypeImaging

extension Job {
    static let stills: [Job] = [
        Job(name: "decode", by: "tintype", prepare: decode), Job(name: "encode", by: "tintype", prepare: encode),
    ]

    /// `file`, and for a thumbnail `width` and `height`; `threads` decode at once, one image each; `dump` gets the
    /// pixels of the first run, `warm` is decoded once before anything is measured.
    private static func decode(_ parameters: Parameters) throws -> Work {
        let data = try parameters.data("file")
        // The peers decode in their own process; what workers add is a subject of its own.
        var inProcess = ImageCodecs.standard
        inProcess.isolation = .none
        let codecs = inProcess
        var options = DecodeOptions()
        if let width = parameters.optionalNumber("width"), let height = parameters.optionalNumber("height") {
            options.target = ResizeTarget(width: width, height: height)
        }
        if parameters.values["warm"] != nil { _ = try codecs.decode(parameters.data("warm")) }
        if let dump = parameters.values["dump"] {
            try write(codecs.decode(data, options: options).bitmap, to: dump)
        }
        let threads = parameters.optionalNumber("threads") ?? 1
        guard threads > 1 else { return Work { _ = try codecs.decode(data, options: options) } }
        // Enough that starting the threads costs nothing. Each takes the next one, so that none waits long for the other.
        let count = threads * 12
        let chosen = options
        return Work(operations: count) {
            let rest = Countdown(from: count)
            DispatchQueue.concurrentPerform(iterations: threads) { _ in
                while rest.take() {
                    _ = try? codecs.decode(data, options: chosen)
                }
            }
        }
    }

    /// `file` to `format`.
    private static func encode(_ parameters: Parameters) throws -> Work {
        let bitmap = try ImageCodecs.standard.decode(parameters.data("file")).bitmap
        guard let format = ImageFormat(fileExtension: try parameters.text("format")) else {
            throw Parameters.Missing(key: "format")
        }
        var options = EncodeOptions()
        options.effort = parameters.optionalNumber("effort")
        let chosen = options
        return Work.withFigures {
            ["bytes": Double(try ImageCodecs.standard.encode(bitmap, as: format, options: chosen).count)]
        }
    }

    static func write(_ bitmap: Bitmap, to path: String) throws {
        var pixels = Data()
        bitmap.withUnsafeBytes { bytes in
            for y in 0..<bitmap.height {
                pixels.append(contentsOf: bytes[y * bitmap.bytesPerRow..<y * bitmap.bytesPerRow + bitmap.width * 4])
            }
        }
        try pixels.write(to: URL(fileURLWithPath: path))
    }
}

/// How much of the work is left, for threads that share it.
private final class Countdown: Sendable {
    private let left: Atomic<Int>

    init(from count: Int) { left = Atomic(count) }

    /// False when nothing is left.
    func take() -> Bool { left.subtract(1, ordering: .relaxed).newValue >= 0 }
}
