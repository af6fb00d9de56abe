import TintypeBase

/// The bytes of a transfer that have come so far. Kept only while somebody wants previews.
final class PartialBody: Sendable {
    private let data = Locked(Data())

    /// The number of bytes after it.
    @discardableResult func append(_ chunk: Data) -> Int {
        data.withLock { data in
            data.append(chunk)
            return data.count
        }
    }

    var count: Int { data.withLock { $0.count } }

    /// What came after the first `count` bytes.
    func bytes(after count: Int) -> Data {
        data.withLock { count < $0.count ? $0.suffix(from: $0.startIndex + count) : Data() }
    }
}
