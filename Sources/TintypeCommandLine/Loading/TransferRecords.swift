import Tintype
import TintypeBase

/// The attempts of each resource, and its bytes until they are written.
final class TransferRecords: Sendable {
    struct Record: Sendable {
        var attempts = 0
        var data: Data?
    }

    private struct State {
        var records: [String: Record] = [:]
        /// The number of pending loads by resource.
        var pending: [String: Int] = [:]
        var byteCount = 0
    }

    private let state = Locked(State())
    private let keepsData: Bool

    /// - Parameter keepsData: whether the original bytes are needed.
    init(urls: [String], keepsData: Bool) {
        self.keepsData = keepsData
        state.withLock { state in
            for url in urls { state.pending[TransferRecords.key(url), default: 0] += 1 }
        }
    }

    /// Returns one key for all spellings of a URL.
    private static func key(_ url: String) -> String {
        do { return try ResourceURL(url).cacheKey } catch { return url }
    }

    func add(_ url: String, attempts: Int, data: Data?) {
        let key = TransferRecords.key(url)
        state.withLock { state in
            state.byteCount += data?.count ?? 0
            var record = state.records[key] ?? Record()
            record.attempts += attempts
            if keepsData, let data, !data.isEmpty, state.pending[key] != nil { record.data = data }
            state.records[key] = record
        }
    }

    func record(of url: String) -> Record { state.withLock { $0.records[TransferRecords.key(url)] } ?? Record() }

    /// Ends one load of this URL; after the last one the bytes are released.
    func release(_ url: String) {
        let key = TransferRecords.key(url)
        state.withLock { state in
            let left = (state.pending[key] ?? 1) - 1
            state.pending[key] = left > 0 ? left : nil
            if left <= 0 { state.records[key] = nil }
        }
    }

    /// Body bytes of all transfers.
    var byteCount: Int { state.withLock { $0.byteCount } }
}
