/// Frames of an animation as `DecodeOptions` want them: at the target's size, and turned as the file's orientation says,
/// like the poster that `ImageCodecs.decode` gives. The facts stay those of the file.
final class FittedFrames: FrameSource {
    private let base: any FrameSource
    private let codecs: ImageCodecs
    private let options: DecodeOptions

    /// Nil if the frames are right as they are.
    init?(_ base: any FrameSource, codecs: ImageCodecs, options: DecodeOptions) {
        guard options.target != nil || (options.appliesOrientation && base.info.orientation != .up) else { return nil }
        self.base = base
        self.codecs = codecs
        self.options = options
    }

    var info: ImageInfo { base.info }
    var pixelsPerFrame: Int { base.pixelsPerFrame }

    func frame(at index: Int) throws -> Bitmap {
        try codecs.finish(DecoderOutput(bitmap: base.frame(at: index), info: base.info), options: options).bitmap
    }

    func dropState() { base.dropState() }
}
