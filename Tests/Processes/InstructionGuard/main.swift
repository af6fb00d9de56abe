import Foundation

// usage: InstructionGuard check FILE     counts every hot path and compares with FILE; status 1: one differs by 5 % or more
//        InstructionGuard record FILE    counts and writes FILE
//        InstructionGuard run NUMBER COUNT   what valgrind runs
let arguments = CommandLine.arguments
do {
    switch arguments.dropFirst().first {
    case "run" where arguments.count == 4:
        guard let number = Int(arguments[2]), let count = Int(arguments[3]), HotPath.all.indices.contains(number) else {
            exit(2)
        }
        let body = try HotPath.all[number].prepare()
        for _ in 0..<count { try body() }
        // Pools and caches are not torn down: that would be counted too.
        _exit(0)
    case "record" where arguments.count == 3: try record(arguments[2])
    case "check" where arguments.count == 3: exit(try check(arguments[2]) ? 0 : 1)
    default:
        FileHandle.standardError.write(Data("usage: InstructionGuard check|record FILE\n".utf8))
        exit(2)
    }
} catch {
    FileHandle.standardError.write(Data("InstructionGuard: \(error)\n".utf8))
    exit(1)
}

/// Instructions of one run: those of twice as many runs less those of the runs, so that the start costs nothing.
func instructions(of number: Int) throws -> Int {
    let count = HotPath.all[number].count
    return (try total(number, count * 2) - total(number, count)) / count
}

func total(_ number: Int, _ count: Int) throws -> Int {
    var environment = ProcessInfo.processInfo.environment
    // Hash tables fill in the same order in every process then.
    environment["SWIFT_DETERMINISTIC_HASHING"] = "1"
    let text = try Recording.output(
        [
            "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", arguments[0], "run", String(number),
            String(count),
        ], environment: environment, errors: true)
    guard let line = text.split(separator: "\n").last(where: { $0.contains("Collected :") }),
        let value = line.split(separator: " ").last.flatMap({ Int($0) })
    else { throw GuardError("valgrind did not say how many instructions:\n\(text.suffix(1000))") }
    return value
}

func record(_ file: String) throws {
    var recording = try Recording.surroundings()
    for (number, path) in HotPath.all.enumerated() {
        recording.instructions[path.name] = try instructions(of: number)
        print("\(path.name): \(recording.instructions[path.name] ?? 0)")
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try (encoder.encode(recording) + Data("\n".utf8)).write(to: URL(fileURLWithPath: file))
}

func check(_ file: String) throws -> Bool {
    let recorded = try JSONDecoder().decode(Recording.self, from: Data(contentsOf: URL(fileURLWithPath: file)))
    let differences = try Recording.surroundings().differences(from: recorded)
    for difference in differences { print("guard: \(difference)") }
    var misses = 0
    print("instructions of one run     recorded          now   change")
    for (number, path) in HotPath.all.enumerated() {
        let now = try instructions(of: number)
        guard let before = recorded.instructions[path.name], before > 0 else {
            print("\(path.name): \(now), not recorded")
            misses += 1
            continue
        }
        let tenths = Int((Double(now - before) / Double(before) * 1000).rounded())
        let isMiss = abs(tenths) > 50
        if isMiss { misses += 1 }
        func cell(_ value: String, _ width: Int) -> String {
            String(repeating: " ", count: max(0, width - value.count)) + value
        }
        let change = "\(tenths < 0 ? "-" : "+")\(abs(tenths) / 10).\(abs(tenths) % 10) %"
        print(
            "\(path.name)\n" + cell("\(before)", 36) + cell("\(now)", 13) + cell(change, 9)
                + (isMiss ? "   OUT OF BOUNDS" : ""))
    }
    guard misses > 0 else { return true }
    if differences.isEmpty {
        print(
            "guard: \(misses) paths differ by more than 5 %; if that is meant: make guard UPDATE=1, and say why in the change"
        )
        return false
    }
    // Another compiler or library makes other code of the same source: that is no fault of this change.
    print("guard: \(misses) paths differ by more than 5 %, but the surroundings are not those of the recording")
    return true
}
