import CGTK
import Tintype

extension Bitmap {
    /// The pixels as a GdkTexture, without a copy: the texture keeps the bitmap's memory alive. Any thread may call it.
    public func makeTexture() -> ObjectReference {
        let owner = Unmanaged.passRetained(BitmapOwner(bitmap: self)).toOpaque()
        let bytes = withUnsafeBytes { pixels in
            g_bytes_new_with_free_func(
                pixels.baseAddress, gsize(pixels.count),
                { owner in
                    if let owner { Unmanaged<BitmapOwner>.fromOpaque(owner).release() }
                }, owner)
        }
        defer { g_bytes_unref(bytes) }
        let texture = gdk_memory_texture_new(
            Int32(width), Int32(height), GDK_MEMORY_R8G8B8A8_PREMULTIPLIED, bytes, gsize(bytesPerRow))
        guard let texture else { preconditionFailure("GDK could not make a texture of \(size)") }
        return ObjectReference(consuming: UnsafeMutableRawPointer(texture))
    }
}

private final class BitmapOwner {
    let bitmap: Bitmap
    init(bitmap: Bitmap) { self.bitmap = bitmap }
}
