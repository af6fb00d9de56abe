import Foundation

// tintype-bench JOB CONTENDER [KEY=VALUE]…
//
// Makes the job ready, says {"ready":true}, and then takes turns: each line on standard input is a number of seconds, for
// which the job is repeated (at least once); the output is one line of JSON with the means of that round. The end of the
// input ends the process. `peers/` speak the same way, so that Benchmarks/bench can let them alternate.

let jobs =
    Job.stills + Job.pixels + Job.animation + Job.memory + Job.hitRatio + Job.disk + Job.download + Job.pipeline
    + Job.json

func reply(_ object: [String: Any]) throws {
    var line = try JSONSerialization.data(withJSONObject: object)
    line.append(10)
    FileHandle.standardOutput.write(line)
}

func takeTurns(_ work: Work) throws {
    let baseline = ResidentMemory.bytes
    ResidentMemory.resetPeak()
    try reply(["ready": true])
    while let seconds = readLine().flatMap({ Double($0) }) {
        var (runs, total, figures) = (0, Cost(), [String: Double]())
        repeat {
            var cost = try Cost.of { figures = try work.run() }
            if let wall = figures.removeValue(forKey: "wall") { cost.wall = wall }
            if let cpu = figures.removeValue(forKey: "cpu") { cost.cpu = cpu }
            total += cost
            runs += 1
        } while total.wall < seconds
        let operations = Double(runs * work.operations)
        try reply([
            "runs": runs, "wall": total.wall / operations, "cpu": total.cpu / operations,
            "peak": ResidentMemory.peakBytes - baseline, "figures": figures,
        ])
    }
}

var parameters = Parameters()
let arguments = CommandLine.arguments.dropFirst()
for argument in arguments.dropFirst(2) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    parameters.values[parts[0]] = parts.count > 1 ? parts[1] : ""
}
guard arguments.count >= 2,
    let job = jobs.first(where: { $0.name == arguments[1] && $0.by == arguments[2] })
else {
    print("usage: tintype-bench JOB CONTENDER [KEY=VALUE]…\n")
    for job in jobs { print("  \(job.name) \(job.by)") }
    exit(2)
}
do {
    try takeTurns(try job.prepare(parameters))
} catch {
    try reply(["error": "\(error)"])
    exit(1)
}
