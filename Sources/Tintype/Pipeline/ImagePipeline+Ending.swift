import TintypeBase

/// Ending loads: all of them, or the pipeline itself.
extension ImagePipeline {
    /// Ends every load with `CancellationError`. What has been loaded is still written to disk.
    public func cancelAll() {
        let (tasks, others) = registry.withLock { (Array($0.tasks.values), Array($0.otherLoads.values)) }
        for task in tasks { task.cancel() }
        for cancel in others { cancel() }
    }

    /// Whether any load, or any work for one, has not ended yet; that of cancelled loads counts until it has stopped.
    public var isRunning: Bool {
        let hasLoads = registry.withLock { !$0.tasks.isEmpty || !$0.otherLoads.isEmpty }
        return hasLoads || images.runningCount > 0 || fetches.runningCount > 0
    }

    /// Returns when no load runs any more and everything that was to be stored is on disk.
    public func waitUntilIdle() async {
        await withCheckedContinuation { continuation in
            let isIdle = registry.withLock { registry in
                let isIdle = registry.tasks.isEmpty && registry.otherLoads.isEmpty
                if !isIdle { registry.idleWaiters.append(continuation) }
                return isIdle
            }
            if isIdle { continuation.resume() }
        }
        await images.waitUntilIdle()
        await fetches.waitUntilIdle()
        await staged?.waitUntilIdle()
    }

    /// Bytes of memory that wait to be written to disk; see ``Configuration/pendingStoreByteLimit``.
    public var pendingStoreByteCount: Int { staged?.gate.pendingByteCount ?? 0 }

    /// Returns when everything that loads have handed to the disk cache so far is written, or has failed to be. A process
    /// that exits after it loses nothing.
    public func flush() async {
        await staged?.flush()
        guard let diskCache else { return }
        // The work throws nothing; only its thread is borrowed.
        _ = try? await filePool.run { diskCache.flush() }
    }

    /// Ends the pipeline: no load begins any more (`PipelineError.shutDown`); loads with the option
    /// `continueInBackground` may go on for the grace period, all others are cancelled at once. Then pending stores are
    /// written, and expired entries are removed from the disk.
    ///
    /// Returns within the grace period. What is not done then is cancelled, and pending stores go on in the background
    /// while the process lives: call ``flush()`` to wait for them. A downloader that was given in the configuration is
    /// left alone; the pipeline's own ends with it.
    public func shutdown(grace: Duration) async {
        let (tasks, others) = registry.withLock { registry in
            registry.isShutDown = true
            return (Array(registry.tasks.values), Array(registry.otherLoads.values))
        }
        for cancel in others { cancel() }
        for task in tasks where !task.request.options.contains(.continueInBackground) { task.cancel() }
        pressureMonitor?.stop()
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let waiter = Locked<CheckedContinuation<Void, Never>?>(continuation)
            let end: @Sendable () -> Void = {
                let waiter = waiter.withLock { waiter in
                    defer { waiter = nil }
                    return waiter
                }
                waiter?.resume()
            }
            let deadline = Task.detached { [self] in
                try await Task.sleep(for: grace)
                cancelAll()
                end()
            }
            Task.detached { [self] in
                await finishShutdown()
                deadline.cancel()
                end()
            }
        }
    }

    private func finishShutdown() async {
        await waitUntilIdle()
        if configuration.downloader == nil { await downloader.shutdown(grace: .zero) }
        do {
            _ = try await diskCache?.removeExpired()
        } catch {
            configuration.observer?(
                ImageEvent(EventOrigin(name: "removeExpired"), .storeFailed(key: "", error)))
        }
    }

    static func startPressureMonitor(_ response: MemoryPressureResponse) -> MemoryPressureMonitor {
        let monitor = MemoryPressureMonitor()
        monitor.start { response.handle($0) }
        return monitor
    }
}
