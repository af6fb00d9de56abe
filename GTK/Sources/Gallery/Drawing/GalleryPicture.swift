import Tintype

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The images of the server: `/icons/N.png`, `/photos/N.jpg`, `/moving/N.gif` (or `png`, `webp`).
enum GalleryPicture {
    static let photoCount = 60
    static let movingCount = 24
    /// One icon in a hundred does not exist.
    static func hasIcon(_ number: Int) -> Bool { number % 100 != 37 }

    static func movingFormat(_ number: Int) -> ImageFormat { [.gif, .png, .webp][number % 3] }

    static func movingPath(_ number: Int) -> String { "/moving/\(number).\(movingFormat(number).fileExtension)" }

    /// Returns nil for an image that does not exist.
    static func data(_ path: String) throws -> Data? {
        let parts = path.split(separator: "/")
        guard parts.count == 2, let number = Int(parts[1].split(separator: ".").first ?? "") else { return nil }
        let codecs = ImageCodecs.standard
        switch parts[0] {
        case "icons" where hasIcon(number): return try codecs.encode(IconPainter.draw(number, side: 128), as: .png)
        case "photos": return try codecs.encode(LandscapePainter.draw(number, width: 1600, height: 1200), as: .jpeg)
        case "moving":
            let format = movingFormat(number)
            guard let encoder = codecs.encoder(for: format) else { return nil }
            let frames = try MovingPainter.frames(number)
            return try encoder.encode(frames: frames, loopCount: 0, options: EncodeOptions())
        default: return nil
        }
    }
}
