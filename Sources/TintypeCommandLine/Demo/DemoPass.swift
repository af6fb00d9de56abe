import Tintype
import TintypeBase
import TintypeDemo

/// One pass over all rows of the demo, and its results.
struct DemoPass: Sendable {
    struct Row: Sendable {
        let app: DemoApp
        let result: Result<ImageResponse, Problem>
        let seconds: Double
    }

    let number: Int
    let title: String
    let rows: [Row]
    /// The requests of this pass by path.
    let requests: [String: Int]

    var requestCount: Int { requests.values.reduce(0, +) }
    var failures: [Row] { rows.filter { if case .failure = $0.result { true } else { false } } }
    var responses: [ImageResponse] {
        rows.compactMap { row in if case .success(let response) = row.result { response } else { nil } }
    }
    func count(_ source: ImageResponse.Source) -> Int { responses.count { $0.source == source } }
    var byteCount: Int { responses.reduce(0) { $0 + $1.byteCount } }
    var worst: Double { rows.map(\.seconds).max() ?? 0 }

    var median: Double {
        let sorted = rows.map(\.seconds).sorted()
        guard !sorted.isEmpty else { return 0 }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    /// Loads all rows at once, like a list that has just become visible.
    static func run(
        _ number: Int, _ title: String, apps: [DemoApp], origin: DemoOrigin, pipeline: ImagePipeline, console: Console
    ) async -> DemoPass {
        let before = origin.requestCounts
        let bar = Locked((ProgressBar(console), 0))
        let rows = await withTaskGroup(of: (Int, Row).self) { group in
            for (index, app) in apps.enumerated() {
                group.addTask {
                    var request = ImageRequest(string: "http://127.0.0.1:\(origin.port)\(app.icon)")
                    request.target = ResizeTarget(width: ContactSheet.iconSide, height: ContactSheet.iconSide)
                    request.options = [.firstFrameOnly]
                    let start = ContinuousClock.now
                    let result: Result<ImageResponse, Problem>
                    do {
                        result = .success(try await pipeline.response(for: request))
                    } catch {
                        result = .failure(Problem(error, source: app.icon))
                    }
                    return (index, Row(app: app, result: result, seconds: start.duration(to: .now).inSeconds))
                }
            }
            var rows: [Int: Row] = [:]
            for await (index, row) in group {
                rows[index] = row
                bar.withLock { $0.0.update(done: rows.count, of: apps.count, bytes: 0) }
            }
            return apps.indices.compactMap { rows[$0] }
        }
        await pipeline.waitUntilIdle()
        bar.withLock { $0.0.clear() }
        let requests = origin.requestCounts.merging(before) { $0 - $1 }.filter { $0.value > 0 }
        return DemoPass(number: number, title: title, rows: rows, requests: requests)
    }
}
