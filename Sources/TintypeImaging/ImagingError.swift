import TintypeBase

/// What can go wrong between bytes and pixels.
public enum ImagingError: Error, Hashable, Sendable {
    /// No image format that Tintype knows starts like this.
    case unsupportedFormat(String)
    /// The format is known, but this build was made without the trait.
    case codecUnavailable(ImageFormat, trait: String)
    /// The bytes break the rules of their format.
    case corrupt(ImageFormat, String)
    /// The bytes end before the image does.
    case truncated(ImageFormat)
    /// Only a prefix of the bytes was given, and the answer lies behind it. `byteCount` is what to try next, if known.
    case needsMoreData(ImageFormat?, byteCount: Int?)
    /// More pixels than the limit allows, or a size that no bitmap can have. Found before any pixel is allocated.
    case imageTooLarge(width: Int, height: Int, limit: Int)
    /// The process gets no more memory: not the given number of bytes, or what a library needs (`nil`).
    case outOfMemory(byteCount: Int?)
    /// More frames than the limit allows. Found before any frame is decoded.
    case tooManyFrames(ImageFormat, limit: Int)
    /// Drawing the image would take minutes, or gigabytes. Found before it is drawn in full.
    case tooCostly(ImageFormat, String)
    /// The image has no frame with this index; they count from 0.
    case noSuchFrame(Int, count: Int)
    /// A decoder in a worker took longer than the deadline. See ``DecodeIsolation``.
    case decodeTimedOut(ImageFormat, after: Duration)
    /// A decoder in a worker crashed; with the number of the signal, if it is known.
    case decoderCrashed(ImageFormat, signal: Int?)
    /// No bytes at all.
    case emptyBody
    /// A processor was asked for something impossible, or failed.
    case processorFailed(String)
    /// The format cannot hold the image, this build has no encoder for it, or the encoder failed.
    case notEncodable(String)

    /// Stable across versions; the command line prints it.
    public var code: String {
        switch self {
        case .unsupportedFormat: "unsupportedFormat"
        case .codecUnavailable: "codecUnavailable"
        case .corrupt: "corrupt"
        case .truncated, .needsMoreData: "truncated"
        case .imageTooLarge, .outOfMemory, .tooManyFrames, .tooCostly: "imageTooLarge"
        case .decodeTimedOut: "decodeTimedOut"
        case .decoderCrashed: "decoderCrashed"
        case .emptyBody: "emptyBody"
        case .processorFailed: "processorFailed"
        case .noSuchFrame: "noSuchFrame"
        case .notEncodable: "notEncodable"
        }
    }
}

extension ImagingError: CodedError, LocalizedError {
    public var errorDescription: String? { description }
}

extension ImagingError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unsupportedFormat(let detail): "this is not an image in a known format (\(detail))"
        case .codecUnavailable(let format, let trait):
            "this build cannot decode \(format); build Tintype with the package trait \(trait)"
        case .corrupt(let format, let detail): "the \(format) data is damaged: \(detail)"
        case .truncated(let format): "the \(format) data ends before the image does"
        case .needsMoreData: "the header is longer than the bytes given; read more of the file"
        case .imageTooLarge(let width, let height, let limit):
            "the image is \(width)x\(height); the limit is \(limit) pixels"
        case .outOfMemory(let byteCount?): "there is not enough memory: \(byteCount) bytes were needed"
        case .outOfMemory(nil): "there is not enough memory"
        case .tooManyFrames(let format, let limit): "the \(format) animation has more than \(limit) frames"
        case .tooCostly(let format, let detail):
            "drawing this \(format) would take too much time or memory: \(detail)"
        case .noSuchFrame(let index, let count):
            "there is no frame \(index); the image has \(count), counted from 0"
        case .decodeTimedOut(let format, let limit):
            "decoding this \(format) took longer than \(limit.components.seconds) s"
        case .decoderCrashed(let format, let signal):
            "the decoder of this \(format) crashed" + (signal.map { " with signal \($0)" } ?? "")
        case .emptyBody: "there are no bytes to decode"
        case .processorFailed(let detail): "processing the image failed: \(detail)"
        case .notEncodable(let detail): "the image cannot be encoded: \(detail)"
        }
    }
}
