import TintypeBase

/// One processor over one image, and the result's way to and from the disk.
extension ImagePipeline {
    func process(
        _ loaded: inout LoadedImage, _ load: Load, _ processor: any ImageProcessor, _ control: JobControl
    ) async throws {
        let transformsAnimations = load.options.contains(.transformAnimatedImages)
        guard loaded.image.animation == nil || transformsAnimations else {
            loaded.image.warnings.append(
                "the image is animated, and the processor \(processor.identifier) was not run; "
                    + "the option transformAnimatedImages runs it over every frame")
            return
        }
        let clock = ContinuousClock()
        let source = loaded.image
        let (image, duration) = try await runDecode(load, control, holdsImage: true) { _ in
            let start = clock.now
            return (try processor.processed(source), start.duration(to: clock.now))
        }
        report(.processed(identifier: processor.identifier, seconds: duration.inSeconds), load)
        loaded.image = image
        // The disk gets what the last processor made, not a step on the way.
        loaded.serialize = nil
    }

    /// Runs a processor over the previews that come from below; while one is being processed, others are dropped.
    func processedEvents(_ job: ImageJob, _ processor: any ImageProcessor) -> @Sendable (LoadEvent) -> Void {
        let isBusy = Locked(false)
        return { [decodePool] event in
            guard case .preview(let image) = event else {
                job.send(event)
                return
            }
            let mayRun = isBusy.withLock { isBusy in
                defer { isBusy = true }
                return !isBusy
            }
            guard mayRun else { return }
            decodePool.submit(priority: job.control.interest.priority.rawValue) {
                // A preview that cannot be processed is no loss: the image itself reports the error.
                if let preview = try? processor.processed(image) { job.send(.preview(preview)) }
                isBusy.withLock { $0 = false }
            }
        }
    }

    func serializer(for loaded: LoadedImage, _ load: Load) -> (@Sendable () throws -> Data?)? {
        guard loaded.image.animation == nil else { return nil }
        let serializer = load.request.fields.serializer ?? configuration.serializer
        let (image, info, codecs) = (loaded.image, loaded.originalInfo, load.codecs)
        return { try serializer.data(for: image, original: info, codecs: codecs) }
    }

    /// The result of an earlier load, as the disk cache holds it; nil if there is none that can be used.
    func storedResult(_ job: ImageJob, _ load: Load) async -> LoadedImage? {
        let key = load.imageKey.string
        guard load.readsDisk, !load.resource.isLocal, !load.options.contains(.includesData) else { return nil }
        if case .encode(let pending)? = staged?.change(for: key) {
            let entry = CacheEntry(key: key, data: Data(), metadata: pending.metadata, isExpired: false)
            guard isUsable(entry, load) else { return nil }
            report(.diskHit(isStale: false), load)
            return LoadedImage(
                image: pending.image, source: .disk, details: pending.details, originalInfo: pending.originalInfo,
                expiry: load.request.expiry, origin: load.origin)
        }
        // A cache that fails is a cache that misses.
        guard let diskCache, (try? await diskCache.contains(key)) == true, let entry = await entry(for: key, load),
            isUsable(entry, load)
        else { return nil }
        var plain = load.request
        plain.target = nil
        plain.processors = []
        plain.decodeOptions.frame = nil
        plain.options.insert(.skipDiskWrites)
        let decoding = resolve(plain, taskID: load.origin.taskID)
        do {
            var (image, _) = try await decode(entry.data, decoding, job.control)
            image.info = image.info.describing(entry.metadata.original)
            report(.diskHit(isStale: false), load)
            return LoadedImage(
                image: image, source: .disk, details: ImageDetails(entry), originalInfo: image.info,
                expiry: load.request.expiry, origin: load.origin)
        } catch let error as ImagingError where error.isFault(of: entry.data) {
            report(.removedUndecodable(key: key, error), load)
            staged?.stage(.remove, for: key, origin: load.origin)
            return nil
        } catch {
            return nil
        }
    }
}

extension ImageInfo {
    /// The facts of a stored result with those of the image that it was made from in their place.
    fileprivate func describing(_ original: CacheEntryMetadata.Original?) -> ImageInfo {
        guard let original, let format = ImageFormat(rawValue: original.format) else { return self }
        var info = self
        info.format = format
        info.mimeType = format.mimeType
        info.storedSize = PixelSize(width: original.width, height: original.height)
        return info
    }
}

extension ImageProcessor {
    /// The image with the processor run over its pixels, those of its frames too, which are processed when they are
    /// asked for.
    func processed(_ image: DecodedImage) throws -> DecodedImage {
        var result = image
        do {
            result.bitmap = try process(image.bitmap)
        } catch let error as ImagingError {
            throw error
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw PipelineError.processorFailed(identifier: identifier, error)
        }
        result.animation = image.animation?.processed(by: self, like: result.bitmap)
        return result
    }
}
