import Tintype

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
        .object([
            ("event", .string("pass")), ("pass", .integer(pass.number)), ("rows", .integer(pass.rows.count)),
            ("requests", .integer(pass.requestCount)), ("network", .integer(pass.count(.network))),
            ("disk", .integer(pass.count(.disk))), ("memory", .integer(pass.count(.memory))),
            ("failed", .integer(pass.failures.count)), ("bytes", .integer(pass.byteCount)),
            ("medianSeconds", .double(pass.median)), ("worstSeconds", .double(pass.worst)),
            (
                "images",
                .array(
                    pass.rows.map { row in
                        switch row.result {
                        case .success(let response):
                            .object([
                                ("name", .string(row.app.name)), ("source", .string(response.source.rawValue)),
                                ("format", .string(response.format.rawValue)), ("bytes", .integer(response.byteCount)),
                                ("seconds", .double(row.seconds)),
                            ])
                        case .failure(let problem): .object([("name", .string(row.app.name)), ("error", problem.json)])
                        }
                    })
            ),
        ])
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
