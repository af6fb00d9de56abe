import CPixelKernels

extension Bitmap {
    /// The image turned and mirrored as the EXIF orientation says; the same bitmap for `.up`.
    public func oriented(_ orientation: ImageOrientation) throws -> Bitmap {
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
