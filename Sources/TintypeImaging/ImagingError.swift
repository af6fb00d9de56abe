import TintypeBase

/// An error of decoding, processing or encoding.
public enum ImagingError: Error, Hashable, Sendable {
    /// The bytes have no known signature.
    case unsupportedFormat(String)
    /// The format is known, but this build was made without the trait.
    case codecUnavailable(ImageFormat, trait: String)
    /// The bytes violate the rules of their format.
    case corrupt(ImageFormat, String)
    /// The bytes end before the image does.
    case truncated(ImageFormat)
    /// The given prefix is too short. `byteCount` is the next length to try, if known.
    case needsMoreData(ImageFormat?, byteCount: Int?)
    /// The image has more pixels than the limit, or a size that no bitmap can have. Thrown before pixels are allocated.
    case imageTooLarge(width: Int, height: Int, limit: Int)
    /// The process cannot get this number of bytes, or a library cannot get memory (`nil`).
    case outOfMemory(byteCount: Int?)
    /// The animation has more frames than the limit. Thrown before a frame is decoded.
    case tooManyFrames(ImageFormat, limit: Int)
    /// Decoding would take minutes, or gigabytes. Thrown before the image is decoded in full.
    case tooCostly(ImageFormat, String)
    /// The image has no frame with this index; they count from 0.
    case noSuchFrame(Int, count: Int)
    /// There are no bytes.
    case emptyBody
    /// A processor has invalid parameters, or failed.
    case processorFailed(String)
    /// The format cannot hold the image, this build has no encoder for it, or the encoder failed.
    case notEncodable(String)

    /// A name that is stable across versions; the command line prints it.
    public var code: String {
        switch self {
        case .unsupportedFormat: "unsupportedFormat"
        case .codecUnavailable: "codecUnavailable"
        case .corrupt: "corrupt"
        case .truncated, .needsMoreData: "truncated"
        case .imageTooLarge, .outOfMemory, .tooManyFrames, .tooCostly: "imageTooLarge"
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
        case .emptyBody: "there are no bytes to decode"
        case .processorFailed(let detail): "processing the image failed: \(detail)"
        case .notEncodable(let detail): "the image cannot be encoded: \(detail)"
        }
    }
}
