import Testing

@testable import Tintype

@Suite struct AcceptTests {
    @Test("Accept offers exactly the formats that the codecs decode, in their order, then anything")
    func offersWhatIsIn() throws {
        let offered = DownloadRequestBuilder.acceptHeader(.standard).split(separator: ",").map(String.init)
        #expect(offered.suffix(2) == ["image/*;q=0.8", "*/*;q=0.5"])
        #expect(offered.dropLast(2).elementsEqual(ImageCodecs.standard.decoders.map(\.format.mimeType)))
        for format in ImageFormat.allCases {
            let isIn = ImageCodecs.standard.decoder(for: format) != nil
            #expect(offered.contains(format.mimeType) == isIn, "\(format)")
        }
        var few = ImageCodecs.standard
        few.decoders.removeAll { $0.format != .png }
        #expect(DownloadRequestBuilder.acceptHeader(few) == "image/png,image/*;q=0.8,*/*;q=0.5")
    }
}
