// Makes a small WebP of every image in a folder.
//
//     thumbnailer FOLDER OUTPUT [SIZE]

import Foundation
import Tintype

guard (3...4).contains(CommandLine.arguments.count), let size = Int(CommandLine.arguments.dropFirst(3).first ?? "256"),
    size > 0
else {
    print("usage: thumbnailer FOLDER OUTPUT [SIZE]")
    exit(2)
}
let folder = URL(fileURLWithPath: CommandLine.arguments[1])
let output = URL(fileURLWithPath: CommandLine.arguments[2])

// Local files that are looked at once: no cache would ever be asked again.
var configuration = ImagePipeline.Configuration(diskCache: nil)
configuration.memoryCache = nil
let pipeline = ImagePipeline(configuration)

@Sendable func makeThumbnail(of file: URL) async throws -> PixelSize {
    var request = ImageRequest(source: .file(path: file.path))
    // Decoded straight to this size: a photo of 50 megapixels never lies in memory.
    request.target = ResizeTarget(width: size, height: size, fit: .contain, allowsUpscaling: false)
    request.options = .firstFrameOnly
    let image = try await pipeline.image(for: request)
    let webp = try ImageCodecs.standard.encode(image.bitmap, as: .webp)
    let name = file.lastPathComponent + ".webp"  // with the old extension: a.png and a.jpg are two files
    try webp.write(to: output.appendingPathComponent(name), options: .atomic)
    return image.bitmap.size
}

do {
    try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.isRegularFileKey])
        .filter { try $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true }
        .sorted { $0.path < $1.path }
    var (made, failed) = (0, 0)
    await withTaskGroup(of: (URL, Result<PixelSize, any Error>).self) { group in
        var waiting = files[...]
        // As many at a time as keep the decode threads busy, however long the list is.
        for _ in 0..<8 { addNext() }
        func addNext() {
            guard let file = waiting.popFirst() else { return }
            group.addTask {
                do {
                    return (file, .success(try await makeThumbnail(of: file)))
                } catch {
                    return (file, .failure(error))
                }
            }
        }
        while let (file, result) = await group.next() {
            switch result {
            case .success(let size):
                made += 1
                print("\(file.lastPathComponent): \(size)")
            case .failure(let error):
                failed += 1
                // Stable, so that a script can tell "no image at all" from "damaged".
                print("\(file.lastPathComponent): \(PipelineError.code(of: error)): \(error)")
            }
            addNext()
        }
    }
    print("\(made) made, \(failed) failed")
} catch {
    print("thumbnailer: \(error)")
    exit(1)
}
