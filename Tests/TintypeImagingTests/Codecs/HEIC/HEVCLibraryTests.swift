#if HEIC && FFmpeg
    import CHEIF
    import CHEVCDecoder
    import Foundation
    import Testing

    @testable import TintypeImaging

    /// libavcodec against the decoder that libheif brings along.
    @Suite struct HEVCLibraryTests {
        private static let fixtures = ["blocks", "blocks-alpha-10bit", "gray-192x128", "gray-200x160"]

        private func fixture(_ name: String) throws -> Data {
            let url = try #require(
                Bundle.module.url(forResource: name, withExtension: "heic", subdirectory: "Fixtures"))
            return try Data(contentsOf: url)
        }

        /// The files of the conformance set, where it is there.
        private static var others: [URL] {
            let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appending(path: "../../../../../shared/conformance/heic").standardizedFileURL
            let files =
                (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
            return files.filter { ["heic", "heif", "hif"].contains($0.pathExtension) }
        }

        private func expectSame(_ data: Data, _ name: String) throws {
            let ours = Result { try HEICDecoder(library: .libavcodec).decode(data, options: DecodeOptions()) }
            let theirs = Result { try HEICDecoder(library: .libheif).decode(data, options: DecodeOptions()) }
            switch (ours, theirs) {
            case (.success(let ours), .success(let theirs)):
                #expect(ours.bitmap.size == theirs.bitmap.size && ours.info == theirs.info, "\(name)")
                #expect(ours.bitmap.pixels == theirs.bitmap.pixels, "\(name)")
            case (.failure(let ours), .failure(let theirs)): #expect("\(ours)" == "\(theirs)", "\(name)")
            default: Issue.record("\(name): \(ours) and \(theirs)")
            }
        }

        @Test func isInstalledAndLoaded() throws {
            HEVCLibrary.register()
            let name = try #require(HEVCLibrary.libavcodec.decoder(forPixelCount: 1))
            #expect(String(cString: name) == "tintype-libavcodec")
            #expect(String(cString: try #require(chevc_version())).split(separator: ".").count == 3)
            #expect(HEVCLibrary.libheif.decoder(forPixelCount: 1 << 30) == nil)
        }

        @Test("The same pixels and facts: 8 and 10 bits, 4:2:0 and 4:4:4, alpha, grey", arguments: fixtures)
        func samePixels(name: String) throws { try expectSame(fixture(name), name) }

        @Test func samePixelsOfTheConformanceSet() throws {
            for file in Self.others { try expectSame(Data(contentsOf: file), file.lastPathComponent) }
        }

        @Test("It decodes by itself, not through what follows when it fails", arguments: fixtures)
        func decodesByItself(name: String) throws {
            try fixture(name).withUnsafeBytes { bytes in
                let image = try HEICContext(bytes, library: .libavcodec).primaryImage(limits: DecodeLimits())
                #expect(image.decodedBy(try #require(chevc_decoder_id())))
            }
        }

        @Test("Damage of every kind ends as it does without it", arguments: fixtures)
        func damage(name: String) throws {
            let data = try fixture(name)
            let media = try #require(data.firstRange(of: Data("mdat".utf8))).upperBound
            for step in 0..<40 {
                var broken = data
                let position = media + (data.count - media) * step / 40
                switch step % 4 {
                case 0: broken[position] ^= 0xFF
                case 1:
                    broken.replaceSubrange(position..<min(position + 8, data.count), with: Data(repeating: 0, count: 8))
                case 2: broken = broken.prefix(position)
                default:
                    broken.replaceSubrange(
                        position..<data.count, with: Data(repeating: 0xA5, count: data.count - position))
                }
                // What each of them makes of damaged pixels may differ; that it ends, and with what kind of end, may not.
                let ours = Result { try HEICDecoder(library: .libavcodec).decode(broken, options: DecodeOptions()) }
                let theirs = Result { try HEICDecoder(library: .libheif).decode(broken, options: DecodeOptions()) }
                if case .failure(let theirs) = theirs, case .failure(let ours) = ours {
                    #expect("\(ours)" == "\(theirs)")
                }
                if case .failure = ours, case .success = theirs {
                    Issue.record("\(name), step \(step): only libheif's decodes")
                }
            }
        }
    }

    extension HEICImage {
        fileprivate func decodedBy(_ decoder: UnsafePointer<CChar>) -> Bool {
            guard let settings = heif_decoding_options_alloc() else { return false }
            defer { heif_decoding_options_free(settings) }
            settings.pointee.decoder_id = decoder
            var decoded: OpaquePointer?
            defer { if let decoded { heif_image_release(decoded) } }
            let error = heif_decode_image(handle, &decoded, heif_colorspace_RGB, heif_chroma_interleaved_RGBA, settings)
            return error.code == heif_error_Ok && decoded != nil
        }
    }
#endif
