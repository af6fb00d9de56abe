import Foundation

/// One subject to measure: a name for the command line and what it runs. One file for each.
struct Subject: Sendable {
    var name: String
    var summary: String
    var run: @Sendable (inout Measurement) throws -> Void
}

let subjects: [Subject] = [.resize, .processors, .download, .pipeline, .memory, .hitRatio, .disk]

var measurement = Measurement()
var wanted: [String] = []
var arguments = CommandLine.arguments.dropFirst()
while let argument = arguments.popFirst() {
    switch argument {
    case "--seconds":
        measurement.secondsForCase = arguments.popFirst().flatMap(Double.init) ?? measurement.secondsForCase
    case "--only":
        measurement.filter = arguments.popFirst() ?? ""
    case "--traces":
        measurement.traces = arguments.popFirst()
    case "--folder":
        measurement.folder = arguments.popFirst()
    default:
        wanted.append(argument)
    }
}
guard !wanted.isEmpty, wanted.allSatisfy({ name in subjects.contains { $0.name == name } }) else {
    print("usage: tintype-bench [--seconds S] [--only TEXT] [--traces FOLDER] [--folder FOLDER] SUBJECT…\n")
    for subject in subjects { print("  \(subject.name)  \(subject.summary)") }
    exit(wanted.isEmpty ? 0 : 2)
}
for subject in subjects where wanted.contains(subject.name) {
    measurement.subject = subject.name
    try subject.run(&measurement)
}
