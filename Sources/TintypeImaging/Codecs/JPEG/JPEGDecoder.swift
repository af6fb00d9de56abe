import TintypeBase

/// JPEG (ITU-T T.81) through libjpeg: baseline, progressive and arithmetic, grey, colour, CMYK and YCCK.
public struct JPEGDecoder: ImageDecoder {
    public init() {}

    public var format: ImageFormat { .jpeg }

    public func info(_ data: Data, isComplete: Bool, limits: DecodeLimits) throws -> ImageInfo {
        try data.withUnsafeBytes { try JPEGHeader($0, isComplete: isComplete, limits: limits).info() }
    }

    public func decode(_ data: Data, options: DecodeOptions) throws -> DecoderOutput {
        try data.withUnsafeBytes { bytes in
            let header = try JPEGHeader(bytes, isComplete: true, limits: options.limits)
            try Self.refuseUnsupported(header)
            guard options.isLenient || header.canHoldImage(byteCount: bytes.count) else {
                throw ImagingError.truncated(.jpeg)
            }
            return try JPEGImageDecoding(header: header, options: options).run(bytes)
        }
    }

    public func incrementalDecoder(options: DecodeOptions) -> (any IncrementalDecoder)? {
        JPEGIncrementalDecoder(options: options)
    }

    /// What libjpeg of any distribution lacks, said in words of the format.
    static func refuseUnsupported(_ header: JPEGHeader) throws {
        guard [0, 1, 2, 9, 10].contains(header.process) else {
            throw ImagingError.unsupportedFormat("a lossless or hierarchical JPEG, process \(header.process)")
        }
        guard header.precision == 8 else {
            throw ImagingError.unsupportedFormat("a JPEG with \(header.precision) bits a sample; 8 can be decoded")
        }
        guard [1, 3, 4].contains(header.componentCount) else {
            throw ImagingError.unsupportedFormat("a JPEG with \(header.componentCount) components")
        }
    }
}
