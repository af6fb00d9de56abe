import Foundation
import Tintype
import TintypeBase
import TintypeResponses

/// Makes calls of every kind, one after the other, and checks how each of them ends.
struct LoadMix: Sendable {
    /// Where the bad origin listens.
    struct Addresses: Sendable {
        var http: String
        var https: String
        var authority: String
    }

    let pipeline: ImagePipeline
    let responses: ResponseCache
    let addresses: Addresses
    let counts: SoakCounts
    /// Counts the begins and the ends of cancelling everything, so it is odd meanwhile: a call that begins then, or sees the
    /// number change, may end as cancelled.
    let mayCancel: @Sendable () -> Int
    /// True: treatments that take long (stalls) come as often as the others; the kill test has no time for them.
    let includesSlow: Bool

    private struct Call {
        var request: ImageRequest
        var image: SoakImage
        var treatment: Treatment
        var what: String
        var allowed: Set<String>
        var isSwapped = false
        var isResized = false
        var cancelAfter: Int?
    }

    /// One call, from start to checked end.
    func run(_ random: inout SoakRandom) async {
        switch Int.random(in: 0..<20, using: &random) {
        case 0, 1: await loadJSON(&random)
        case 2: await loadData(&random)
        case 3: await prefetch(&random)
        default: await loadImage(&random)
        }
    }

    private func call(_ random: inout SoakRandom) -> Call {
        var treatment = Treatment.allCases.randomElement(using: &random) ?? .ok
        // Half of the calls are for valid images, so that the caches are used.
        if Bool.random(using: &random) {
            treatment = [.ok, .validated, .redirect].randomElement(using: &random) ?? .ok
        }
        if treatment.isSlow, !includesSlow || Int.random(in: 0..<4, using: &random) > 0 {
            treatment = .ok
        }
        // Some images are requested often, most of them rarely; otherwise there would be no cache hits.
        let share = Double.random(in: 0..<1, using: &random)
        let image = SoakImage(
            number: Int(share * share * share * Double(SoakImage.count)),
            fileExtension: SoakImage.extensions.randomElement(using: &random) ?? "png")
        var isSecure = Int.random(in: 0..<5, using: &random) == 0
        if addresses.https.isEmpty { isSecure = false }
        let path = "/\(treatment.rawValue)/\(image.name)"
        var call = Call(
            request: ImageRequest((isSecure ? addresses.https : addresses.http) + path), image: image,
            treatment: treatment, what: treatment.rawValue, allowed: treatment.codes)
        if isSecure {
            if Int.random(in: 0..<3, using: &random) == 0 {
                // The authority is not known to the system. A cache may still have the image.
                call.what = "tls"
                call.allowed.formUnion(["tlsFailed"])
            } else {
                call.request.network.certificateAuthorityFile = addresses.authority
            }
        }
        if treatment.isSlow {
            call.request.network.timeouts = Timeouts(
                connect: .seconds(20), idle: .milliseconds(300), total: .seconds(60))
        }
        choose(&call, treatment, &random)
        return call
    }

    private func choose(_ call: inout Call, _ treatment: Treatment, _ random: inout SoakRandom) {
        let options: [ImageOptions] = [
            [], [], [], .retryFailed, .refreshCached, .fromLoaderOnly, .skipDisk, .skipMemory, .cacheMemoryOnly,
            .waitForStore, .progressive, .preloadAllFrames, .firstFrameOnly, .fromCacheOnly,
        ]
        call.request.options = options.randomElement(using: &random) ?? []
        call.request.priority = ImagePriority.allCases.randomElement(using: &random) ?? .normal
        if call.request.options.contains(.fromCacheOnly) { call.allowed.insert("notInCache") }
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 3, 4:
            call.request.processors = [SwapProcessor()]
            call.request.options.insert(.transformAnimatedImages)
            call.request.dataCachePolicy = [.original, .automatic, .processed, .both].randomElement(using: &random)
            // What a processed JPEG loses on its way through the disk is not this test's matter.
            if call.image.fileExtension == "png" { call.isSwapped = true } else { call.request.processors = [] }
        case 1:
            call.request.target = ResizeTarget(width: 12, height: 10)
            call.isResized = true
        case 2 where treatment.isBad && !treatment.isSlow && call.what != "tls":
            // (The short deadline of a stall would hold for the alternative too.)
            call.request.alternatives = ["\(addresses.http)/ok/\(call.image.name)"]
            call.allowed = [""]
            call.what = "alternative"
            if call.request.options.contains(.fromCacheOnly) { call.allowed.insert("notInCache") }
        default: break
        }
        if Int.random(in: 0..<8, using: &random) == 0 {
            call.cancelAfter = Bool.random(using: &random) ? 0 : Int.random(in: 0..<30_000, using: &random)
            call.allowed.insert("cancelled")
        }
    }

    private func finish(_ call: Call, _ before: Int, _ result: Result<ImageResponse, any Error>) {
        switch result {
        case .success(let response):
            counts.end(call.what, code: "", source: response.source.rawValue)
            judge(call, before, "")
            do {
                counts.check(
                    fault: try call.image.fault(
                        of: response.image, isResized: call.isResized, isSwapped: call.isSwapped))
            } catch {
                counts.add(fault: "\(call.image.name): \(error)")
            }
        case .failure(let error):
            let code = PipelineError.code(of: error)
            counts.end(call.what, code: code)
            judge(call, before, code, error)
        }
    }

    private func judge(_ call: Call, _ before: Int, _ code: String, _ error: (any Error)? = nil) {
        let isCancelled = code == "cancelled" && (before % 2 == 1 || mayCancel() != before)
        if call.allowed.contains(code) || isCancelled { return }
        counts.add(
            fault: "\(call.what) \(call.request.source.name) ended with \"\(code)\" \(error.map { "\($0)" } ?? "")")
    }

    private func loadImage(_ random: inout SoakRandom) async {
        let call = call(&random)
        let before = mayCancel()
        counts.start()
        if let image = pipeline.cachedImage(for: call.request) {
            do {
                counts.check(
                    fault: try call.image.fault(of: image, isResized: call.isResized, isSwapped: call.isSwapped))
            } catch { counts.add(fault: "\(error)") }
        }
        switch Int.random(in: 0..<3, using: &random) {
        case 0: finish(call, before, await calledBack(call))
        case 1: finish(call, before, await streamed(call))
        default: finish(call, before, await awaited(call))
        }
    }

    private func cancelLater(_ call: Call, _ cancel: @escaping @Sendable () -> Void) {
        guard let delay = call.cancelAfter else { return }
        if delay == 0 { return cancel() }
        Task {
            try? await Task.sleep(for: .microseconds(delay))
            cancel()
        }
    }

    /// The callback form: everything after the first end counts as an end too many.
    private func calledBack(_ call: Call) async -> Result<ImageResponse, any Error> {
        let hasEnded = Locked(false)
        return await withCheckedContinuation { continuation in
            let task = pipeline.loadImage(with: call.request) { result in
                let isFirst = hasEnded.withLock { ended in
                    defer { ended = true }
                    return !ended
                }
                if isFirst { continuation.resume(returning: result) } else { counts.endAgain() }
            }
            cancelLater(call) { task.cancel() }
        }
    }

    /// The task form, its streams read to their ends.
    private func streamed(_ call: Call) async -> Result<ImageResponse, any Error> {
        let task = pipeline.imageTask(with: call.request)
        cancelLater(call) { task.cancel() }
        async let progress: Int = task.progress.reduce(into: 0) { count, _ in count += 1 }
        async let previews: Int = task.previews.reduce(into: 0) { count, _ in count += 1 }
        var last: ImageResponse?
        do {
            for try await response in task.responses { last = response }
            _ = await (progress, previews)
            guard let last else { throw SoakError("a load without a response") }
            return .success(last)
        } catch {
            _ = await (progress, previews)
            return .failure(error)
        }
    }

    private func awaited(_ call: Call) async -> Result<ImageResponse, any Error> {
        let pipeline = pipeline
        let task = Task { try await pipeline.response(for: call.request) }
        cancelLater(call) { task.cancel() }
        return await task.result
    }

    private func loadData(_ random: inout SoakRandom) async {
        var call = call(&random)
        call.request.processors = []
        let before = mayCancel()
        counts.start()
        let (pipeline, request) = (pipeline, call.request)
        let task = Task { try await pipeline.data(for: request) }
        cancelLater(call) { task.cancel() }
        switch await task.result {
        case .success(let response):
            counts.end("data", code: "", source: response.source.rawValue)
            // `junk` is given as it came, and asks no alternative; it is no image, and not stored.
            if call.treatment == .junk { return }
            judge(call, before, "")
            do {
                counts.check(fault: try call.image.fault(of: ImageCodecs.standard.decode(response.data)))
            } catch {
                counts.add(fault: "the data of \(call.request.source.name): \(error)")
            }
        case .failure(let error):
            let code = PipelineError.code(of: error)
            counts.end("data", code: code)
            judge(call, before, code, error)
        }
    }

    private func prefetch(_ random: inout SoakRandom) async {
        let calls = (0..<3).map { _ in call(&random) }
        counts.start()
        let prefetcher = ImagePrefetcher(pipeline: pipeline)
        let summary = await prefetcher.prefetch(calls.map(\.request))
        counts.end("prefetch", code: "")
        if summary.finished != calls.count || summary.total != calls.count {
            counts.add(fault: "a prefetch of \(calls.count) ended with \(summary)")
        }
    }

    private func loadJSON(_ random: inout SoakRandom) async {
        let name = String(Int.random(in: 0..<200, using: &random))
        let policies: [ResponsePolicy] = [.cacheFirst, .networkFirst, .staleWhileRevalidate]
        let policy = policies.randomElement(using: &random) ?? .cacheFirst
        counts.start()
        do {
            let response = try await responses.response(
                for: ResponseRequest("\(addresses.http)/json/\(name)"), policy: policy)
            counts.end("json", code: "", source: response.source.rawValue)
            counts.check(fault: response.data == BadOrigin.json(named: name) ? nil : "wrong JSON for \(name)")
        } catch {
            counts.end("json", code: PipelineError.code(of: error))
            counts.add(fault: "json \(name): \(error)")
        }
    }
}
