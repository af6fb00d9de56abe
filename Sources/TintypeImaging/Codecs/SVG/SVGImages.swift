#if SVG
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// Images inside a drawing, as `data:` URLs.
    ///
    /// librsvg would hand them to gdk-pixbuf, which bounds nothing and picks its parser by the type that the URL claims. So
    /// they are decoded here, with the limits and by the decoders of every other image, and replaced by PNG; JPEGs that
    /// need no conversion stay as they are, once their header has been checked.
    final class SVGImages {
        private let limits: DecodeLimits
        /// False: none is wanted, because only the size of the drawing is.
        private let isWanted: Bool
        private var pixelCount = 0
        private var depth = 0
        private(set) var warnings: [String] = []

        private static let maximumDepth = 2
        /// In the process that draws: that is a worker, or the caller wants no worker.
        private static let codecs = ImageCodecs.standard.withIsolation(.none)

        init(limits: DecodeLimits, isWanted: Bool) {
            self.limits = limits
            self.isWanted = isWanted
        }

        /// Returns the URL to put in the place of an image; `nil` leaves the image out.
        ///
        /// - Throws: `imageTooLarge` if the images of the drawing have more pixels in all than one image may have.
        func replacement(for url: [UInt8]) throws -> [UInt8]? {
            guard isWanted, let data = Self.data(of: url) else { return nil }
            do {
                switch ImageFormat.sniff(data) {
                case .svg: return try drawing(data)
                case .jpeg where try isPlain(data): return Self.url("image/jpeg", data)
                case nil: return nil
                default: return try decoded(data)
                }
            } catch let error as ImagingError {
                if error.code == "imageTooLarge" { throw error }
                warnings.append("an embedded image was left out: \(error)")
                return nil
            }
        }

        private func spend(_ size: PixelSize) throws {
            try limits.check(size, format: .svg)
            pixelCount += size.area
            guard pixelCount <= limits.maximumPixelCount else {
                throw ImagingError.imageTooLarge(
                    width: size.width, height: size.height, limit: limits.maximumPixelCount)
            }
        }

        /// Three or one channels in sRGB, as shown: gdk-pixbuf makes the same of it as we do.
        private func isPlain(_ data: Data) throws -> Bool {
            let info = try Self.codecs.info(data, limits: limits)
            guard ["sRGB", "Gray"].contains(info.colorSpace), info.orientation == .up else { return false }
            try spend(info.storedSize)
            return true
        }

        private func decoded(_ data: Data) throws -> [UInt8] {
            try spend(Self.codecs.info(data, limits: limits).storedSize)
            var options = DecodeOptions()
            options.limits = limits
            let image = try Self.codecs.decode(data, options: options)
            return Self.url("image/png", try PNGEncoder().encode(image.bitmap, options: EncodeOptions()))
        }

        private func drawing(_ data: Data) throws -> [UInt8]? {
            guard depth < Self.maximumDepth else { return nil }
            depth += 1
            defer { depth -= 1 }
            let inner = try SVGFilter.filtered(SVGSource.plain(data), images: self)
            // librsvg draws it at its own size before it is scaled.
            try spend(SVGDocument(inner).size)
            return Self.url("image/svg+xml", inner)
        }

        private static func url(_ type: String, _ data: Data) -> [UInt8] {
            Array("data:\(type);base64,".utf8) + data.base64EncodedData()
        }

        /// RFC 2397, read as leniently as librsvg reads it. Nil for what is none.
        private static func data(of url: [UInt8]) -> Data? {
            let text = url.filter { $0 > 0x20 }
            guard let comma = text.firstIndex(of: UInt8(ascii: ",")) else { return nil }
            let head = String(decoding: text[..<comma], as: UTF8.self).lowercased()
            guard head.hasPrefix("data:") else { return nil }
            // Blanks count in text, but not in base64.
            if head.hasSuffix(";base64") {
                let payload = percentDecoded(text[(comma + 1)...])
                return Data(
                    base64Encoded: Data(payload.prefix { $0 != UInt8(ascii: "#") }), options: .ignoreUnknownCharacters)
            }
            guard let start = url.firstIndex(of: UInt8(ascii: ",")) else { return nil }
            return Data(percentDecoded(url[(start + 1)...].prefix { $0 != UInt8(ascii: "#") }))
        }

        private static func percentDecoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
            guard text.contains(UInt8(ascii: "%")) else { return Array(text) }
            var result: [UInt8] = []
            result.reserveCapacity(text.count)
            var index = text.startIndex
            while index < text.endIndex {
                if text[index] == UInt8(ascii: "%"), index + 2 < text.endIndex,
                    let value = UInt8(String(decoding: text[(index + 1)...(index + 2)], as: UTF8.self), radix: 16)
                {
                    result.append(value)
                    index += 3
                } else {
                    result.append(text[index])
                    index += 1
                }
            }
            return result
        }
    }
#endif
