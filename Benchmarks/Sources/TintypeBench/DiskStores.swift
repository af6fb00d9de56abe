import CLMDB
import CSQLite
import Foundation
import TintypeCaching

/// What a disk cache does, for each contender. Entries are named by numbers; each store makes its own keys of them.
protocol DiskStore {
    func write(_ number: Int, _ data: Data) throws
    /// How many bytes there are.
    func read(_ number: Int) throws -> Int
    func contains(_ number: Int) throws -> Bool
    /// Removes the oldest half.
    func trim() throws
}

struct StoreFailed: Error {
    let code: Int32
    init(_ code: Int32) { self.code = code }

    static func check(_ code: Int32) throws {
        guard code == 0 else { throw StoreFailed(code) }
    }
}

func entryKey(_ number: Int) -> String {
    "https://images.example.org/photos/2024/album-0042/image-\(number)-large.jpg"
}

struct TintypeStore: DiskStore {
    let cache: DiskCache
    init(_ folder: String) throws {
        cache = try DiskCache(.init(root: URL(fileURLWithPath: folder), namespace: "tintype", maximumByteCount: 0))
    }
    func write(_ number: Int, _ data: Data) throws { try cache.storeSynchronously(data, for: entryKey(number)) }
    func read(_ number: Int) throws -> Int { try cache.entrySynchronously(for: entryKey(number))?.data.count ?? 0 }
    func contains(_ number: Int) throws -> Bool { try cache.containsSynchronously(entryKey(number)) }
    func trim() throws { try cache.trimSynchronously(toByteCount: cache.byteCount / 2) }
}

/// A file for each entry with Foundation, trimmed by its dates and sizes: what SDWebImage does.
struct FoundationStore: DiskStore {
    let folder: URL
    init(_ folder: String) throws {
        self.folder = URL(fileURLWithPath: folder + "/foundation")
        try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
    }
    private func url(_ number: Int) -> URL { folder.appendingPathComponent("\(number)") }
    func write(_ number: Int, _ data: Data) throws { try data.write(to: url(number), options: .atomic) }
    func read(_ number: Int) throws -> Int { try Data(contentsOf: url(number)).count }
    func contains(_ number: Int) -> Bool { FileManager.default.fileExists(atPath: url(number).path) }

    func trim() throws {
        let keys: Set<URLResourceKey> = [.isDirectoryKey, .contentModificationDateKey, .fileSizeKey]
        let enumerator = FileManager.default.enumerator(
            at: folder, includingPropertiesForKeys: Array(keys), options: .skipsHiddenFiles)
        var files: [(url: URL, date: Date, size: Int)] = []
        while let url = enumerator?.nextObject() as? URL {
            let values = try url.resourceValues(forKeys: keys)
            guard values.isDirectory != true else { continue }
            files.append((url, values.contentModificationDate ?? .distantPast, values.fileSize ?? 0))
        }
        var total = files.reduce(0) { $0 + $1.size }
        let target = total / 2
        for file in files.sorted(by: { $0.date < $1.date }) {
            guard total > target else { break }
            try FileManager.default.removeItem(at: file.url)
            total -= file.size
        }
    }
}

/// Open, read, close: what any reader of files pays at least. It writes as carelessly.
final class BareFiles: DiskStore {
    let folder: String
    private let buffer = UnsafeMutableRawPointer.allocate(byteCount: 1 << 20, alignment: 4096)
    init(_ folder: String) throws {
        self.folder = folder + "/bare"
        try FileManager.default.createDirectory(atPath: self.folder, withIntermediateDirectories: true)
    }
    deinit { buffer.deallocate() }

    func write(_ number: Int, _ data: Data) throws {
        let file = open("\(folder)/\(number)", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw StoreFailed(errno) }
        defer { close(file) }
        let count = data.withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
        guard count == data.count else { throw StoreFailed(errno) }
    }
    func read(_ number: Int) -> Int {
        let file = open("\(folder)/\(number)", O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        return Foundation.read(file, buffer, 1 << 20)
    }
    func contains(_ number: Int) -> Bool { access("\(folder)/\(number)", F_OK) == 0 }
    func trim() throws { throw StoreFailed(ENOTSUP) }
}

/// A table of blobs, with a write-ahead log and no more waiting for the disk than that needs.
final class SQLiteStore: DiskStore {
    private var database: OpaquePointer?
    private var insert: OpaquePointer?
    private var select: OpaquePointer?
    private var exists: OpaquePointer?

    init(_ folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try StoreFailed.check(sqlite3_open(folder + "/blobs.sqlite", &database))
        try StoreFailed.check(
            sqlite3_exec(
                database,
                """
                PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;
                CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, data BLOB, at REAL) WITHOUT ROWID;
                CREATE INDEX IF NOT EXISTS age ON entries (at);
                """, nil, nil, nil))
        try StoreFailed.check(
            sqlite3_prepare_v2(database, "INSERT OR REPLACE INTO entries VALUES (?, ?, ?)", -1, &insert, nil))
        try StoreFailed.check(sqlite3_prepare_v2(database, "SELECT data FROM entries WHERE key = ?", -1, &select, nil))
        try StoreFailed.check(sqlite3_prepare_v2(database, "SELECT 1 FROM entries WHERE key = ?", -1, &exists, nil))
    }

    deinit {
        sqlite3_finalize(insert)
        sqlite3_finalize(select)
        sqlite3_finalize(exists)
        sqlite3_close(database)
    }

    func write(_ number: Int, _ data: Data) throws {
        let key = entryKey(number)
        try data.withUnsafeBytes { bytes in
            sqlite3_bind_text(insert, 1, key, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
            sqlite3_bind_blob(insert, 2, bytes.baseAddress, Int32(bytes.count), nil)
            sqlite3_bind_double(insert, 3, Double(number))
            let code = sqlite3_step(insert)
            sqlite3_reset(insert)
            guard code == SQLITE_DONE else { throw StoreFailed(code) }
        }
    }

    func read(_ number: Int) -> Int {
        sqlite3_bind_text(select, 1, entryKey(number), -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
        defer { sqlite3_reset(select) }
        guard sqlite3_step(select) == SQLITE_ROW, let bytes = sqlite3_column_blob(select, 0) else { return 0 }
        return Data(bytes: bytes, count: Int(sqlite3_column_bytes(select, 0))).count
    }

    func contains(_ number: Int) -> Bool {
        sqlite3_bind_text(exists, 1, entryKey(number), -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
        defer { sqlite3_reset(exists) }
        return sqlite3_step(exists) == SQLITE_ROW
    }

    func trim() throws {
        let sql = """
            DELETE FROM entries
            WHERE at < (SELECT at FROM entries ORDER BY at LIMIT 1 OFFSET (SELECT COUNT(*) / 2 FROM entries))
            """
        try StoreFailed.check(sqlite3_exec(database, sql, nil, nil, nil))
    }
}

/// LMDB that never waits for the disk; each read copies, as a cache's caller needs it.
final class LMDBStore: DiskStore {
    private var environment: OpaquePointer?
    private var table: MDB_dbi = 0

    init(_ folder: String) throws {
        try StoreFailed.check(mdb_env_create(&environment))
        try StoreFailed.check(mdb_env_set_mapsize(environment, 4 << 30))
        let path = folder + "/lmdb"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try StoreFailed.check(mdb_env_open(environment, path, UInt32(MDB_NOSYNC), 0o600))
        try inTransaction(flags: 0) { try StoreFailed.check(mdb_dbi_open($0, nil, 0, &table)) }
    }

    deinit { mdb_env_close(environment) }

    private func inTransaction<Result>(flags: Int32, _ body: (OpaquePointer?) throws -> Result) throws -> Result {
        var transaction: OpaquePointer?
        try StoreFailed.check(mdb_txn_begin(environment, nil, UInt32(flags), &transaction))
        do {
            let result = try body(transaction)
            try StoreFailed.check(mdb_txn_commit(transaction))
            return result
        } catch {
            mdb_txn_abort(transaction)
            throw error
        }
    }

    private func withKey<Result>(_ number: Int, _ body: (inout MDB_val) throws -> Result) rethrows -> Result {
        var key = entryKey(number)
        return try key.withUTF8 { bytes in
            var value = MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
            return try body(&value)
        }
    }

    func write(_ number: Int, _ data: Data) throws {
        try inTransaction(flags: 0) { transaction in
            try withKey(number) { key in
                try data.withUnsafeBytes { bytes in
                    var value = MDB_val(
                        mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
                    try StoreFailed.check(mdb_put(transaction, table, &key, &value, 0))
                }
            }
        }
    }

    func read(_ number: Int) throws -> Int {
        try inTransaction(flags: MDB_RDONLY) { transaction in
            try withKey(number) { key in
                var value = MDB_val()
                try StoreFailed.check(mdb_get(transaction, table, &key, &value))
                return Data(bytes: value.mv_data, count: value.mv_size).count
            }
        }
    }

    func contains(_ number: Int) throws -> Bool {
        try inTransaction(flags: MDB_RDONLY) { transaction in
            withKey(number) { key in
                var value = MDB_val()
                return mdb_get(transaction, table, &key, &value) == 0
            }
        }
    }

    /// Entries have no age here; those of the lower half of the numbers go.
    func trim() throws {
        var statistics = MDB_stat()
        mdb_env_stat(environment, &statistics)
        let half = statistics.ms_entries / 2
        try inTransaction(flags: 0) { transaction in
            for number in 0..<half {
                try withKey(number) { key in try StoreFailed.check(mdb_del(transaction, table, &key, nil)) }
            }
        }
    }
}
