import TintypeConcurrency

/// A moving picture whose frames are decoded when they are asked for. Safe to use from several threads.
public final class AnimatedImage: Sendable {
    private struct SourceBox: @unchecked Sendable {
        // Reached only through `source`'s lock.
        let source: any FrameSource
    }

    public let info: ImageInfo
    private let source: Locked<SourceBox>

    package init(source: any FrameSource) {
        info = source.info
        self.source = Locked(SourceBox(source: source))
    }

    public var frameCount: Int { info.frameCount }

    /// Frame `index`, composited; blocks while it is decoded, so not for the main thread or the cooperative pool.
    public func frame(at index: Int) throws -> Bitmap {
        try source.withLock { try $0.source.frame(at: index) }
    }
}
