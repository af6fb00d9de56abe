import Foundation
import Tintype
import TintypeBase

#if canImport(Glibc)
    import Glibc
#endif

/// Further processes of a run: this executable in other roles.
final class SoakChild: Sendable {
    let process: pid_t
    /// What the child reads and writes; -1 without.
    private let input: Int32
    let output: Int32

    static var path: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    }

    /// - Parameter executable: the Soak executable.
    init(_ arguments: [String], executable: String = SoakChild.path) throws {
        var environment = ProcessInfo.processInfo.environment
        // A crashing child must not sit in the backtracer.
        environment["SWIFT_BACKTRACE"] = "enable=no"
        // Children leave in the middle of their work: what their threads hold then is no leak.
        environment["ASAN_OPTIONS"] = (environment["ASAN_OPTIONS"] ?? "") + ":detect_leaks=0"
        var toChild: [Int32] = [-1, -1]
        var fromChild: [Int32] = [-1, -1]
        guard pipe(&toChild) == 0, pipe(&fromChild) == 0 else { throw SoakError("pipe: \(errno)") }
        for file in toChild + fromChild { _ = fcntl(file, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
        posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var process = pid_t()
        let argv = ([executable] + arguments).map { strdup($0) } + [nil]
        let envp = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        let code = posix_spawn(&process, executable, &actions, nil, argv, envp)
        close(toChild[0])
        close(fromChild[1])
        (input, output, self.process) = (toChild[1], fromChild[0], process)
        guard code == 0 else { throw SoakError("\(executable) cannot be started: \(code)") }
    }

    deinit {
        close(input)
        close(output)
    }

    /// One line of the child's output; blocks. Nil at its end.
    func line() -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while read(output, &byte, 1) == 1 {
            if byte == 10 { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    func kill() { _ = Foundation.kill(process, SIGKILL) }

    /// Exit status, or minus the signal. To be called once.
    func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return signal != 0 ? -signal : (status >> 8) & 0xFF
    }
}

/// What the children do.
enum SoakRole {
    /// Serves until its input ends: prints its addresses in one line.
    static func origin() throws -> Never {
        let origin = try BadOrigin()
        print(
            [origin.http.baseURL, origin.https?.baseURL ?? "", origin.certificates?.authority ?? ""].joined(
                separator: " "))
        fflush(nil)
        waitForEndOfInput()
        withExtendedLifetime(origin) { exit(0) }
    }

    /// Loads through a pipeline of its own in a folder that others use too, until it is killed or its input ends.
    /// Exits with 3 at the first wrong pixel or wrong end. Prints a line when its first call has ended.
    static func loader(root: URL, addresses: LoadMix.Addresses, seed: UInt64, includesSlow: Bool) throws -> Never {
        let rig = try SoakRig(root: root, addresses: addresses, includesSlow: includesSlow)
        startDetachedThread(name: "input", stackSize: 256 << 10) {
            waitForEndOfInput()
            _exit(rig.counts.values.faultCount == 0 ? 0 : 3)
        }
        let hasSpoken = Locked(false)
        Task.detached {
            await withTaskGroup(of: Void.self) { group in
                for worker in 0..<8 {
                    group.addTask {
                        var random = SoakRandom(state: seed &+ UInt64(worker) &* 1000)
                        while true {
                            await rig.mix.run(&random)
                            let faults = rig.counts.values.faults
                            if let fault = faults.first {
                                FileHandle.standardError.write(Data("loader: \(fault)\n".utf8))
                                _exit(3)
                            }
                            let isFirst = hasSpoken.withLock { spoken in
                                defer { spoken = true }
                                return !spoken
                            }
                            if isFirst { write(1, "\n", 1) }
                        }
                    }
                }
                group.addTask {
                    var random = SoakRandom(state: seed)
                    while true {
                        try? await Task.sleep(for: .milliseconds(Int.random(in: 10...200, using: &random)))
                        await rig.disturb(&random)
                    }
                }
            }
        }
        while true { pause() }
    }

    private static func waitForEndOfInput() {
        var byte: UInt8 = 0
        while read(0, &byte, 1) > 0 {}
    }
}
