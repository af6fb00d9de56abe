#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ImageFormat {
    /// The format that these first bytes are a signature of, or nil. Names and content types are never asked.
    public static func sniff(_ data: Data) -> ImageFormat? {
        data.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) ? .png : nil
    }

    /// One phrase about bytes that no signature fits, for the error message.
    static func describeUnknown(_ data: Data) -> String {
        "it starts with the bytes " + data.prefix(8).map { String($0, radix: 16) }.joined(separator: " ")
    }
}
