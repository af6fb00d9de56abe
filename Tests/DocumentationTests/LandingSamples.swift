import Tintype

/// The sample of the front page.
enum LandingSamples {
    static func all() async throws {
        // SAMPLE Sources/Tintype/Tintype.docc/Tintype.md 1
        var request: ImageRequest = "https://example.com/cat.jpg"
        request.target = ResizeTarget(width: 256, height: 256, fit: .cover)
        let image = try await ImagePipeline.shared.image(for: request)
        // END
        print(image.info)
    }
}
