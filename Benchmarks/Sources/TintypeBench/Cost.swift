import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// Time and memory of this process.
struct Cost {
    /// Wall-clock seconds.
    var wall = 0.0
    /// Seconds of processor time, of all threads and of the children that ended.
    var cpu = 0.0

    static func now() -> Cost {
        Cost(wall: clock(CLOCK_MONOTONIC), cpu: clock(CLOCK_PROCESS_CPUTIME_ID) + ofChildren())
    }

    static func of(_ body: () throws -> Void) rethrows -> Cost {
        let start = now()
        try body()
        return now() - start
    }

    static func - (left: Cost, right: Cost) -> Cost { Cost(wall: left.wall - right.wall, cpu: left.cpu - right.cpu) }
    static func += (left: inout Cost, right: Cost) {
        left = Cost(wall: left.wall + right.wall, cpu: left.cpu + right.cpu)
    }

    /// As the figures of a run.
    var figures: [String: Double] { ["wall": wall, "cpu": cpu] }

    private static func clock(_ kind: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(kind, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func ofChildren() -> Double {
        var usage = rusage()
        getrusage(Int32(RUSAGE_CHILDREN.rawValue), &usage)
        return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    }
}

/// Resident memory, as the kernel counts it.
enum ResidentMemory {
    static var bytes: Int { status("VmRSS") }
    /// The most there was since `resetPeak`.
    static var peakBytes: Int { status("VmHWM") }

    static func resetPeak() {
        guard let file = fopen("/proc/self/clear_refs", "w") else { return }
        fputs("5", file)
        fclose(file)
    }

    private static func status(_ name: String) -> Int {
        guard let file = fopen("/proc/self/status", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, 256, file) != nil {
            let fields = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self).split {
                $0.isWhitespace || $0 == ":"
            }
            if fields.first.map(String.init) == name, fields.count > 1 { return (Int(fields[1]) ?? 0) * 1024 }
        }
        return 0
    }
}
