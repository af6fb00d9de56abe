import Foundation

/// The helper process `CacheChild`.
struct Child {
    let process: pid_t

    static var path: String {
        // Beside the test bundle, wherever that was built.
        let own =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        let beside = URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("CacheChild").path
        if FileManager.default.isExecutableFile(atPath: beside) { return beside }
        return URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("CacheChild").path
    }

    init(root: URL, seconds: Double, keys: Int, limit: Int, actions: String) throws {
        var environment = ProcessInfo.processInfo.environment
        // A crashing child must not sit in the backtracer.
        environment["SWIFT_BACKTRACE"] = "enable=no"
        // Children leave in the middle of their work: what their threads hold then is no leak.
        environment["ASAN_OPTIONS"] = (environment["ASAN_OPTIONS"] ?? "") + ":detect_leaks=0"
        let arguments = [Self.path, root.path, "\(seconds)", "\(keys)", "\(limit)", actions]
        var process = pid_t()
        let argv = arguments.map { strdup($0) } + [nil]
        let envp = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        let code = posix_spawn(&process, Self.path, nil, nil, argv, envp)
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
        self.process = process
    }

    func kill() { _ = Foundation.kill(process, SIGKILL) }

    /// Exit status, or minus the signal.
    func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return signal != 0 ? -signal : (status >> 8) & 0xFF
    }
}
