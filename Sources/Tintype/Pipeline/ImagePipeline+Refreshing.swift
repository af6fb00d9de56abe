import TintypeBase

/// Asking the origin about an image that is already there.
extension ImagePipeline {
    /// The option `refreshCached`: the cached image first, unless it is still fresh by its headers; then the origin's
    /// word on it.
    func refreshed(_ load: Load, _ cached: CachedImage?, _ task: ImageTask, _ control: JobControl) async throws
        -> ImageResponse
    {
        guard var known = try await cachedResponse(load, cached, task, control) else {
            return try await joined(load, load.variant.mode, task, control)
        }
        if let freshness = known.details.freshness, freshness.isExplicitlyFresh(at: nowInSeconds) { return known }
        known.isFinal = false
        task.receive(first: known)
        known.isFinal = true
        known.isRepeated = true
        do {
            return try await answer(load, known, task, control)
        } catch {
            let error = PipelineError.wrap(error, source: load.name)
            if error is CancellationError { throw error }
            report(.refreshFailed(error), load)
            known.refreshError = error
            known.details.isStale = true
            return known
        }
    }

    /// An image in memory that is too old for its headers: it may be shown if they allow that, else the origin decides.
    func revalidated(_ load: Load, _ cached: CachedImage, _ task: ImageTask, _ control: JobControl) async throws
        -> ImageResponse
    {
        guard matches(cached, load.request.headers) else {
            return try await joined(load, load.variant.mode, task, control)
        }
        var known = response(cached.image, .memory, cached.details, load)
        known.details.isStale = true
        if cached.details.freshness?.state(now: nowInSeconds) == .staleWhileRevalidate {
            refreshInBackground(load)
            return known
        }
        do {
            known.details.isStale = false
            return try await answer(load, known, task, control)
        } catch {
            let error = PipelineError.wrap(error, source: load.name)
            guard !(error is CancellationError), let freshness = cached.details.freshness,
                allowsStale(freshness, after: error)
            else { throw error }
            report(.refreshFailed(error), load)
            known.details.isStale = true
            known.refreshError = error
            return known
        }
    }

    /// Another load than the caller's asks the origin; its answer is for the caches only.
    func refreshInBackground(_ load: Load) {
        let interest = Interest(priority: .low, demand: interest(of: load).demand.subtracting([.previews, .progress]))
        Task { [self] in
            do {
                try await registered { [self] in
                    let result = try await jobResult(load, .revalidating, nil, JobControl(interest))
                    if case .unchanged(let details) = result { keepFresh(load, details) }
                }
            } catch {
                report(.refreshFailed(error), load)
            }
        }
    }

    /// What the caches hold, even if the memory's part of it is too old; nil if they hold nothing.
    private func cachedResponse(_ load: Load, _ cached: CachedImage?, _ task: ImageTask, _ control: JobControl)
        async throws -> ImageResponse?
    {
        if let cached,
            isUsable(cached, load.request)
                || (cached.details.freshness?.mustRevalidate != true && matches(cached, load.request.headers))
        {
            return response(cached.image, .memory, cached.details, load)
        }
        guard load.readsDisk else { return nil }
        do {
            return try await joined(load, .cacheOnly, task, control)
        } catch PipelineError.notInCache {
            return nil
        }
    }

    private func answer(_ load: Load, _ known: ImageResponse, _ task: ImageTask, _ control: JobControl) async throws
        -> ImageResponse
    {
        switch try await jobResult(load, .revalidating, task, control) {
        case .image(let loaded): return response(loaded, load)
        case .unchanged(let details):
            keepFresh(load, details)
            var response = known
            response.details = details
            return response
        }
    }

    /// The image in memory gets the dates of the answer that confirmed it.
    private func keepFresh(_ load: Load, _ details: ImageDetails) {
        guard let memoryCache, memoryCache.contains(load.imageKey), let old = memory.image(for: load) else { return }
        memory.store(CachedImage(image: old.image, details: details), for: load.imageKey)
    }
}
