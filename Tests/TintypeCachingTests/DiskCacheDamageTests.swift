import CXXHash
import Foundation
import Testing

@testable import TintypeCaching

@Suite("Disk cache: damage")
struct DiskCacheDamageTests {
    let root = TemporaryFolder()
    var entries: URL { root.url.appendingPathComponent("default/entries") }
    var journal: URL { root.url.appendingPathComponent("default/index.journal") }

    private func payload(_ number: Int) -> Data {
        Data((0..<(300 + number * 7)).map { UInt8(truncatingIfNeeded: $0 &* number &+ number) })
    }

    private func fill(_ count: Int) throws -> [String] {
        let cache = try DiskCache(.init(root: root.url))
        let keys = (0..<count).map { "key \($0)" }
        for (number, key) in keys.enumerated() {
            try cache.storeSynchronously(payload(number), for: key, metadata: CacheEntryMetadata(etag: "\(number)"))
        }
        return keys
    }

    private func fileURL(_ key: String) throws -> URL {
        entries.appendingPathComponent(try #require(EntryNaming(.sha256).file(for: key)).fileName)
    }

    @Test("Any single byte of an entry file changed is a miss, never other bytes, and the file goes")
    func everyByte() throws {
        let cache = try DiskCache(.init(root: root.url))
        let metadata = CacheEntryMetadata(etag: "\"e\"", contentType: "image/png", vary: ["accept": "*/*"])
        let bytes = Data((0..<64).map { UInt8($0) })
        try cache.storeSynchronously(bytes, for: "key", metadata: metadata)
        let url = try fileURL("key")
        let good = try Data(contentsOf: url)
        for index in good.indices {
            var bad = good
            bad[index] ^= UInt8(1 << (index % 8))
            try bad.write(to: url)
            let entry = try cache.entrySynchronously(for: "key")
            #expect(entry == nil, "byte \(index)")
            // A later version's file is left alone; everything else is removed.
            let isVersion = index == 16 || index == 17
            #expect(FileManager.default.fileExists(atPath: url.path) == isVersion, "byte \(index)")
        }
        for count in [0, 1, 63, 64, 65, good.count - 1] {
            try good.prefix(count).write(to: url)
            #expect(try cache.entrySynchronously(for: "key") == nil, "\(count) bytes")
            #expect(!FileManager.default.fileExists(atPath: url.path))
        }
        try (good + Data([0])).write(to: url)
        #expect(try cache.entrySynchronously(for: "key") == nil)
        try good.write(to: url)
        #expect(try cache.entrySynchronously(for: "key")?.data == bytes)
        #expect(try cache.entrySynchronously(for: "key")?.metadata.vary == ["accept": "*/*"])
    }

    @Test("What another process stored is read whole, though the index knows another size")
    func sizeBehindTheIndex() throws {
        let owner = try DiskCache(.init(root: root.url))
        let guest = try DiskCache(.init(root: root.url))
        for count in [5000, 4999, 5001, 100, 70_000, 2 << 20, 5000] {
            let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ count) })
            try guest.storeSynchronously(data, for: "key")
            let entry = try owner.entrySynchronously(for: "key")
            #expect(entry?.data == data && entry?.key == "key", "\(count) bytes")
            try owner.storeSynchronously(data, for: "key")
            #expect(try owner.entrySynchronously(for: "key")?.data == data)
        }
    }

    @Test("A pipe in place of an entry is a miss and does not block")
    func pipe() throws {
        let cache = try DiskCache(.init(root: root.url))
        try cache.storeSynchronously(Data("bytes".utf8), for: "key")
        let url = try fileURL("key")
        try FileManager.default.removeItem(at: url)
        #expect(mkfifo(url.path, 0o600) == 0)
        #expect(try cache.entrySynchronously(for: "key") == nil)
        try cache.storeSynchronously(Data("again".utf8), for: "key")
        #expect(try cache.entrySynchronously(for: "key")?.data == Data("again".utf8))
    }

    @Test("Power loss: empty, short and zeroed files and lost or mixed-up renames give misses, never wrong bytes")
    func powerLoss() throws {
        let keys = try fill(60)
        for (number, key) in keys.enumerated() {
            let url = try fileURL(key)
            let size = try Data(contentsOf: url).count
            switch number % 6 {
            case 0: try Data().write(to: url)
            case 1: try (try Data(contentsOf: url)).prefix(size / 2).write(to: url)
            case 2: try Data(count: size).write(to: url)
            case 3: try FileManager.default.removeItem(at: url)
            case 4:
                // The rename of one entry landed on the name of another.
                let other = try fileURL(keys[(number + 6) % 60])
                try FileManager.default.removeItem(at: url)
                try FileManager.default.copyItem(at: other, to: url)
            default: break
            }
        }
        // The journal lost its last part too.
        let bytes = try Data(contentsOf: journal)
        try bytes.prefix(bytes.count / 3).write(to: journal)
        let cache = try DiskCache(.init(root: root.url))
        for (number, key) in keys.enumerated() {
            let entry = try cache.entrySynchronously(for: key)
            #expect((entry != nil) == (number % 6 == 5), "\(number)")
            if let entry { #expect(entry.data == payload(number) && entry.metadata.etag == "\(number)") }
        }
        #expect(cache.count == 10)
        #expect(try cache.verifySynchronously().isClean)
    }

    @Test("A folder, a link or a socket under the name of an entry is a miss")
    func notAFile() throws {
        let cache = try DiskCache(.init(root: root.url))
        try cache.storeSynchronously(payload(1), for: "other")
        let url = try fileURL("key")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        #expect(try cache.entrySynchronously(for: "key") == nil)
        try FileManager.default.removeItem(at: url)
        try FileManager.default.createSymbolicLink(at: url, withDestinationURL: try fileURL("other"))
        #expect(try cache.entrySynchronously(for: "key") == nil)
        try cache.storeSynchronously(payload(2), for: "key")
        #expect(try cache.entrySynchronously(for: "key")?.data == payload(2))
        #expect(try cache.entrySynchronously(for: "other")?.data == payload(1))
    }

    // Scenario S69.
    @Test("a file of zero bytes is a miss and goes; empty bytes are refused and take the old entry with them")
    func empty() async throws {
        let cache = try DiskCache(.init(root: root.url))
        try Data().write(to: try fileURL("key"))
        #expect(try await cache.entry(for: "key") == nil)
        #expect(!FileManager.default.fileExists(atPath: try fileURL("key").path))
        try await cache.store(payload(1), for: "key")
        await #expect(throws: CachingError.emptyBody) { try await cache.store(Data(), for: "key") }
        #expect(try await cache.entry(for: "key") == nil)
        try await cache.store(payload(2), for: "key")
        #expect(try await cache.entry(for: "key")?.data == payload(2))
    }

    // MARK: Journal

    @Test("A journal that is missing, damaged anywhere, empty, a folder or from the future is rebuilt from the files")
    func journalDamage() throws {
        let keys = try fill(30)
        let good = try Data(contentsOf: journal)
        var forms: [Data?] = [nil, Data(), Data("garbage, not a journal at all".utf8), good.prefix(good.count - 5)]
        var future = good
        future[8] = 9
        forms.append(future)
        var flipped = good
        flipped[16 + 64 * 10 + 30] ^= 4
        forms.append(flipped)
        forms.append(good + good.suffix(64 * 3))
        for (number, form) in forms.enumerated() {
            try? FileManager.default.removeItem(at: journal)
            try form?.write(to: journal)
            let cache = try DiskCache(.init(root: root.url))
            #expect(cache.count == 30, "form \(number)")
            let files = try Folder.files(entries)
            #expect(cache.byteCount == files.reduce(0) { $0 + $1.size })
            for (number, key) in keys.enumerated() {
                #expect(try cache.containsSynchronously(key))
                #expect(try cache.entrySynchronously(for: key)?.data == payload(number))
            }
            if number == 4 {
                let aside = root.url.appendingPathComponent("default/index.journal.set-aside")
                #expect(try Data(contentsOf: aside) == future, "a later version's journal is kept")
            }
        }
        try? FileManager.default.removeItem(at: journal)
        try FileManager.default.createDirectory(at: journal, withIntermediateDirectories: true)
        #expect(try DiskCache(.init(root: root.url)).count == 30)
    }

    @Test("A journal that claims sizes and times that cannot be is damage, with right checksums too")
    func impossibleRecords() throws {
        let keys = try fill(3)
        let good = try Data(contentsOf: journal)
        let sizes: [UInt64] = [UInt64(Int64.max), UInt64(bitPattern: -1), 1 << 62]
        for (offset, value) in sizes.map({ (24, $0) }) + [32, 40, 48].map({ ($0, Double.nan.bitPattern) }) {
            var bytes = [UInt8](good)
            let (head, size) = (HintJournal.headerSize, HintJournal.recordSize)
            for start in stride(from: head, through: bytes.count - size, by: size) {
                bytes.withUnsafeMutableBytes { raw in
                    raw.storeBytes(of: value.littleEndian, toByteOffset: start + offset, as: UInt64.self)
                    let checksum = ct_xxh3(raw.baseAddress.map { $0 + start }, 56)
                    raw.storeBytes(of: checksum.littleEndian, toByteOffset: start + 56, as: UInt64.self)
                }
            }
            #expect(bytes.withUnsafeBytes { HintJournal.replay($0) }.isDamaged)
            try Data(bytes).write(to: journal)
            let cache = try DiskCache(.init(root: root.url))
            for key in keys { #expect(try cache.entrySynchronously(for: key) != nil) }
            #expect(cache.count == keys.count)
        }
    }

    @Test("Sizes come right after a journal that lies")
    func lyingJournal() throws {
        let keys = try fill(20)
        let old = try Data(contentsOf: journal)
        do {
            let cache = try DiskCache(.init(root: root.url))
            try cache.storeSynchronously(Data(count: 50_000), for: keys[0])
            try cache.removeSynchronously(keys[1])
            try cache.storeSynchronously(Data(count: 10), for: "new")
        }
        // As after a crash that lost the last records.
        try old.write(to: journal)
        let cache = try DiskCache(.init(root: root.url))
        let files = try Folder.files(entries)
        #expect(cache.count == 20 && files.count == 20)
        #expect(cache.byteCount == files.reduce(0) { $0 + $1.size })
        #expect(try cache.containsSynchronously("new"))
        #expect(try !cache.containsSynchronously(keys[1]))
    }

    @Test("A cleanly closed cache opens from its journal alone; one that others changed does not trust it")
    func cleanOpening() throws {
        _ = try fill(10)
        let reopened = try DiskCache(.init(root: root.url))
        #expect(reopened.store.state.withLock { $0.isSettled })
        #expect(reopened.count == 10)
        reopened.flush()
        try FileManager.default.removeItem(at: try fileURL("key 3"))
        let other = try DiskCache(.init(root: root.url, namespace: "other"))
        #expect(other.count == 0)
        _ = consume reopened
        try FileManager.default.removeItem(at: try fileURL("key 4"))
        let again = try DiskCache(.init(root: root.url))
        #expect(again.count == 8)
    }

    @Test("A cache that is released gives its folder up at once, whatever its background is doing")
    func release() throws {
        for round in 0..<50 {
            let configuration = DiskCache.Configuration(root: root.url, namespace: "round-\(round)")
            let cache = try DiskCache(configuration)
            try cache.storeSynchronously(Data([1]), for: "key")
            _ = consume cache
            let again = try DiskCache(configuration)
            #expect(again.store.state.withLock { $0.isSettled && $0.folder?.isOwner == true }, "round \(round)")
        }
    }

    @Test("verify names what is damaged, counts what is good, and a second run finds nothing")
    func verify() async throws {
        let keys = try fill(12)
        var bad = try Data(contentsOf: try fileURL(keys[2]))
        bad[bad.count - 1] ^= 1
        try bad.write(to: try fileURL(keys[2]))
        try FileManager.default.copyItem(at: try fileURL(keys[5]), to: try fileURL("never stored"))
        let temporaries = root.url.appendingPathComponent("default/tmp")
        try Data(count: 10).write(
            to: temporaries.appendingPathComponent("\(TemporaryName.processNamespace)-999999-1-1-1"))
        let cache = try DiskCache(.init(root: root.url))
        let dead = temporaries.appendingPathComponent("\(TemporaryName.processNamespace)-999999-2-1-1")
        try Data(count: 10).write(to: dead)
        let alive = temporaries.appendingPathComponent(
            "\(TemporaryName.processNamespace)-\(getpid())-\(TemporaryName.startTime(of: getpid()) ?? 0)-1-1")
        try Data(count: 10).write(to: alive)
        let result = try await cache.verify()
        #expect(
            Set(result.damaged) == [
                try fileURL(keys[2]).lastPathComponent, try fileURL("never stored").lastPathComponent,
            ])
        #expect(result.checked == 13)
        #expect(result.temporaries == 1)
        #expect(FileManager.default.fileExists(atPath: alive.path), "a living process is still writing it")
        let files = try Folder.files(entries)
        #expect(result.byteCount == files.reduce(0) { $0 + $1.size })
        #expect(try await cache.verify().isClean)
        #expect(cache.count == 11)
    }
}
