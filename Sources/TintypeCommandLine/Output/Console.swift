import TintypeBase

/// Standard output and standard error. All text is escaped here.
///
/// Each line leaves in one write, so lines of several threads do not mix. A write to standard output that fails ends the
/// process with exit status 1; a closed pipe (`tintype info … | head -1`) ends it silently.
struct Console: Sendable {
    var output: Int32 = STDOUT_FILENO
    var errors: Int32 = STDERR_FILENO

    /// Prints one line. Line feeds in it are escaped.
    func print(_ line: String) { write(TerminalText.line(line) + "\n", to: output) }

    func print(_ value: JSONOutput) { write(value.line + "\n", to: output) }

    /// Prints lines of the tool.
    func printLines(_ text: String) { write(TerminalText.lines(text) + "\n", to: output) }

    /// Prints a stored document: unchanged into a file or a pipe, escaped on a terminal.
    func print(document: Data) {
        if isatty(output) == 1 {
            printLines(String(decoding: document, as: UTF8.self))
        } else {
            writeRaw(document + [10])
        }
    }

    /// Prints one line to standard error.
    func note(_ line: String) { write(TerminalText.line(line) + "\n", to: errors) }

    func noteLines(_ text: String) { write(TerminalText.lines(text) + "\n", to: errors) }

    /// Prints `tintype: CODE: sentence`, in the form of the other errors of Unix tools.
    func report(_ problem: Problem) {
        let head = colours ? "\u{1B}[31mtintype:\u{1B}[0m" : "tintype:"
        write(head + TerminalText.line(" \(problem.code): \(problem.sentence)") + "\n", to: errors)
    }

    /// Prints `tintype: warning: source: sentence`.
    func warn(_ message: String, source: String) {
        note("tintype: warning: \(Problem.shortened(source)): \(message)")
    }

    /// Whether standard error is a terminal that may show colours; see no-color.org.
    var colours: Bool {
        isatty(errors) == 1 && (environment("NO_COLOR") ?? "").isEmpty && environment("TERM") != "dumb"
    }

    /// Writes the bytes of an image to standard output.
    func writeRaw(_ bytes: Data) { bytes.withUnsafeBytes { writeAll($0, to: output) } }

    /// Writes text as it is, control sequences included: images for a terminal, the progress bar, scripts.
    func write(_ text: String, to descriptor: Int32) {
        var text = text
        text.withUTF8 { writeAll(UnsafeRawBufferPointer($0), to: descriptor) }
    }

    /// Closes standard output: some file systems report only now that the disk is full.
    func finish(_ status: ExitStatus) -> ExitStatus {
        guard close(output) != 0, errno != EBADF, errno != EINTR else { return status }
        report(Console.outputProblem(errno))
        return status == .success ? .failure : status
    }

    private func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) {
        let number = writeFully(bytes, to: descriptor)
        // A failed write to standard error cannot be reported.
        guard number != 0, descriptor == output else { return }
        if number == EPIPE { Cleanup.leave(.success) }
        report(Console.outputProblem(number))
        Cleanup.leave(.failure)
    }

    private static func outputProblem(_ number: Int32) -> Problem {
        OutputFile.failure(number, "standard output")
    }
}

/// Writes all bytes, whether the descriptor blocks or not.
///
/// - Returns: 0, or the errno.
func writeFully(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = writeBytes(descriptor, UnsafeRawBufferPointer(rebasing: rest))
        if count > 0 {
            rest = rest.dropFirst(count)
        } else if count == 0 {
            return EIO
        } else if errno == EAGAIN {
            var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            poll(&wait, 1, -1)
        } else if errno != EINTR {
            return errno
        }
    }
    return 0
}

/// `write`, under a name that the methods of ``Console`` do not hide.
private func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}

/// A variable of the environment, or nil.
func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
}
