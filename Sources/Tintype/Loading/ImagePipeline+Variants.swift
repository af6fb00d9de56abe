import TintypeBase

/// Several responses of one URL side by side on disk, where `Vary` tells them apart (RFC 9111 §4.1).
///
/// The first one has the key of the original; the others have keys derived from it.
extension Load {
    private static let maximumVariants = 8

    /// The keys of further variants.
    var variantKeys: [String] { (1..<Self.maximumVariants).map { "\(originalKey)#vary\($0)" } }
}

extension ImagePipeline {
    /// The stored original that was sent for header fields like those of this load; any other, if there is none.
    func originalEntry(_ load: Load) async -> CacheEntry? {
        guard let first = await entry(for: load.originalKey, load) else { return nil }
        guard configuration.httpCaching == .respectHeaders, case .web(let url) = load.resource.kind else {
            return first
        }
        let headers = httpRequest(url, load, priority: .normal).headers
        if FreshnessPolicy.matches(headers, varyingFields: first.metadata.vary) { return first }
        for key in load.variantKeys {
            if let variant = await entry(for: key, load),
                FreshnessPolicy.matches(headers, varyingFields: variant.metadata.vary)
            {
                return variant
            }
        }
        return first
    }

    /// Where a response is stored: in the place of the same variant, else in a free one, else in that of the oldest.
    func storageKey(_ load: Load, _ metadata: CacheEntryMetadata) async -> String {
        guard configuration.httpCaching == .respectHeaders, !metadata.vary.isEmpty,
            let first = await entry(for: load.originalKey, load), !first.metadata.vary.isEmpty,
            first.metadata.vary != metadata.vary
        else { return load.originalKey }
        var free: String?
        var oldest = (key: load.originalKey, storedAt: first.metadata.storedAt)
        for key in load.variantKeys {
            guard let variant = await entry(for: key, load) else {
                free = free ?? key
                continue
            }
            if variant.metadata.vary == metadata.vary { return key }
            if variant.metadata.storedAt < oldest.storedAt { oldest = (key, variant.metadata.storedAt) }
        }
        return free ?? oldest.key
    }
}
