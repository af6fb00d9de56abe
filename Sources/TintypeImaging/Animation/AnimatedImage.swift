import TintypeBase

/// A moving image whose frames are decoded when they are asked for, and kept as long as a viewer looks and there is
/// room. Several views of one image share its frames. Safe to use from any thread.
///
/// Without a viewer (`addViewer`) nothing is kept: `frame(at:)` decodes and hands over, which suits tools that go
/// through the frames once.
public final class AnimatedImage: Sendable {
    private struct SourceBox: @unchecked Sendable {
        // Reached only through `source`'s lock.
        let source: any FrameSource
    }

    private struct State {
        var buffer: FrameBuffer
        var nextViewer = 0
        var isDecodingAhead = false
        var reportedCost = 0
        var costHandler: (@Sendable (Int) -> Void)?
    }

    /// Threads that decode ahead of the display, for all animations.
    private static let threads = WorkerPool(name: "tt-frames", width: 2)

    public let info: ImageInfo
    /// Bytes of the encoded image that the frames are decoded from.
    public let encodedByteCount: Int
    /// The most bytes of decoded frames that this image holds.
    public let frameByteLimit: Int

    /// Pixels that one frame costs to decode, which may be more than it has.
    public let pixelsPerFrame: Int

    private let source: Locked<SourceBox>
    private let state: Locked<State>
    private let budget: FrameBudget

    /// - Parameters:
    ///   - source: decodes the frames; used by one thread at a time.
    ///   - encodedByteCount: counted in `cost`.
    ///   - frameByteLimit: bytes of decoded frames to hold at most; 64 MiB by default.
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

    /// Frame `index`, composited; blocks while it is decoded, so not for the main thread or the cooperative pool.
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

    /// The same without blocking the caller: decoding runs on a thread of its own.
    public func decodedFrame(at index: Int) async throws -> Bitmap {
        if let known = try known(index) { return known }
        return try await Self.threads.run(priority: 1) { [self] in try frame(at: index) }
    }

    /// Frame `index` if it is decoded already; never blocks.
    public func bufferedFrame(at index: Int) -> Bitmap? { state.withLock { $0.buffer.frames[index] } }

    /// What is known about a frame without decoding it.
    enum Readiness {
        case ready(Bitmap)
        case missing
        /// It cannot be decoded.
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
                // Work that was cancelled says nothing about the frame.
                if !state.buffer.viewers.isEmpty, !(error is CancellationError) { state.buffer.store(error, at: index) }
            }
            throw error
        }
    }

    // MARK: Viewers

    /// A viewer looks at the image from now on, until `removeViewer`: frames are kept, and decoded ahead.
    ///
    /// - Parameter upcoming: the frame that is shown first, and those that come next.
    /// - Returns: the number that names the viewer.
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

    /// The viewer shows the first of these frames now and wants the others next.
    package func moveViewer(_ viewer: Int, to upcoming: [Int]) {
        state.withLock { state in
            if state.buffer.viewers[viewer] != nil { state.buffer.move(viewer, to: upcoming) }
        }
        decodeAhead()
    }

    /// The frames go when the last viewer has gone.
    package func removeViewer(_ viewer: Int) {
        let wasLast = state.withLock { state in
            guard state.buffer.viewers[viewer] != nil else { return false }
            state.buffer.remove(viewer)
            return state.buffer.viewers.isEmpty
        }
        reportCost()
        guard wasLast else { return }
        budget.update(self, isViewed: false)
        // A decode may be running; the caller, who draws, does not wait for it.
        Self.threads.submit { [weak self] in self?.dropStateIfUnseen() }
    }

    private func dropStateIfUnseen() {
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
        // One frame at a time, so that those who wait for another one get their turn.
        if starts { Self.threads.submit { [weak self] in self?.decodeNext() } }
    }

    private func decodeNext() {
        if let index = state.withLock({ $0.buffer.nextWanted }) {
            do { _ = try frame(at: index) } catch {
                // Kept as the failure of this frame; whoever asks for it gets it.
            }
        }
        state.withLock { $0.isDecodingAhead = false }
        decodeAhead()
    }

    // MARK: Memory

    /// Bytes held now: the encoded image and the decoded frames. It changes while the image plays.
    public var cost: Int { state.withLock { encodedByteCount + $0.buffer.byteCount } }

    /// Has `handler` called with the new cost whenever it has changed, on any thread; nil ends that.
    public func observeCost(_ handler: (@Sendable (Int) -> Void)?) {
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

    /// Gives back the frames that nobody sees at this moment; playing goes on with a short buffer.
    public func dropFrames() {
        state.withLock { $0.buffer.drop(keepingShown: true) }
        reportCost()
    }

    /// Gives back the frames of all animations that nobody sees at this moment. For memory pressure.
    public static func dropAllFrames() {
        for image in FrameBudget.shared.images { image.dropFrames() }
    }

    /// The most bytes of decoded frames that all animations hold together, shared evenly among those that are looked
    /// at; 256 MiB by default.
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
