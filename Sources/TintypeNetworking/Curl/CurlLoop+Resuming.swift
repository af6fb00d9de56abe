import TintypeBase

extension CurlLoop {
    /// Keeps the received bytes of an unfinished transfer for a later one of the same request.
    func keepBytes(_ run: TransferRun) {
        guard run.mayResume, run.request.keepsBody, run.hop.decoder == nil, let point = run.resumePoint,
            run.body.count > 0
        else { return }
        resumeStore.keep(ResumeStore.Part(data: run.body.takeData(), point: point), for: run.resumeKey)
    }

    /// Starts with the bytes of an earlier transfer.
    func adoptKeptBytes(_ run: TransferRun) {
        guard run.mayResume, run.request.keepsBody, let part = resumeStore.take(run.resumeKey) else { return }
        part.data.withUnsafeBytes { run.body.append($0) }
        run.resumePoint = part.point
    }
}

extension TransferRun {
    /// Returns a key of everything that may change the bytes: URL, credential and header fields.
    var resumeKey: String {
        var parts = [requestedURL.cacheKey, credential?.user ?? ""]
        parts += request.headers.fields.map { asciiLowercased($0.name) + ":" + $0.value }.sorted()
        return parts.joined(separator: "\n")
    }
}

/// The bytes of interrupted transfers in memory. The oldest are removed first. Confined to the transfer thread.
struct ResumeStore {
    struct Part {
        let data: Data
        let point: ResumePoint
    }

    private let byteLimit: Int
    private var parts: [String: Part] = [:]
    /// Oldest first. Short: at most ``countLimit``.
    private var order: [String] = []
    private var byteCount = 0
    private static let countLimit = 100

    init(byteLimit: Int) {
        self.byteLimit = byteLimit
    }

    mutating func keep(_ part: Part, for key: String) {
        _ = take(key)
        guard part.data.count <= byteLimit else { return }
        while let oldest = order.first, byteCount + part.data.count > byteLimit || order.count >= Self.countLimit {
            _ = take(oldest)
        }
        parts[key] = part
        order.append(key)
        byteCount += part.data.count
    }

    mutating func take(_ key: String) -> Part? {
        guard let part = parts.removeValue(forKey: key) else { return nil }
        order.removeAll { $0 == key }
        byteCount -= part.data.count
        return part
    }
}
