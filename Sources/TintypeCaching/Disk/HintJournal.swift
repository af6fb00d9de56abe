import CSystemShim
import CXXHash
import TintypeBase

/// The append-only file from which an owner loads its index. A hint: a corrupt journal costs a listing of the folder,
/// never an entry.
///
/// All integers little-endian. A header of 16 bytes (magic, version, three reserved halves), then records of 64 bytes:
///
/// | offset | bytes | what |
/// |---|---|---|
/// | 0 | 4 | 1: stored, 2: removed, 3: closed |
/// | 4 | 20 | name of the entry |
/// | 24 | 8 | bytes of the file; of a closing record: modification time of the folder |
/// | 32 | 8 | stored at (seconds since 2001) |
/// | 40 | 8 | expires at; +∞: by the maximum age |
/// | 48 | 8 | last access |
/// | 56 | 8 | XXH3 of the bytes before |
///
/// When the last record is a closing one and the folder has not changed since, the index is exact.
final class HintJournal: Sendable {
    static let fileName = "index.journal"
    static let magic: UInt64 = 0x0A4C_4E52_4A54_5489  // 89 'T' 'T' 'J' 'R' 'N' 'L' 0A
    static let version: UInt16 = 1
    static let headerSize = 16
    static let recordSize = 64

    enum Kind: UInt32 {
        case stored = 1
        case removed, closed
    }

    private let file: Int32

    private init(file: Int32) { self.file = file }

    deinit { close(file) }

    // MARK: Writing

    /// Appends one record with one write. A failure costs a listing at the next opening.
    func append(_ kind: Kind, _ name: EntryName, _ record: EntryIndex.Record?) {
        withUnsafeTemporaryAllocation(byteCount: Self.recordSize, alignment: 8) { buffer in
            Self.encode(kind, name, record, into: buffer)
            _ = ct_write_two(file, buffer.baseAddress, buffer.count, nil, 0)
        }
    }

    /// The same for many removals.
    func append(removed names: [EntryName]) {
        withUnsafeTemporaryAllocation(byteCount: names.count * Self.recordSize, alignment: 8) { buffer in
            for (number, name) in names.enumerated() {
                let start = number * Self.recordSize
                Self.encode(
                    .removed, name, nil,
                    into: UnsafeMutableRawBufferPointer(rebasing: buffer[start..<start + Self.recordSize]))
            }
            _ = ct_write_two(file, buffer.baseAddress, buffer.count, nil, 0)
        }
    }

    func appendClosing(folderModified: Int64) {
        let record = EntryIndex.Record(
            size: Int(clamping: folderModified), storedAt: 0, expiresAt: 0, lastAccess: 0)
        append(.closed, EntryName(high: 0, middle: 0, low: 0), record)
    }

    private static func encode(
        _ kind: Kind, _ name: EntryName, _ record: EntryIndex.Record?, into buffer: UnsafeMutableRawBufferPointer
    ) {
        func put<Value: FixedWidthInteger>(_ value: Value, _ offset: Int) {
            buffer.storeBytes(of: value.littleEndian, toByteOffset: offset, as: Value.self)
        }
        put(kind.rawValue, 0)
        put(name.high, 4)
        put(name.middle, 12)
        put(name.low, 20)
        put(Int64(record?.size ?? 0), 24)
        put((record?.storedAt ?? 0).bitPattern, 32)
        put((record?.expiresAt ?? 0).bitPattern, 40)
        put((record?.lastAccess ?? 0).bitPattern, 48)
        put(ct_xxh3(buffer.baseAddress, 56), 56)
    }

    /// Replaces the journal with one of these records. Nil on failure.
    static func rewrite(
        _ records: [EntryName: EntryIndex.Record], in folder: CacheFolder, temporaryName: String
    ) -> HintJournal? {
        var bytes: [UInt8] = []
        let size = headerSize + records.count * recordSize
        bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            raw.storeBytes(of: magic.littleEndian, as: UInt64.self)
            raw.storeBytes(of: UInt64(version).littleEndian, toByteOffset: 8, as: UInt64.self)
            var offset = headerSize
            for (name, record) in records {
                encode(
                    .stored, name, record,
                    into: UnsafeMutableRawBufferPointer(rebasing: raw[offset..<offset + recordSize]))
                offset += recordSize
            }
            count = size
        }
        let file = openat(
            folder.temporaries, temporaryName, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return nil }
        let written = bytes.withUnsafeBytes { ct_write_two(file, $0.baseAddress, $0.count, nil, 0) }
        guard written == size, renameat(folder.temporaries, temporaryName, folder.state, fileName) == 0 else {
            close(file)
            unlinkat(folder.temporaries, temporaryName, 0)
            return nil
        }
        return HintJournal(file: file)
    }

    // MARK: Loading

    struct Contents {
        var index = EntryIndex()
        /// Modification time of the folder when the journal was closed; nil when it was not.
        var closedAt: Int64?
        var recordCount = 0
        /// A record in the middle did not check, or the file has no whole number of them.
        var isDamaged = false
    }

    enum Loaded {
        case missing
        /// Not a journal, or one of a later version: renamed.
        case setAside
        case contents(HintJournal, Contents)
    }

    static func load(_ folder: CacheFolder) -> Loaded {
        let file = openat(folder.state, fileName, O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else {
            // Without descriptors or memory the journal cannot be read now, but may be good.
            return [ENOENT, EMFILE, ENFILE, ENOMEM].contains(errno) ? .missing : setAside(folder)
        }
        var status = FileStatus()
        // A second name may be one outside the cache, which records must not be appended to.
        guard ct_fstat(file, &status) == 0, status.isOwnFile, status.links == 1, let size = Int(exactly: status.size),
            size >= headerSize, size < 1 << 32, let bytes = FileBytes(allocating: size),
            bytes.withMutableBytes({ ct_read(file, $0.baseAddress, size) }) == size
        else {
            close(file)
            return setAside(folder)
        }
        let contents = bytes.withBytes { raw -> Contents? in
            let magic = UInt64(littleEndian: raw.loadUnaligned(as: UInt64.self))
            let version = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            return magic == Self.magic && version == UInt64(Self.version) ? replay(raw) : nil
        }
        guard let contents else {
            close(file)
            return setAside(folder)
        }
        return .contents(HintJournal(file: file), contents)
    }

    private static func setAside(_ folder: CacheFolder) -> Loaded {
        let name = fileName + ".set-aside"
        if renameat(folder.state, fileName, folder.state, name) != 0 {
            // A folder of that name, perhaps: it is in the way and nothing of ours.
            unlinkat(folder.state, fileName, 0)
        }
        return .setAside
    }

    /// Returns whether a record is plausible: a checksum does not protect against an attacker. Sizes are bounded, so that
    /// their sum cannot overflow.
    private static func isPossible(_ record: EntryIndex.Record) -> Bool {
        (0...1 << 36).contains(record.size) && record.storedAt.isFinite && !record.expiresAt.isNaN
            && record.lastAccess.isFinite
    }

    static func replay(_ raw: UnsafeRawBufferPointer) -> Contents {
        var contents = Contents()
        let count = (raw.count - headerSize) / recordSize
        contents.isDamaged = (raw.count - headerSize) % recordSize != 0
        contents.index.reserveCapacity(count)
        guard let base = raw.baseAddress else { return contents }
        for number in 0..<count {
            let record = base + headerSize + number * recordSize
            func integer<Value: FixedWidthInteger>(_ offset: Int, _: Value.Type) -> Value {
                Value(littleEndian: record.loadUnaligned(fromByteOffset: offset, as: Value.self))
            }
            guard ct_xxh3(record, 56) == integer(56, UInt64.self), let kind = Kind(rawValue: integer(0, UInt32.self))
            else {
                contents.isDamaged = true
                contents.closedAt = nil
                return contents
            }
            contents.recordCount += 1
            contents.closedAt = nil
            let name = EntryName(
                high: integer(4, UInt64.self), middle: integer(12, UInt64.self), low: integer(20, UInt32.self))
            let size = integer(24, Int64.self)
            switch kind {
            case .stored:
                let stored = EntryIndex.Record(
                    size: Int(clamping: size), storedAt: Double(bitPattern: integer(32, UInt64.self)),
                    expiresAt: Double(bitPattern: integer(40, UInt64.self)),
                    lastAccess: Double(bitPattern: integer(48, UInt64.self)))
                guard isPossible(stored) else {
                    contents.isDamaged = true
                    return contents
                }
                contents.index.set(EntryFile(name: name, digits: 40, suffix: ""), stored)
            case .removed: contents.index.remove(name)
            case .closed: contents.closedAt = size
            }
        }
        return contents
    }
}
