import CXXHash
import FoundationEssentials
import Glibc
import Tintype

@testable import TintypeCaching

/// Files of the disk cache. Checksums are put right first, so that the fuzzer gets past them.
extension Subject {
    static let stored: [Subject] = [entryFile, journal]

    private static let root: String = {
        let shared = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        return "\(shared)/tintype-fuzz-\(getpid())"
    }()

    /// One for the whole run: opening starts a thread.
    private static let cache: DiskCache? = {
        var configuration = DiskCache.Configuration(root: URL(filePath: root))
        configuration.firstSweepDelay = nil
        return try? DiskCache(configuration)
    }()

    private static let key = "https://example.org/a.png"

    private static func put(_ checksum: UInt64, _ offset: Int, _ bytes: inout [UInt8]) {
        bytes.withUnsafeMutableBytes { $0.storeBytes(of: checksum.littleEndian, toByteOffset: offset, as: UInt64.self) }
    }

    private static let entryFile = Subject(name: "entry") { data in
        var bytes = [UInt8](data)
        guard bytes.count >= EntryHeader.size, let cache else { return }
        put(EntryHeader.magic, 0, &bytes)
        if let header = try? bytes.withUnsafeBytes({ raw throws(EntryHeader.Fault) in
            try EntryHeader(raw, fileByteCount: raw.count)
        }) {
            let payload = bytes[header.payloadOffset...].withUnsafeBytes { ct_xxh3($0.baseAddress, $0.count) }
            put(payload, 40, &bytes)
            let whole = bytes.withUnsafeBytes { ct_xxh3($0.baseAddress.map { $0 + 16 }, header.payloadOffset - 16) }
            put(whole, 8, &bytes)
        }
        for name in cache.store.naming.candidates(for: key).prefix(1) {
            let file = open("\(cache.store.paths.entries)/\(name.fileName)", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            guard file >= 0 else { return }
            _ = write(file, bytes, bytes.count)
            close(file)
        }
        if let entry = try? cache.entrySynchronously(for: key, allowExpired: true) {
            expect(entry.data.count < bytes.count, "a payload as long as its file")
            // What was read can be written, and is the same then.
            try? cache.storeSynchronously(entry.data, for: key, metadata: entry.metadata)
            if let again = try? cache.entrySynchronously(for: key, allowExpired: true) {
                expect(again.data == entry.data && again.metadata == entry.metadata, "an entry that changes")
            }
        }
        _ = try? cache.verifySynchronously()
        try? cache.removeSynchronously(key)
    }

    private static let journal = Subject(name: "journal") { data in
        var bytes = [UInt8](data)
        let (head, size) = (HintJournal.headerSize, HintJournal.recordSize)
        guard bytes.count >= head else { return }
        put(HintJournal.magic, 0, &bytes)
        put(UInt64(HintJournal.version), 8, &bytes)
        for start in stride(from: head, through: bytes.count - size, by: size) {
            // Kinds that exist, most of the time.
            if bytes[start] < 200 { bytes.replaceSubrange(start..<start + 4, with: [bytes[start] % 4, 0, 0, 0]) }
            let checksum = bytes.withUnsafeBytes { raw in ct_xxh3(raw.baseAddress.map { $0 + start }, 56) }
            put(checksum, start + 56, &bytes)
        }
        let contents = bytes.withUnsafeBytes { HintJournal.replay($0) }
        let records = contents.index.records
        expect(contents.index.byteCount >= 0, "fewer bytes than none")
        expect(records.values.reduce(0) { $0 + $1.size } == contents.index.byteCount, "a wrong sum")
        for record in records.values {
            expect(
                record.storedAt.isFinite && record.lastAccess.isFinite && !record.expiresAt.isNaN, "a time that is none"
            )
        }
    }
}
