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
                    var request = ImageRequest("http://127.0.0.1:\(origin.port)\(app.icon)")
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

/// The output of the demo, and its check of the counts.
enum DemoReport {
    static func table(_ pass: DemoPass) -> String {
        var lines = ["Pass \(pass.number): \(pass.title)"]
        let cells = pass.rows.map(cell)
        let half = (cells.count + 1) / 2
        for index in 0..<half {
            let right = index + half < cells.count ? cells[index + half] : ""
            lines.append("  " + padded(cells[index], 56) + right)
        }
        let sources = [("network", pass.count(.network)), ("disk", pass.count(.disk)), ("memory", pass.count(.memory))]
            .filter { $0.1 > 0 }.map { "\($0.1) from \($0.0)" }.joined(separator: ", ")
        lines.append(
            "  \(pass.rows.count) rows, \(pass.requestCount) requests to the server; \(sources), "
                + "\(pass.failures.count) failed; \(Quantity.bytes(pass.byteCount)); "
                + "median \(Quantity.seconds(pass.median)), worst \(Quantity.seconds(pass.worst))")
        return lines.joined(separator: "\n") + "\n"
    }

    private static func cell(_ row: DemoPass.Row) -> String {
        switch row.result {
        case .success(let response):
            return padded(row.app.name, 18) + padded(response.format.rawValue, 6)
                + padded(response.source.rawValue, 9) + padded(Quantity.bytes(response.byteCount), 9, right: true)
                + padded(Quantity.seconds(row.seconds), 10, right: true)
        case .failure(let problem):
            return padded(row.app.name, 18) + padded("-", 6) + padded(problem.code, 18)
                + padded(Quantity.seconds(row.seconds), 10, right: true)
        }
    }

    private static func padded(_ text: String, _ width: Int, right: Bool = false) -> String {
        let space = String(repeating: " ", count: max(right ? 0 : 1, width - text.count))
        return right ? space + text : text + space
    }

    static func json(_ pass: DemoPass) -> JSONOutput {
        [
            "event": "pass", "pass": .integer(pass.number), "rows": .integer(pass.rows.count),
            "requests": .integer(pass.requestCount), "network": .integer(pass.count(.network)),
            "disk": .integer(pass.count(.disk)), "memory": .integer(pass.count(.memory)),
            "failed": .integer(pass.failures.count), "bytes": .integer(pass.byteCount),
            "medianSeconds": .double(pass.median), "worstSeconds": .double(pass.worst),
            "images": .array(
                pass.rows.map { row in
                    switch row.result {
                    case .success(let response):
                        [
                            "name": .string(row.app.name), "source": .string(response.source.rawValue),
                            "format": .string(response.format.rawValue), "bytes": .integer(response.byteCount),
                            "seconds": .double(row.seconds),
                        ]
                    case .failure(let problem): ["name": .string(row.app.name), "error": problem.json]
                    }
                }),
        ]
    }

    /// Returns the violations of what the demo promises; empty if there are none.
    ///
    /// Each distinct icon is requested once, in the first pass; the second pass loads from disk and the third from memory;
    /// only the icon that does not exist fails.
    static func faults(_ passes: [DemoPass], missing: Set<String>) -> [String] {
        guard passes.count == 3 else { return ["there were \(passes.count) passes and not 3"] }
        var faults: [String] = []
        for (path, count) in passes[0].requests.sorted(by: { $0.key < $1.key }) where count != 1 {
            faults.append("\(path) was requested \(count) times in the first pass")
        }
        let wanted = Set(passes[0].rows.map(\.app.icon))
        for path in wanted.subtracting(passes[0].requests.keys).sorted() {
            faults.append("\(path) was not requested")
        }
        for pass in passes {
            let failed = Set(pass.failures.map(\.app.icon))
            if failed != missing {
                faults.append("pass \(pass.number): these icons failed: \(failed.sorted().joined(separator: ", "))")
            }
        }
        for pass in passes.dropFirst() where pass.requestCount > 0 {
            faults.append("pass \(pass.number): \(pass.requestCount) requests to the server instead of none")
        }
        // A row may find in memory what another row of the same pass has just stored.
        if passes[0].count(.network) == 0 || passes[0].count(.disk) > 0 { faults.append("pass 1 was not cold") }
        if passes[1].count(.disk) == 0 || passes[1].count(.network) > 0 {
            faults.append("pass 2 did not come from disk")
        }
        if passes[2].count(.memory) != passes[2].responses.count { faults.append("pass 3 did not come from memory") }
        return faults
    }
}
