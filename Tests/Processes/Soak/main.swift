import Foundation
import Tintype
import TintypeBase

// usage: Soak run MINUTES                       the stress test; exit status 0: success, 1: failure
//        Soak stores COUNT…                     memory while processed images are stored, after each count of loads
//        Soak origin                            the bad origin, until the input ends
//        Soak loader ROOT HTTP HTTPS CA SEED slow|quick   loads in ROOT until it is killed; 3: failure
// TINTYPE_SEED repeats the choices of a run; TINTYPE_SOAK_LEAK=fd|thread|memory|temporary|pixels makes a run that must fail.
signal(SIGPIPE, SIG_IGN)
let arguments = CommandLine.arguments
let environment = ProcessInfo.processInfo.environment
do {
    switch arguments.dropFirst().first {
    case "run" where arguments.count == 3:
        guard let minutes = Double(arguments[2]), minutes > 0 else { exit(2) }
        let seed = environment["TINTYPE_SEED"].flatMap(UInt64.init) ?? .random(in: 0..<1_000_000)
        let run = SoakRun(minutes: minutes, seed: seed, leak: environment["TINTYPE_SOAK_LEAK"] ?? "")
        exit(try await run.run() ? 0 : 1)
    case "stores" where arguments.count > 2:
        try await StoreCurve.run(counts: arguments.dropFirst(2).compactMap { Int($0) })
    case "origin": try SoakRole.origin()
    case "loader" where arguments.count == 8:
        try SoakRole.loader(
            root: URL(fileURLWithPath: arguments[2]),
            addresses: .init(http: arguments[3], https: arguments[4], authority: arguments[5]),
            seed: UInt64(arguments[6]) ?? 0, includesSlow: arguments[7] == "slow")
    default:
        FileHandle.standardError.write(Data("usage: Soak run MINUTES\n".utf8))
        exit(2)
    }
} catch {
    FileHandle.standardError.write(Data("Soak: \(error)\n".utf8))
    exit(1)
}
