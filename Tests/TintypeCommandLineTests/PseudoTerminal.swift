import Foundation
import Synchronization

/// Runs a program in a pseudo-terminal, types into it and reads the screen.
final class PseudoTerminal: Sendable {
    struct Failure: Error {
        let call: String
        let code: Int32
    }

    private let master: Int32
    private let pid: pid_t
    private let received = Mutex(Data())
    private let isClosed = Mutex(false)

    /// - Parameters:
    ///   - size: in cells; with pixels, if the terminal is one that tells.
    ///   - reply: what the terminal sends back for the output since the last reply; nil for nothing yet.
    init(
        _ program: String, _ arguments: [String], folder: URL, environment: [String: String] = [:],
        size: (columns: UInt16, rows: UInt16, width: UInt16, height: UInt16) = (100, 30, 0, 0),
        reply: (@Sendable (String) -> String?)? = nil
    ) throws {
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        // TIOCSPTLCK and TIOCGPTN of asm-generic/ioctls.h: what unlockpt(3) and ptsname(3) do, which Glibc's module hides.
        var (lock, number): (Int32, UInt32) = (0, 0)
        guard master >= 0, ioctl(master, 0x4004_5431, &lock) == 0, ioctl(master, 0x8004_5430, &number) == 0 else {
            throw Failure(call: "/dev/ptmx", code: errno)
        }
        var cells = winsize(ws_row: size.rows, ws_col: size.columns, ws_xpixel: size.width, ws_ypixel: size.height)
        _ = ioctl(master, UInt(TIOCSWINSZ), &cells)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // The first terminal that a session's leader opens is its controlling one.
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/pts/\(number)", O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, 0, 1)
        posix_spawn_file_actions_adddup2(&actions, 0, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // POSIX_SPAWN_SETSID
        posix_spawnattr_setflags(&attributes, 0x80)
        var variables = ProcessInfo.processInfo.environment
        for name in [
            "NO_COLOR", "TMUX", "KITTY_WINDOW_ID", "TERM_PROGRAM", "TINTYPE_GRAPHICS", "COLUMNS", "LINES",
        ] { variables[name] = nil }
        variables["TERM"] = "xterm-256color"
        variables["XDG_CACHE_HOME"] = folder.appendingPathComponent("cache").path
        variables.merge(environment) { $1 }
        let words = (["env", "-C", folder.path, program] + arguments).map { strdup($0) } + [nil]
        let pairs = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in words + pairs { free(pointer) } }
        var child: pid_t = 0
        let code = posix_spawn(&child, "/usr/bin/env", &actions, &attributes, words, pairs)
        guard code == 0 else { throw Failure(call: "posix_spawn \(program)", code: code) }
        pid = child
        Thread.detachNewThread { [self] in readAll(reply) }
    }

    private func readAll(_ reply: (@Sendable (String) -> String?)?) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var output = Data()
        while true {
            let count = read(master, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            // EIO: no process has the other end open any more.
            guard count > 0 else { return isClosed.withLock { $0 = true } }
            received.withLock { $0.append(contentsOf: buffer[..<count]) }
            output.append(contentsOf: buffer[..<count])
            if let text = reply?(String(decoding: output, as: UTF8.self)) {
                output.removeAll()
                type(text)
            }
        }
    }

    /// Everything that was written to the terminal so far.
    var screen: String { String(decoding: received.withLock { $0 }, as: UTF8.self) }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(master, bytes, bytes.count)
    }

    /// Types, and waits until what that changes on the screen has come to rest.
    func typeAndWait(_ text: String) async throws {
        let before = received.withLock { $0.count }
        type(text)
        var (last, quiet) = (before, 0)
        for _ in 0..<150 {
            try await Task.sleep(for: .milliseconds(30))
            let now = received.withLock { $0.count }
            quiet = now == last ? quiet + 1 : 0
            last = now
            if now != before, quiet >= 4 { return }
        }
    }

    /// Waits until the screen holds what is wanted. False after half a minute.
    func wait(until isThere: (String) -> Bool) async throws -> Bool {
        for _ in 0..<600 {
            if isThere(screen) { return true }
            try await Task.sleep(for: .milliseconds(50))
        }
        return false
    }

    /// Whether the terminal still reads lines and echoes, as a shell expects it.
    var isCooked: Bool {
        var settings = termios()
        return tcgetattr(master, &settings) == 0
            && settings.c_lflag & tcflag_t(ICANON | ECHO) == tcflag_t(ICANON | ECHO)
    }

    /// The exit status, and all that was on the screen.
    func end() async throws -> (status: Int32, screen: String) {
        let pid = pid
        let status = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var status: Int32 = 0
                while waitpid(pid, &status, 0) < 0, errno == EINTR {}
                continuation.resume(returning: status)
            }
        }
        // What the program wrote last may still be on its way; something that it left running may hold the other end.
        for _ in 0..<2000 where !isClosed.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(50)) }
        return (status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F), screen)
    }

    func kill(_ signal: Int32) { Foundation.kill(pid, signal) }
}
