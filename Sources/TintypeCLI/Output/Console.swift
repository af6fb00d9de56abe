import TintypeBase

/// Standard output and standard error. Each line leaves in one write, so lines of several threads do not mix.
struct Console: Sendable {
    var output: Int32 = STDOUT_FILENO
    var errors: Int32 = STDERR_FILENO

    func print(_ line: String) { write(line + "\n", to: output) }

    func print(_ value: JSONOutput) { print(value.line) }

    func note(_ line: String) { write(line + "\n", to: errors) }

    /// `tintype: CODE: sentence`, in the form of the other errors of Unix tools.
    func report(_ problem: Problem) {
        let head = colours ? "\u{1B}[31mtintype:\u{1B}[0m" : "tintype:"
        note("\(head) \(problem.code): \(problem.sentence)")
    }

    /// True if standard error is a terminal that may get colours; see no-color.org.
    var colours: Bool {
        isatty(errors) == 1 && (environment("NO_COLOR") ?? "").isEmpty && environment("TERM") != "dumb"
    }

    func writeRaw(_ bytes: some Sequence<UInt8>) {
        Array(bytes).withUnsafeBytes { writeAll($0, to: output) }
    }

    func write(_ text: String, to descriptor: Int32) {
        var text = text
        text.withUTF8 { writeAll(UnsafeRawBufferPointer($0), to: descriptor) }
    }

    private func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            #if canImport(Glibc)
                let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            #else
                let count = Darwin.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            #endif
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count < 0, errno == EINTR {
                continue
            } else if count < 0, errno == EAGAIN {
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&wait, 1, -1)
            } else {
                // The reader has gone (`tintype info … | head -1`): nobody is left to tell, and it is no error.
                if count < 0, errno == EPIPE, descriptor == output { Cleanup.leave(.success) }
                return
            }
        }
    }
}

/// A variable of the environment, or nil.
func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
}
