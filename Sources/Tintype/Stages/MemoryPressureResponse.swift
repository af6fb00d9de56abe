import TintypeBase

/// What a pipeline does while memory is short.
///
/// Frames of animations are dropped first, then the memory cache discards and evicts. Until no pressure has been
/// reported for a while, prefetches and queued downloads of low priority do not start.
package final class MemoryPressureResponse: Sendable {
    private struct State {
        var isActive = false
        var reportCount = 0
        var observers: [UInt64: @Sendable (Bool) -> Void] = [:]
        var nextObserver: UInt64 = 0
    }

    private let state = Locked(State())
    private let cache: ImageMemoryCache?
    private let downloader: ImageDownloader
    private let quietTime: Duration

    /// - Parameter quietTime: without a report for this long the pressure is over.
    init(cache: ImageMemoryCache?, downloader: ImageDownloader, quietTime: Duration) {
        self.cache = cache
        self.downloader = downloader
        self.quietTime = quietTime
    }

    package var isActive: Bool { state.withLock { $0.isActive } }

    func handle(_ level: MemoryPressureLevel) {
        AnimatedImage.dropAllFrames()
        cache?.handleMemoryPressure(level)
        let (hasBegun, report) = state.withLock { state in
            defer { state.isActive = true }
            state.reportCount += 1
            return (!state.isActive, state.reportCount)
        }
        if hasBegun { change(to: true) }
        Task.detached { [self] in
            try await Task.sleep(for: quietTime)
            let isOver = state.withLock { state in
                guard state.reportCount == report else { return false }
                state.isActive = false
                return true
            }
            if isOver { change(to: false) }
        }
    }

    private func change(to isActive: Bool) {
        downloader.minimumPriority = isActive ? .normal : .veryLow
        for observer in state.withLock({ Array($0.observers.values) }) { observer(isActive) }
    }

    /// Calls `body` when pressure begins or ends, until `stopObserving`.
    func observe(_ body: @escaping @Sendable (Bool) -> Void) -> UInt64 {
        state.withLock { state in
            state.nextObserver += 1
            state.observers[state.nextObserver] = body
            return state.nextObserver
        }
    }

    func stopObserving(_ id: UInt64) {
        state.withLock { state in _ = state.observers.removeValue(forKey: id) }
    }
}
