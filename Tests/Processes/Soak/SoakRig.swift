import Foundation
import Tintype
import TintypeBase
import TintypeResponses

/// One pipeline with small caches, whose entries change constantly, and the operations that disturb it.
final class SoakRig: Sendable {
    static let diskLimit = 6 << 20

    let root: URL
    let pipeline: ImagePipeline
    let downloader = ImageDownloader()
    let responses: ResponseCache
    let mix: LoadMix
    let counts = SoakCounts()
    let disturbances = Locked<[String: Int]>([:])
    private let cancellations = Locked(0)

    init(root: URL, addresses: LoadMix.Addresses, includesSlow: Bool = true) throws {
        self.root = root
        var configuration = ImagePipeline.Configuration(
            diskCache: try DiskCache(.init(root: root, maximumByteCount: Self.diskLimit)))
        configuration.memoryCache = ImageMemoryCache(.init(costLimit: 4 << 20))
        configuration.failureMemory = .milliseconds(500)
        configuration.failureMemoryCapacity = 100
        configuration.requestDefaults.retry = .none
        // The limits are generous, so that a busy machine does not fail valid loads; stalls have their own limits.
        configuration.requestDefaults.timeouts = Timeouts(
            connect: .seconds(60), idle: .seconds(60), total: .seconds(120))
        configuration.requestDefaults.maximumBodyByteCount = 8 << 20
        configuration.requestDefaults.maximumRedirects = 4
        configuration.progressivePreviewInterval = .zero
        configuration.downloader = downloader
        let pipeline = ImagePipeline(configuration)
        self.pipeline = pipeline
        var responses = ResponseCache.Configuration(root: root, maximumAge: .seconds(1), maximumByteCount: 100_000)
        responses.downloader = downloader
        responses.requestDefaults = configuration.requestDefaults
        self.responses = try ResponseCache(responses)
        let cancellations = cancellations
        mix = LoadMix(
            pipeline: pipeline, responses: self.responses, addresses: addresses, counts: counts,
            mayCancel: { cancellations.withLock { $0 } }, includesSlow: includesSlow)
    }

    /// One operation that a cache or a pipeline must tolerate.
    func disturb(_ random: inout SoakRandom) async {
        let names = [
            "pressure", "full pressure", "memory wipe", "disk wipe", "folder gone", "trim", "remove", "expire",
            "verify",
            "suspend", "cancel all", "responses wipe", "limits",
        ]
        let name = names.randomElement(using: &random) ?? ""
        disturbances.withLock { $0[name, default: 0] += 1 }
        do { try await disturb(name, &random) } catch { counts.add(fault: "\(name): \(error)") }
    }

    private func disturb(_ name: String, _ random: inout SoakRandom) async throws {
        let disk = pipeline.cache.disk
        switch name {
        case "pressure": pipeline.pressureMonitor?.report(.some)
        case "full pressure": pipeline.pressureMonitor?.report(.full)
        case "memory wipe": try await pipeline.cache.removeAll(from: .memory)
        case "disk wipe": try await pipeline.cache.removeAll()
        case "folder gone":
            // As a cleaner of the user's would do it, without asking.
            do { try FileManager.default.removeItem(at: root.appending(path: "default")) } catch {}
        case "trim": try await disk?.trim(toByteCount: Self.diskLimit / 3)
        case "remove":
            let number = Int.random(in: 0..<SoakImage.count, using: &random)
            for end in SoakImage.extensions {
                await pipeline.cache.remove(ImageRequest("\(mix.addresses.http)/ok/\(number).\(end)"))
            }
        case "expire": try await disk?.removeExpired()
        case "verify":
            // What another process has just put in place of another file is no damage.
            _ = try await disk?.verify()
        case "suspend":
            downloader.isSuspended = true
            try await Task.sleep(for: .milliseconds(20))
            downloader.isSuspended = false
        case "cancel all":
            cancellations.withLock { $0 += 1 }
            pipeline.cancelAll()
            cancellations.withLock { $0 += 1 }
        case "responses wipe": try await responses.removeAll()
        default:
            downloader.maximumConcurrentTransfers = Int.random(in: 2...12, using: &random)
            downloader.maximumPerHost = Int.random(in: 2...8, using: &random)
        }
    }
}
