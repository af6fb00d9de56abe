import CPixelKernels

/// The EXIF Orientation tag (Exif 2.32, §4.6.4): how to turn the stored pixels for display.
public enum ImageOrientation: Int, Sendable, Hashable, CaseIterable {
    case up = 1
    case upMirrored = 2
    case down = 3
    case downMirrored = 4
    case leftMirrored = 5
    case right = 6
    case rightMirrored = 7
    case left = 8

    /// True where width and height are exchanged.
    package var swapsAxes: Bool { rawValue >= 5 }
}

extension Bitmap {
    /// Returns the image turned and mirrored as the EXIF orientation says; the same bitmap for `.up`.
    package func oriented(_ orientation: ImageOrientation) throws -> Bitmap {
        guard orientation != .up else { return self }
        let turned = orientation.swapsAxes ? size.transposed : size
        return try Bitmap(width: turned.width, height: turned.height, isOpaque: isOpaque) { target, targetBytesPerRow in
            withUnsafeBytes { source in
                guard let from = source.bindMemory(to: UInt8.self).baseAddress,
                    let to = target.bindMemory(to: UInt8.self).baseAddress
                else { return }
                ck_orient(to, targetBytesPerRow, from, bytesPerRow, width, height, Int32(orientation.rawValue))
            }
        }
    }
}
