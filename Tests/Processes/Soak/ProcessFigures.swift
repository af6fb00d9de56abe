import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// What this process holds of the system.
struct ProcessFigures: Sendable {
    var residentKilobytes = 0
    var descriptors = 0
    var threads = 0
    var temporaries = 0

    /// - Parameter root: the cache root whose temporary files count.
    static func now(root: URL) -> ProcessFigures {
        let statm = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = Int(statm.split(separator: " ").dropFirst().first ?? "") ?? 0
        return ProcessFigures(
            residentKilobytes: pages * 4, descriptors: openFiles().count,
            threads: list("/proc/self/task").count, temporaries: temporaries(root).count)
    }

    static func temporaries(_ root: URL) -> [String] {
        list(root.path).flatMap { name in list("\(root.path)/\(name)/tmp").map { "\(name)/tmp/\($0)" } }
    }

    /// The highest of both, figure by figure.
    func most(_ other: ProcessFigures) -> ProcessFigures {
        ProcessFigures(
            residentKilobytes: max(residentKilobytes, other.residentKilobytes),
            descriptors: max(descriptors, other.descriptors), threads: max(threads, other.threads),
            temporaries: max(temporaries, other.temporaries))
    }

    /// What the open descriptors lead to, without that of the listing itself and without the timers of Swift's tasks, which
    /// are made for each kind of sleep when it first happens and stay.
    static func openFiles() -> [String] {
        list("/proc/self/fd").compactMap { name in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")).map {
                "\(name): \($0)"
            }
        }.filter { !$0.hasSuffix("/fd") && !$0.hasSuffix("[timerfd]") }
    }

    private static func list(_ path: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    }

    /// Gives free memory back to the system, so that what is counted is what is held.
    static func releaseFreeMemory() {
        // Glibc's own, which its module leaves out; elsewhere there is none.
        guard let symbol = dlsym(nil, "malloc_trim") else { return }
        typealias Trim = @convention(c) (Int) -> Int32
        _ = unsafeBitCast(symbol, to: Trim.self)(0)
    }
}
