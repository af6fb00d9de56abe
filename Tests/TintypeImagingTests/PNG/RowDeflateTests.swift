import CDeflate
import CRowDeflate
import Foundation
import Testing

@testable import TintypeImaging

@Suite("Row compression") struct RowDeflateTests {
    /// What libdeflate makes of a stream of ours.
    private func inflated(_ stream: [UInt8], count: Int) throws -> [UInt8] {
        let decompressor = try #require(libdeflate_alloc_decompressor())
        defer { libdeflate_free_decompressor(decompressor) }
        var result = [UInt8](repeating: 0, count: max(1, count))
        var used = 0
        #expect(
            libdeflate_deflate_decompress_ex(decompressor, stream, stream.count, &result, count, &used, nil)
                == LIBDEFLATE_SUCCESS)
        #expect(used == stream.count)
        return Array(result[..<count])
    }

    private func deflated(_ bytes: [UInt8], ways: UInt32) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: rd_deflate_bound(bytes.count)) { output, count in
            bytes.withUnsafeBufferPointer { input in
                guard let to = output.baseAddress else { return }
                // An empty array may have no address.
                withUnsafePointer(to: UInt8(0)) { nothing in
                    count = rd_deflate(input.baseAddress ?? nothing, bytes.count, to, ways)
                }
            }
        }
    }

    /// Bytes that bring out stored, fixed and own codes, long runs, short repeats, matches over the window's whole
    /// width and over the ends of steps and blocks.
    private static let kinds: [(name: String, make: @Sendable (Int, inout SeededGenerator) -> [UInt8])] = [
        ("noise", { count, random in (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) } }),
        ("one value", { count, _ in [UInt8](repeating: 7, count: count) }),
        (
            "residues",
            { count, random in
                (0..<count).map { _ in
                    UInt8(
                        bitPattern: Int8((0..<6).reduce(0) { sum, _ in sum + Int.random(in: -4...4, using: &random) }))
                }
            }
        ),
        (
            "repeats at every distance",
            { count, random in
                var bytes: [UInt8] = (0..<min(count, 40)).map { _ in UInt8.random(in: 0...255, using: &random) }
                while bytes.count < count {
                    let distance = Int.random(in: 1...min(bytes.count, 40_000), using: &random)
                    let length = [3, 4, 6, 8, 31, 32, 33, 257, 258, 259, 1000].randomElement(using: &random) ?? 3
                    for _ in 0..<length where bytes.count < count { bytes.append(bytes[bytes.count - distance]) }
                    if Bool.random(using: &random) { bytes.append(UInt8.random(in: 0...255, using: &random)) }
                }
                return Array(bytes.prefix(count))
            }
        ),
        (
            "noise, then one value, then residues",
            { count, random in
                (0..<count).map { index in
                    switch index * 3 / max(1, count) {
                    case 0: UInt8.random(in: 0...255, using: &random)
                    case 1: 0
                    default: UInt8.random(in: 0...9, using: &random)
                    }
                }
            }
        ),
    ]

    @Test("Every kind of bytes comes back from another decompressor", arguments: 0..<5, [1, 2, 4, 8] as [UInt32])
    func roundTrip(kind: Int, ways: UInt32) throws {
        var random = SeededGenerator(state: UInt64(kind) + 1)
        let counts = [0, 1, 7, 8, 9, 300, 16_383, 16_384, 16_391, 70_000, 262_144, 400_001]
        for count in counts {
            let bytes = Self.kinds[kind].make(count, &random)
            let stream = deflated(bytes, ways: ways)
            #expect(try inflated(stream, count: count) == bytes, "\(Self.kinds[kind].name), \(count) bytes")
        }
    }

    @Test("Noise grows by a few bytes, one value shrinks to almost nothing")
    func sizes() {
        var random = SeededGenerator(state: 9)
        let noise = Self.kinds[0].make(200_000, &random)
        #expect(deflated(noise, ways: 2).count < 200_100)
        #expect(deflated([UInt8](repeating: 0, count: 1_000_000), ways: 2).count < 1100)
    }

    @Test("Filter residues become smaller than libdeflate makes them")
    func residues() throws {
        var random = SeededGenerator(state: 5)
        // Neighbouring channels of a photograph change alike, and its alpha not at all.
        var bytes: [UInt8] = []
        for _ in 0..<100_000 {
            let shared = (0..<3).reduce(0) { sum, _ in sum + Int.random(in: -2...2, using: &random) }
            for _ in 0..<3 {
                bytes.append(UInt8(truncatingIfNeeded: shared + (Int.random(in: 0...3, using: &random) == 0 ? 1 : 0)))
            }
            bytes.append(0)
        }
        let compressor = try #require(libdeflate_alloc_compressor(6))
        defer { libdeflate_free_compressor(compressor) }
        var other = [UInt8](repeating: 0, count: bytes.count * 2)
        let theirs = libdeflate_deflate_compress(compressor, bytes, bytes.count, &other, other.count)
        let sizes = [1, 2, 4, 8].map { deflated(bytes, ways: $0).count }
        #expect(sizes[1] * 100 < theirs * 98)
        #expect(sizes == sizes.sorted(by: >))
    }
}
