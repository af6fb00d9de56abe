#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// When an entry may be used, and what is written with new bytes.
extension ImagePipeline {
    enum CacheAnswer {
        case use(CacheEntry, isStale: Bool)
        /// Ask the origin, about this entry if there is one.
        case ask(CacheEntry?)
    }

    func cacheAnswer(_ entry: CacheEntry?, _ load: Load, _ mode: FetchVariant.Mode) -> CacheAnswer {
        guard let entry else { return .ask(nil) }
        guard mode != .revalidating, !entry.isExpired else { return .ask(entry) }
        guard configuration.httpCaching == .respectHeaders else { return .use(entry, isStale: false) }
        return .use(entry, isStale: false)
    }

    func isUsable(_ entry: CacheEntry) -> Bool {
        guard case .use = usability(entry) else { return false }
        return true
    }

    private func usability(_ entry: CacheEntry) -> CacheAnswer {
        entry.isExpired ? .ask(entry) : .use(entry, isStale: false)
    }

    /// A known entry in place of an answer that could not be had.
    func staleAnswer(_ known: CacheEntry, _ load: Load, _ mode: FetchVariant.Mode, _ error: any Error) -> FetchedData? {
        nil
    }

    func mayStore(_ exchange: Exchange) -> Bool { true }

    func freshness(_ exchange: Exchange) -> EntryFreshness? { nil }
    func freshness(of metadata: CacheEntryMetadata) -> EntryFreshness? { nil }

    func updated(_ metadata: CacheEntryMetadata, by exchange: Exchange, _ load: Load) -> CacheEntryMetadata {
        var metadata = metadata
        metadata.storedAt = exchange.receivedAt
        return metadata
    }

    /// What is stored with the bytes of an answer, or of a closure; nil if they must not be stored.
    func metadata(_ load: Load, _ exchange: Exchange?, _ data: Data) -> CacheEntryMetadata? {
        let now = exchange?.receivedAt ?? configuration.now()
        var metadata = CacheEntryMetadata(storedAt: now, expiresAt: load.request.expiry?.date(from: now))
        guard let exchange else { return metadata }
        let headers = exchange.response.headers
        metadata.etag = headers.first("ETag")
        metadata.lastModified = headers.first("Last-Modified")
        metadata.contentType = headers.first("Content-Type")
        metadata.sourceURL = exchange.response.finalURL
        return metadata
    }
}
