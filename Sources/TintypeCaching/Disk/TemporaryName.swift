import CSystemShim
import TintypeBase

/// Names of temporary files: `namespace-process-start-instance-number`, where the first is the PID namespace and the
/// third the start time of the process, so that a recycled process number is not taken for the writer.
enum TemporaryName {
    static var prefix: String { own + "-" }

    private static let own: String = {
        let process = getpid()
        return "\(processNamespace)-\(process)-\(startTime(of: process) ?? 0)-\(instance)"
    }()

    /// Distinguishes a forked child, or a library that is loaded twice, in one process.
    private static let instance = UInt32.random(in: .min ... .max)

    /// The number of the PID namespace; 0 if it cannot be read.
    static let processNamespace: UInt64 = {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            guard let base = buffer.baseAddress else { return 0 }
            let count = readlink("/proc/self/ns/pid", base, 63)
            guard count > 0 else { return 0 }
            // "pid:[4026531836]"
            return UInt64(
                String(
                    decoding: buffer.prefix(count).compactMap { $0 >= 48 && $0 <= 57 ? UInt8($0) : nil }, as: UTF8.self)
            ) ?? 0
        }
    }()

    /// Returns the start time of a process in clock ticks since the start of the system; nil if there is no such process.
    static func startTime(of process: Int32) -> UInt64? {
        let file = open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 1) { buffer in
            let count = ct_read(file, buffer.baseAddress, buffer.count)
            guard count > 0 else { return nil }
            // The second field is the name in parentheses, which may hold any byte; field 22 is counted after it.
            let text = buffer.prefix(count)
            guard let end = text.lastIndex(of: UInt8(ascii: ")")) else { return nil }
            let fields = text[text.index(after: end)...].split(separator: UInt8(ascii: " "))
            guard fields.count > 19 else { return nil }
            return UInt64(String(decoding: fields[19], as: UTF8.self))
        }
    }

    /// Returns whether the writer of a file has ended. For processes that are not visible (another container or machine) a
    /// day without a change counts.
    static func isAbandoned(_ name: String, status: ct_file_status?) -> Bool {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        if parts.count == 5, let namespace = UInt64(parts[0]), let process = Int32(parts[1]),
            let start = UInt64(parts[2]),
            namespace == processNamespace, namespace != 0
        {
            return startTime(of: process) != start
        }
        guard let status else { return false }
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) - status.modified / 1_000_000_000 > 24 * 60 * 60
    }
}
