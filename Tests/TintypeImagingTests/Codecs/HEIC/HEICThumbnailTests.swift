#if HEIC
    import Foundation
    import Testing

    @testable import TintypeImaging

    /// The image is grey, its thumbnail of six colours: one sees which of them was decoded.
    @Suite struct HEICThumbnailTests {
        private func fixture(_ name: String) throws -> Data {
            let url = try #require(
                Bundle.module.url(forResource: name, withExtension: "heic", subdirectory: "Fixtures"))
            return try Data(contentsOf: url)
        }

        private func file(_ image: String = "gray-192x128", _ thumbnail: String = "blocks") throws
            -> HEIFWithThumbnail
        {
            HEIFWithThumbnail(image: try .init(fixture(image)), thumbnail: try .init(fixture(thumbnail)))
        }

        private func decode(
            _ data: Data, width: Int? = 12, change: (inout DecodeOptions) -> Void = { _ in }
        ) throws -> DecodedImage {
            var options = DecodeOptions()
            options.target = width.map { ResizeTarget(width: $0, height: nil) }
            change(&options)
            return try ImageCodecs.standard.decode(data, options: options)
        }

        /// Grey is 120 in every channel.
        private func isImage(_ image: DecodedImage) -> Bool {
            (0..<image.bitmap.height).allSatisfy { y in
                (0..<image.bitmap.width).allSatisfy {
                    image.bitmap.pixel($0, y).distance(to: Pixel(120, 120, 120, 255)) <= 2
                }
            }
        }

        @Test func smallTargetsTakeTheThumbnail() throws {
            let image = try decode(try file().data())
            #expect(image.bitmap.size == PixelSize(width: 12, height: 8))
            let expected: [[Pixel]] = [[.red, .green, .blue], [.white, .black, Pixel(255, 255, 0)]]
            for (y, row) in expected.enumerated() {
                for (x, color) in row.enumerated() {
                    // In the middle of a block of four by four.
                    #expect(image.bitmap.pixel(x * 4 + 1, y * 4 + 1).distance(to: color) <= 45)
                }
            }
            // Facts are those of the image.
            #expect(image.info.storedSize == PixelSize(width: 192, height: 128) && image.warnings.isEmpty)
            #expect(image.bitmap.isOpaque && !image.isPartial)
        }

        @Test("Above an eighth of the thumbnail, or without a target, the image is decoded")
        func largerTargets() throws {
            let data = try file().data()
            for width in [13, 24, 48, 96, 192] { #expect(isImage(try decode(data, width: width)), "\(width)") }
            #expect(isImage(try decode(data, width: nil)))
            // A narrow strip of the image needs all its height.
            let strip = try decode(data) { $0.target = ResizeTarget(width: 2, height: 60, fit: .cover) }
            #expect(isImage(strip))
        }

        @Test func filtersThatNeedEveryPixelGetTheImage() throws {
            let data = try file().data()
            #expect(isImage(try decode(data) { $0.target?.filter = .nearest }))
            #expect(isImage(try decode(data) { $0.target?.isLinearLight = true }))
        }

        @Test func otherProportions() throws {
            let data = try file("gray-200x160").data()
            #expect(isImage(try decode(data, width: 8)))
            let size = PixelSize(width: 4032, height: 3024)
            #expect(HEICThumbnails.areProportional(size, PixelSize(width: 320, height: 240)))
            #expect(HEICThumbnails.areProportional(size, PixelSize(width: 416, height: 312)))
            #expect(
                HEICThumbnails.areProportional(PixelSize(width: 4000, height: 1848), PixelSize(width: 512, height: 236))
            )
            #expect(!HEICThumbnails.areProportional(size, PixelSize(width: 320, height: 180)))
            #expect(!HEICThumbnails.areProportional(size, PixelSize(width: 320, height: 242)))
            #expect(!HEICThumbnails.areProportional(size, PixelSize(width: 240, height: 320)))
        }

        @Test func otherDepth() throws {
            #expect(isImage(try decode(try file("gray-192x128", "blocks-alpha-10bit").data())))
        }

        @Test("Turned alike it is taken, and turned; cropped or turned alone it is not")
        func transforms() throws {
            for name in ["irot", "imir"] {
                var file = try file()
                file.image.add(name, [1])
                #expect(isImage(try decode(file.data(), width: 8)), "\(name)")
                file.thumbnail.add(name, [0])
                #expect(isImage(try decode(file.data(), width: 8)), "\(name)")
            }
            var turned = try file()
            turned.image.add("irot", [1])
            turned.thumbnail.add("irot", [1])
            let image = try decode(turned.data(), width: 8)
            #expect(image.bitmap.size == PixelSize(width: 8, height: 12))
            // A quarter to the left: blue comes to the top left corner.
            #expect(image.bitmap.pixel(1, 1).distance(to: .blue) <= 45)
            #expect(image.bitmap.pixel(1, 10).distance(to: .red) <= 45)
            var cropped = try file()
            cropped.image.add("clap", bigEndian([96, 1, 64, 1, 0, 1, 0, 1]))
            #expect(isImage(try decode(cropped.data(), width: 8)))
            cropped.thumbnail.add("clap", bigEndian([48, 1, 32, 1, 0, 1, 0, 1]))
            #expect(isImage(try decode(cropped.data(), width: 6)))
        }

        @Test func colorsMustBeTheSame() throws {
            func coded(_ primaries: UInt8, _ transfer: UInt8) -> [UInt8] {
                Array("nclx".utf8) + [0, primaries, 0, transfer, 0, 0, 0x80]
            }
            var file = try file()
            // P3 in the thumbnail, nothing in the image, which is sRGB then.
            file.thumbnail.add("colr", coded(12, 13))
            #expect(isImage(try decode(file.data())))
            file.image.add("colr", coded(12, 13))
            #expect(!isImage(try decode(file.data())))
            var plain = try self.file()
            plain.image.add("colr", coded(1, 13))
            #expect(!isImage(try decode(plain.data())))
            // HDR is mapped from all there is.
            var hdr = try self.file()
            hdr.image.add("colr", coded(9, 16))
            hdr.thumbnail.add("colr", coded(9, 16))
            let image = try decode(hdr.data())
            #expect(image.bitmap.pixel(1, 1) == image.bitmap.pixel(9, 5))
        }

        @Test("A damaged thumbnail is passed over in silence") func damage() throws {
            var broken = try file()
            broken.thumbnail.data = broken.thumbnail.data.map { _ in 0xFF }
            let image = try decode(broken.data())
            #expect(isImage(image) && image.warnings.isEmpty && !image.isPartial)
        }

        @Test("An image that is cut or missing is reported, whether its thumbnail is there or not")
        func missingImage() throws {
            let data = try file().data()
            for count in [1, 5] {
                #expect(throws: ImagingError.truncated(.heic)) { try decode(data.dropLast(count)) }
            }
            var missing = try file()
            missing.image.isLocated = false
            #expect(throws: ImagingError.self) { try decode(missing.data()) }
            missing.image.isLocated = true
            missing.image.data = []
            #expect(throws: ImagingError.self) { try decode(missing.data()) }
        }

        @Test func limitsHoldForBoth() throws {
            let data = try file().data()
            #expect(throws: ImagingError.imageTooLarge(width: 192, height: 128, limit: 10_000)) {
                try decode(data) { $0.limits.maximumPixelCount = 10_000 }
            }
            // A thumbnail whose data is larger than its header says: found before it is decoded.
            var hidden = try file("gray-192x128", "gray-200x160")
            hidden.thumbnail.properties[1] = HEIFWithThumbnail.box("ispe", bigEndian([0, 96, 64]))
            #expect(isImage(try decode(hidden.data())))
        }

        @Test func hostileBytes() throws {
            let original = try file().data()
            var generator = SeededGenerator(state: 3)
            for round in 0..<300 {
                var damaged = original
                for _ in 0...(round % 6) {
                    let index = Int.random(in: 0..<damaged.count, using: &generator)
                    damaged[index] = UInt8.random(in: 0...255, using: &generator)
                }
                do {
                    let image = try decode(damaged) { $0.limits.maximumPixelCount = 1 << 20 }
                    #expect(image.bitmap.width == 12)
                } catch is ImagingError {}
            }
        }
    }
#endif
