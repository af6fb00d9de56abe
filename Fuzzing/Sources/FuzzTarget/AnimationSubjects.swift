import FoundationEssentials
import Tintype

/// Frames in any order: what a player, a scrubber and the conversion to another format do.
extension Subject {
    static let animations: [Subject] = [ImageFormat.gif, .png, .webp, .avif, .jxl].map { format in
        Subject(name: "animation-\(format.rawValue)") { data in
            guard let decoder = ImageCodecs.standard.decoder(for: format), data.count > 8 else { return }
            // The order of the frames comes from the last bytes, which decoders of cut files must bear anyway.
            let order = Array(data.suffix(8))
            var options = DecodeOptions()
            options.limits.maximumPixelCount = 1 << 18
            options.limits.maximumFrameCount = 64
            options.isLenient = order[0] & 1 == 1
            if order[0] & 2 == 2 { options.target = ResizeTarget(width: 9, height: 7, fit: .cover) }
            guard let source = try? decoder.frames(data, options: options) else { return }
            let count = source.info.frameCount
            guard count > 0 else { return }
            let frames = AnimatedImage(source: source, frameByteLimit: 1 << 16)
            var seen: [Int: Bitmap] = [:]
            for byte in order {
                let index = Int(byte) % count
                guard let frame = try? frames.frame(at: index) else { continue }
                // A frame is the same whatever was asked for before it.
                if let known = seen[index] { expect(known.hasSamePixels(as: frame), "frame \(index) changed") }
                seen[index] = frame
            }
            expect((try? frames.frame(at: count)) == nil, "a frame behind the last")
            expect((try? frames.frame(at: -1)) == nil, "a frame before the first")
        }
    }
}

extension Bitmap {
    func hasSamePixels(as other: Bitmap) -> Bool {
        guard width == other.width, height == other.height else { return false }
        return withUnsafeBytes { mine in
            other.withUnsafeBytes { its in
                (0..<height).allSatisfy { y in
                    mine[y * bytesPerRow..<y * bytesPerRow + width * 4]
                        .elementsEqual(its[y * other.bytesPerRow..<y * other.bytesPerRow + width * 4])
                }
            }
        }
    }
}

/// What holds for every input; a finding like a crash if it does not.
func expect(_ condition: Bool, _ text: @autoclosure () -> String) {
    if !condition { fatalError(text()) }
}
