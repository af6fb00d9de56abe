import Foundation
import TintypeImaging

extension Job {
    static let isolation: [Job] = [
        Job(name: "isolation", by: "tintype", prepare: isolated),
        Job(name: "cold-worker", by: "tintype", prepare: cold),
    ]

    private static func codecs(_ isolation: DecodeIsolation) -> ImageCodecs {
        var codecs = ImageCodecs.standard
        codecs.isolation = isolation
        return codecs
    }

    private static func options(_ parameters: Parameters) -> DecodeOptions {
        var options = DecodeOptions()
        if let width = parameters.optionalNumber("width"), let height = parameters.optionalNumber("height") {
            options.target = ResizeTarget(width: width, height: height)
        }
        return options
    }

    /// Decodes `file` in this process and in a worker by turns, `threads` at once. The figures are the time that the
    /// worker adds, and the time in a worker in proportion.
    private static func isolated(_ parameters: Parameters) throws -> Work {
        let data = try parameters.data("file")
        let options = options(parameters)
        let threads = parameters.optionalNumber("threads") ?? 1
        let (here, there) = (codecs(.none), codecs(.all))
        func seconds(_ codecs: ImageCodecs) throws -> Double {
            try Cost.of {
                guard threads > 1 else {
                    _ = try codecs.decode(data, options: options)
                    return
                }
                DispatchQueue.concurrentPerform(iterations: threads) { _ in
                    for _ in 0..<10 { _ = try? codecs.decode(data, options: options) }
                }
            }.wall
        }
        _ = try (seconds(here), seconds(there))
        return .withFigures {
            var times: [(here: Double, there: Double)] = []
            for _ in 0..<51 { times.append((try seconds(here), try seconds(there))) }
            let (a, b) = (times.map(\.here).sorted()[25], times.map(\.there).sorted()[25])
            return ["wall": b, "extra": b - a, "ratio": b / a, "worker_memory": workerMemory()]
        }
    }

    /// The first decode with a worker that has to be started.
    private static func cold(_ parameters: Parameters) throws -> Work {
        let data = try parameters.data("file")
        let options = options(parameters)
        var isolation = DecodeIsolation.all
        return Work {
            // Workers are kept for each limit: a new one has none.
            isolation.maximumMemoryByteCount -= 1
            _ = try codecs(isolation).decode(data, options: options)
        }
    }

    /// The private memory of the largest worker, in bytes; 0 where it cannot be read.
    private static func workerMemory() -> Double {
        let parent = "PPid:\t\(ProcessInfo.processInfo.processIdentifier)\n"
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return entries.filter { Int($0) != nil }.map { entry -> Double in
            guard let status = try? String(contentsOfFile: "/proc/\(entry)/status", encoding: .utf8),
                status.contains(parent),
                let rollup = try? String(contentsOfFile: "/proc/\(entry)/smaps_rollup", encoding: .utf8)
            else { return 0 }
            return rollup.split(separator: "\n").filter { $0.hasPrefix("Private_") }
                .compactMap { $0.split(separator: " ").dropFirst().first.flatMap { Double($0) } }
                .reduce(0, +) * 1024
        }.max() ?? 0
    }
}
