import Tintype
import TintypeBase

/// Shows a bitmap in a terminal.
enum TerminalImage {
    /// Returns an escape sequence of the protocol, or coloured half blocks.
    ///
    /// An image is never enlarged, and a few lines of the screen remain for other text.
    static func text(_ bitmap: Bitmap, graphics: Terminal.Graphics, on size: Terminal.Size, codecs: ImageCodecs)
        throws -> String
    {
        let (columns, rows) = (max(1, min(size.columns, 120)), max(4, size.rows - 4))
        let (width, height) = (columns * size.cell.width, rows * size.cell.height)
        switch graphics {
        case .kitty: return kitty(try codecs.encode(scaled(bitmap, width: width, height: height), as: .png))
        case .iterm: return iterm(try codecs.encode(scaled(bitmap, width: width, height: height), as: .png))
        case .sixel: return Sixel.text(try scaled(bitmap, width: min(1000, width), height: height))
        case .blocks: return blocks(try scaled(bitmap, width: columns, height: rows * 2))
        }
    }

    /// Scales the image down to a box.
    private static func scaled(_ bitmap: Bitmap, width: Int, height: Int) throws -> Bitmap {
        guard bitmap.width > width || bitmap.height > height else { return bitmap }
        return try bitmap.resized(to: ResizeTarget(width: width, height: height, allowsUpscaling: false))
    }

    /// The kitty graphics protocol: the file in Base64, in pieces of at most 4096 bytes. `q=2` suppresses the
    /// reply, which the shell would read as input.
    static func kitty(_ png: Data) -> String {
        var rest = png.base64EncodedString()[...]
        var text = ""
        var head = "a=T,f=100,q=2,"
        while !rest.isEmpty {
            let piece = rest.prefix(4096)
            rest = rest.dropFirst(piece.count)
            text += "\u{1B}_G\(head)m=\(rest.isEmpty ? 0 : 1);\(piece)\u{1B}\\"
            head = ""
        }
        return text + "\n"
    }

    /// The inline images of iTerm2, which WezTerm and mintty also support.
    static func iterm(_ png: Data) -> String {
        "\u{1B}]1337;File=inline=1;size=\(png.count);preserveAspectRatio=1:\(png.base64EncodedString())\u{7}\n"
    }

    /// Two pixels in each cell: the upper half block in the colour of the upper one, on the colour of the lower one.
    static func blocks(_ bitmap: Bitmap) -> String {
        var text = ""
        bitmap.withUnsafeBytes { bytes in
            func colour(_ x: Int, _ y: Int) -> (red: UInt8, green: UInt8, blue: UInt8)? {
                guard y < bitmap.height else { return nil }
                let offset = y * bitmap.bytesPerRow + x * 4
                let alpha = bytes[offset + 3]
                // Premultiplied: what shows is this colour over black; nearly nothing is left to the terminal.
                return alpha < 32 ? nil : (bytes[offset], bytes[offset + 1], bytes[offset + 2])
            }
            for y in stride(from: 0, to: bitmap.height, by: 2) {
                for x in 0..<bitmap.width {
                    switch (colour(x, y), colour(x, y + 1)) {
                    case (nil, nil): text += "\u{1B}[0m "
                    case (let upper?, nil): text += "\u{1B}[0;38;2;\(upper.red);\(upper.green);\(upper.blue)m▀"
                    case (nil, let lower?): text += "\u{1B}[0;38;2;\(lower.red);\(lower.green);\(lower.blue)m▄"
                    case (let upper?, let lower?):
                        text +=
                            "\u{1B}[38;2;\(upper.red);\(upper.green);\(upper.blue);"
                            + "48;2;\(lower.red);\(lower.green);\(lower.blue)m▀"
                    }
                }
                text += "\u{1B}[0m\n"
            }
        }
        return text
    }
}
