import TintypeBase

/// An animation whose frames are decoded on demand and buffered while a player shows it. Several players of one image
/// share its frames. Safe to use from any thread.
///
/// Without a player nothing is buffered: `frame(at:)` decodes and returns, which suits tools that read each frame once.
///
/// ```swift
/// import Foundation
/// import TintypeImaging
///
/// func sizes(ofFramesIn data: Data) throws -> [PixelSize] {
///     guard let animation = try ImageCodecs.standard.animation(data) else { return [] }
///     return try (0..<animation.frameCount).map { try animation.frame(at: $0).size }
/// }
/// ```
public final class AnimatedImage: Sendable {
    private struct SourceBox: @unchecked Sendable {
        // Accessed only with the lock of `source` held.
        let source: any FrameSource
    }

    private struct State {
        var buffer: FrameBuffer
        var nextViewer = 0
        var isDecodingAhead = false
        var reportedCost = 0
        var costHandler: (@Sendable (Int) -> Void)?
    }

    /// Threads that decode ahead, for all animations.
    private static let threads = WorkerPool(name: "tt-frames", width: 2)

    public let info: ImageInfo
    /// Bytes of the encoded image.
    package let encodedByteCount: Int
    /// The most bytes of decoded frames that this image buffers.
    package let frameByteLimit: Int

    /// Pixels that one frame costs to decode, which may be more than it has.
    package let pixelsPerFrame: Int

    private let source: Locked<SourceBox>
    private let state: Locked<State>
    private let budget: FrameBudget

    /// - Parameters:
    ///   - source: decodes the frames; used by one thread at a time.
    ///   - encodedByteCount: a part of `cost`.
    ///   - frameByteLimit: the most bytes of decoded frames to buffer; 64 MiB by default.
    public convenience init(source: any FrameSource, encodedByteCount: Int = 0, frameByteLimit: Int = 64 << 20) {
        self.init(
            source: source, encodedByteCount: encodedByteCount, frameByteLimit: frameByteLimit, budget: .shared)
    }

    init(source: any FrameSource, encodedByteCount: Int = 0, frameByteLimit: Int = 64 << 20, budget: FrameBudget) {
        info = source.info
        pixelsPerFrame = source.pixelsPerFrame
        self.encodedByteCount = encodedByteCount
        self.frameByteLimit = frameByteLimit
        self.budget = budget
        self.source = Locked(SourceBox(source: source))
        state = Locked(State(buffer: FrameBuffer(info: source.info, budget: frameByteLimit)))
    }

    deinit { budget.forget(ObjectIdentifier(self)) }

    public var frameCount: Int { info.frameCount }

    // MARK: Frames

    /// Returns frame `index`, composited. Blocks while it is decoded: do not call it on the main thread or in a task.
    ///
    /// - Throws: `ImagingError`; `noSuchFrame` outside `0..<frameCount`.
    public func frame(at index: Int) throws -> Bitmap {
        if let known = try known(index) { return known }
        return try source.withLock { box in
            // Another thread may have decoded it while this one waited.
            if let known = try known(index) { return known }
            return try decode(index, box.source)
        }
    }

    /// Returns frame `index`, composited, without blocking the caller: decoding runs on a thread of the image's own.
    public func decodedFrame(at index: Int) async throws -> Bitmap {
        if let known = try known(index) { return known }
        return try await Self.threads.run(priority: 1) { [self] in try frame(at: index) }
    }

    /// Returns frame `index` if it is buffered; never blocks.
    package func bufferedFrame(at index: Int) -> Bitmap? { state.withLock { $0.buffer.frames[index] } }

    /// The state of a frame before it is decoded.
    enum Readiness {
        case ready(Bitmap)
        case missing
        /// The frame cannot be decoded.
        case failed
    }

    func readiness(of index: Int) -> Readiness {
        state.withLock { state in
            if let bitmap = state.buffer.frames[index] { return .ready(bitmap) }
            return state.buffer.failures[index] == nil ? .missing : .failed
        }
    }

    private func known(_ index: Int) throws -> Bitmap? {
        let (frame, failure) = state.withLock { ($0.buffer.frames[index], $0.buffer.failures[index]) }
        if let failure { throw failure }
        return frame
    }

    /// Called with the source's lock held.
    private func decode(_ index: Int, _ source: any FrameSource) throws -> Bitmap {
        do {
            let bitmap = try source.frame(at: index)
            state.withLock { $0.buffer.store(bitmap, at: index) }
            return bitmap
        } catch {
            state.withLock { state in
                // A cancelled decode says nothing about the frame.
                if !state.buffer.viewers.isEmpty, !(error is CancellationError) { state.buffer.store(error, at: index) }
            }
            throw error
        }
    }

    // MARK: Viewers

    /// Adds a viewer: until `removeViewer`, frames are buffered and decoded ahead.
    ///
    /// - Parameter upcoming: the frame that is shown first, and those that follow.
    /// - Returns: the identifier of the viewer.
    package func addViewer(_ upcoming: [Int]) -> Int {
        let (viewer, isFirst) = state.withLock { state in
            let isFirst = state.buffer.viewers.isEmpty
            state.nextViewer += 1
            state.buffer.move(state.nextViewer, to: upcoming)
            return (state.nextViewer, isFirst)
        }
        if isFirst { budget.update(self, isViewed: true) }
        decodeAhead()
        return viewer
    }

    /// Sets the frame that the viewer shows and those that follow.
    package func moveViewer(_ viewer: Int, to upcoming: [Int]) {
        state.withLock { state in
            if state.buffer.viewers[viewer] != nil { state.buffer.move(viewer, to: upcoming) }
        }
        decodeAhead()
    }

    /// Removes a viewer; the last one takes the frames with it.
    package func removeViewer(_ viewer: Int) {
        let wasLast = state.withLock { state in
            guard state.buffer.viewers[viewer] != nil else { return false }
            state.buffer.remove(viewer)
            return state.buffer.viewers.isEmpty
        }
        reportCost()
        guard wasLast else { return }
        budget.update(self, isViewed: false)
        // A decode may be running, and a caller that draws must not wait for it.
        Self.threads.submit { [weak self] in self?.dropStateWithoutViewers() }
    }

    private func dropStateWithoutViewers() {
        source.withLock { box in
            if state.withLock({ $0.buffer.viewers.isEmpty }) { box.source.dropState() }
        }
    }

    // MARK: Decoding ahead

    private func decodeAhead() {
        let starts = state.withLock { state in
            guard !state.isDecodingAhead, state.buffer.nextWanted != nil else { return false }
            state.isDecodingAhead = true
            return true
        }
        reportCost()
        // One frame at a time, so that waiters for other frames get their turn.
        if starts { Self.threads.submit { [weak self] in self?.decodeNext() } }
    }

    private func decodeNext() {
        if let index = state.withLock({ $0.buffer.nextWanted }) {
            do { _ = try frame(at: index) } catch {
                // Stored as the failure of this frame, which `frame(at:)` throws.
            }
        }
        state.withLock { $0.isDecodingAhead = false }
        decodeAhead()
    }

    // MARK: Memory

    /// Bytes of the encoded image and the buffered frames. Changes during playback.
    public var cost: Int { state.withLock { encodedByteCount + $0.buffer.byteCount } }

    /// Sets a handler for changes of `cost`, called on any thread; nil removes it.
    package func observeCost(_ handler: (@Sendable (Int) -> Void)?) {
        state.withLock { state in
            state.costHandler = handler
            state.reportedCost = encodedByteCount + state.buffer.byteCount
        }
    }

    private func reportCost() {
        let report = state.withLock { state -> (Int, @Sendable (Int) -> Void)? in
            let cost = encodedByteCount + state.buffer.byteCount
            guard let handler = state.costHandler, cost != state.reportedCost else { return nil }
            state.reportedCost = cost
            return (cost, handler)
        }
        if let (cost, handler) = report { handler(cost) }
    }

    /// Frees the frames that no player shows now; playback continues with a short buffer.
    public func dropFrames() {
        state.withLock { $0.buffer.drop(keepingShown: true) }
        reportCost()
    }

    /// Frees the frames of all animations that no player shows now. For memory pressure.
    public static func dropAllFrames() {
        for image in FrameBudget.shared.images { image.dropFrames() }
    }

    /// The most bytes of decoded frames that all animations buffer together, shared evenly among those that are playing;
    /// 256 MiB by default.
    public static var totalFrameByteLimit: Int {
        get { FrameBudget.shared.total }
        set { FrameBudget.shared.total = newValue }
    }

    func budgetChanged() {
        let limit = min(frameByteLimit, budget.share)
        state.withLock { state in
            guard state.buffer.budget != limit else { return }
            state.buffer.budget = limit
            state.buffer.trim()
        }
        reportCost()
    }
}
