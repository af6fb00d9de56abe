import Foundation
import Testing
import TintypeImaging

/// A small generator with a fixed seed, so that a failure can be repeated.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}

/// Feeds damaged versions of a good file to a decoder. Whatever comes back must be an image of a legal size or an
/// `ImagingError`; a crash ends the test run.
struct HostileBytes {
    let decoder: any ImageDecoder
    let original: Data
    var limits = DecodeLimits()

    init(_ decoder: any ImageDecoder, _ original: Data) {
        self.decoder = decoder
        self.original = original
        limits.maximumPixelCount = 1 << 20
    }

    /// Cuts the file at every byte (or at every `step`th).
    /// - Parameter needed: bytes without which strict decoding must fail; all of them by default.
    func truncateEverywhere(needed: Int? = nil, step: Int = 1) {
        let needed = needed ?? original.count
        for length in stride(from: 0, to: original.count, by: step) {
            let cut = original.prefix(length)
            let isWhole = attempt(Data(cut), isLenient: false)
            if length < needed { #expect(!isWhole, "\(decoder.format) cut to \(length) of \(original.count) bytes") }
            attempt(Data(cut), isLenient: true)
        }
    }

    func flipBits(rounds: Int, seed: UInt64 = 1) {
        var generator = SeededGenerator(state: seed)
        for round in 0..<rounds {
            var damaged = original
            for _ in 0...(round % 8) {
                let index = Int.random(in: 0..<damaged.count, using: &generator)
                damaged[index] = UInt8.random(in: 0...255, using: &generator)
            }
            attempt(damaged, isLenient: round % 2 == 0)
        }
    }

    @discardableResult private func attempt(_ data: Data, isLenient: Bool) -> Bool {
        for isComplete in [true, false] {
            check { _ = try decoder.info(data, isComplete: isComplete, limits: limits) }
        }
        var options = DecodeOptions()
        options.limits = limits
        options.isLenient = isLenient
        check {
            guard let frames = try decoder.frames(data, options: options) else { return }
            for index in 0..<min(frames.info.frameCount, 4) { _ = try frames.frame(at: index) }
        }
        return check {
            let output = try decoder.decode(data, options: options)
            #expect(output.bitmap.size.area <= limits.maximumPixelCount)
        }
    }

    @discardableResult private func check(_ body: () throws -> Void) -> Bool {
        do {
            try body()
            return true
        } catch is ImagingError {
            return false
        } catch {
            Issue.record("\(decoder.format): not an ImagingError: \(error)")
            return false
        }
    }
}
