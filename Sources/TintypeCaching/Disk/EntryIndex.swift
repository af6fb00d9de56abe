/// What is known of each entry without touching its file. A hint: the folder is the truth.
struct EntryIndex {
    /// Times are seconds since 2001, as in the files.
    struct Record: Equatable {
        /// Bytes of the whole file.
        var size: Int
        var storedAt: Double
        /// +∞: by the maximum age.
        var expiresAt: Double
        var lastAccess: Double
        /// The number of the change that wrote this record, to tell what is newer than a listing of the folder.
        var change: UInt64 = 0

        func describesTheSame(as other: Record) -> Bool {
            size == other.size && storedAt == other.storedAt && expiresAt == other.expiresAt
        }
    }

    private(set) var records: [EntryName: Record] = [:]
    private(set) var byteCount = 0
    private(set) var change: UInt64 = 0
    /// Extensions by the mark in their names; only `.sdWebImage` has any.
    private var suffixes: [UInt32: String] = [:]
    /// Names removed since a listing began; nil while none is going on.
    private var removedDuringListing: Set<EntryName>?

    var count: Int { records.count }

    func file(_ name: EntryName, digits: Int) -> EntryFile {
        EntryFile(name: name, digits: digits, suffix: digits == 40 ? "" : suffixes[name.low] ?? "")
    }

    mutating func reserveCapacity(_ count: Int) {
        records.reserveCapacity(count)
    }

    mutating func set(_ file: EntryFile, _ record: Record) {
        change += 1
        var record = record
        record.change = change
        if !file.suffix.isEmpty { suffixes[file.name.low] = file.suffix }
        let old = records.updateValue(record, forKey: file.name)
        byteCount += record.size - (old?.size ?? 0)
        removedDuringListing?.remove(file.name)
    }

    @discardableResult
    mutating func remove(_ name: EntryName) -> Record? {
        change += 1
        removedDuringListing?.insert(name)
        guard let old = records.removeValue(forKey: name) else { return nil }
        byteCount -= old.size
        return old
    }

    mutating func removeAll() {
        change += 1
        records = [:]
        byteCount = 0
    }

    /// Returns what was known of an entry so far, and marks a use unless it has expired.
    mutating func use(
        _ name: EntryName, at time: Double, unless isExpired: (Record) -> Bool = { _ in false }
    ) -> Record? {
        guard let position = records.index(forKey: name) else { return nil }
        let record = records.values[position]
        if !isExpired(record) { records.values[position].lastAccess = time }
        return record
    }

    // MARK: Comparing with the folder

    mutating func beginListing() -> UInt64 {
        removedDuringListing = []
        return change
    }

    mutating func abandonListing() {
        removedDuringListing = nil
    }

    /// Takes over what a listing saw, except where the index has changed since the listing began.
    /// Returns how many records were wrong.
    mutating func finishListing(since start: UInt64, seen: [EntryFile: Record]) -> Int {
        let removed = removedDuringListing ?? []
        removedDuringListing = nil
        var corrected = 0
        let names = Set(seen.keys.map(\.name))
        for (name, record) in records where record.change <= start && !names.contains(name) {
            remove(name)
            corrected += 1
        }
        for (file, record) in seen {
            let known = records[file.name]
            if let known, known.change > start || known.describesTheSame(as: record) { continue }
            if known == nil, removed.contains(file.name) { continue }
            set(file, record)
            corrected += 1
        }
        return corrected
    }
}
