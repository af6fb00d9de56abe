import Foundation
import TintypeImaging

extension Job {
    /// On the decoded pixels of `file`: resize to `width` and `height`, or a processor by `name`.
    static let pixels: [Job] = [
        Job(name: "resize", by: "tintype") { parameters in
            let bitmap = try ImageCodecs.standard.decode(parameters.data("file")).bitmap
            let target = ResizeTarget(
                width: try parameters.number("width"), height: try parameters.number("height"), fit: .fill,
                isLinearLight: parameters.values["light"] == "linear")
            return Work { _ = try bitmap.resized(to: target) }
        },
        Job(name: "process", by: "tintype") { parameters in
            let bitmap = try ImageCodecs.standard.decode(parameters.data("file")).bitmap
            let name = try parameters.text("name")
            switch name {
            case "blurhash": return Work { _ = try BlurHash(encoding: bitmap) }
            case "thumbhash": return Work { _ = try ThumbHash(encoding: bitmap) }
            default: break
            }
            guard let processor = processors[name] else { throw Parameters.Missing(key: "name") }
            return Work { _ = try processor.process(bitmap) }
        },
    ]

    private static let processors: [String: any ImageProcessor] = [
        "blur 2": .blur(sigma: 2), "blur 10": .blur(sigma: 10), "blur 40": .blur(sigma: 40), "sharpen": .sharpen(),
        "grayscale": .grayscale(), "rotate 90": .rotate(degrees: 90), "rotate 15": .rotate(degrees: 15),
        "circle": .circle(), "rounded": .roundedCorners(radius: 64),
    ]
}
