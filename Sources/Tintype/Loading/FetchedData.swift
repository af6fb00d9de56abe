import TintypeBase

/// Original bytes, and the right to put them on disk once a decoder has taken them: what does not decode is never stored.
///
/// As long as somebody still decodes them, other loads of the same resource get these bytes instead of asking again.
final class FetchedData: Sendable {
    let data: Data
    let diskKey: String
    let source: ImageResponse.Source
    let details: ImageDetails
    /// Only of an answer in mode `revalidating`: the caller's image is still right, `data` is empty.
    let isUnchanged: Bool
    /// What the disk holds, or is to hold, beside the bytes; nil for local sources.
    let metadata: CacheEntryMetadata?
    /// False for bytes that are on disk already or must not be there.
    let needsStore: Bool
    /// False for answers that may be in no cache at all (`no-store`).
    let isStorable: Bool

    private struct State {
        var isCommitted = false
        var isUndecodable = false
    }

    private let state = Locked(State())

    init(
        data: Data, diskKey: String, source: ImageResponse.Source, details: ImageDetails,
        metadata: CacheEntryMetadata? = nil,
        needsStore: Bool = false, isStorable: Bool = true, isUnchanged: Bool = false
    ) {
        self.data = data
        self.diskKey = diskKey
        self.source = source
        self.details = details
        self.metadata = metadata
        self.needsStore = needsStore
        self.isStorable = isStorable
        self.isUnchanged = isUnchanged
    }

    /// True for the first caller: it writes the bytes.
    func claimStore() -> Bool {
        guard needsStore, isStorable else { return false }
        return state.withLock { state in
            defer { state.isCommitted = true }
            return !state.isCommitted && !state.isUndecodable
        }
    }

    func markUndecodable() { state.withLock { $0.isUndecodable = true } }
    var isUndecodable: Bool { state.withLock { $0.isUndecodable } }
}

/// The bytes that are in use right now, by resource. Holds nothing alive.
final class LiveData: Sendable {
    private struct Entry {
        weak var data: FetchedData?
    }

    private struct State {
        var entries: [FetchKey: Entry] = [:]
        var sweepCount = 64
    }

    private let state = Locked(State())

    func data(for key: FetchKey) -> FetchedData? {
        guard let data = state.withLock({ $0.entries[key]?.data }), !data.isUndecodable else { return nil }
        return data
    }

    func insert(_ data: FetchedData, for key: FetchKey) {
        state.withLock { state in
            state.entries[key] = Entry(data: data)
            guard state.entries.count > state.sweepCount else { return }
            state.entries = state.entries.filter { $0.value.data != nil }
            state.sweepCount = max(64, 2 * state.entries.count)
        }
    }
}
