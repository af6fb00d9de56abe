/// What a load writes to disk.
public enum DataCachePolicy: String, Sendable, Hashable, CaseIterable {
    /// The bytes as they came. Any size, any processor and the file itself can be had from them later. The default.
    case original
    /// The result, encoded, where there are processors or a target size; else the bytes as they came.
    case automatic
    /// The result, encoded; the bytes as they came only where nothing changes them.
    case processed
    /// Both.
    case both

    func storesOriginal(isProcessed: Bool) -> Bool {
        switch self {
        case .original, .both: true
        case .automatic, .processed: !isProcessed
        }
    }

    func storesResult(isProcessed: Bool) -> Bool { isProcessed && self != .original }
}
