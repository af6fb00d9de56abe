import TintypeBase

/// Asks the terminal itself which images it can show.
enum TerminalQuery {
    /// An image of one pixel that is not to be shown, as the kitty protocol says one should ask, and then the primary
    /// device attributes (DA1), which every terminal answers: whatever comes before that answer is all that will come.
    static let question = "\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\\u{1B}[c"

    /// Waits a quarter of a second at most for each byte. Nil without a terminal, or if it does not answer.
    static func graphics() -> Terminal.Graphics? {
        // Not standard input: a list of URLs may come from there.
        let terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard terminal >= 0 else { return nil }
        defer { close(terminal) }
        // A job in the background that touches the terminal's settings is stopped.
        guard tcgetpgrp(terminal) == getpgrp() else { return nil }
        var saved = termios()
        guard tcgetattr(terminal, &saved) == 0 else { return nil }
        var raw = saved
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
        guard tcsetattr(terminal, TCSANOW, &raw) == 0 else { return nil }
        defer { tcsetattr(terminal, TCSANOW, &saved) }
        let bytes = Array(question.utf8)
        guard write(terminal, bytes, bytes.count) == bytes.count else { return nil }
        var answer: [UInt8] = []
        while answer.count < 512 {
            var wait = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
            guard poll(&wait, 1, 250) == 1 else { return nil }
            var byte: UInt8 = 0
            guard read(terminal, &byte, 1) == 1 else { return nil }
            answer.append(byte)
            if let graphics = graphics(answer: String(decoding: answer, as: UTF8.self)) { return graphics }
        }
        return nil
    }

    /// Nil as long as the attributes have not come. A 4 among them stands for sixel.
    static func graphics(answer: String) -> Terminal.Graphics? {
        guard let start = answer.firstRange(of: "\u{1B}[?"),
            let end = answer[start.upperBound...].firstIndex(where: { !"0123456789;".contains($0) }),
            answer[end] == "c"
        else { return nil }
        if answer[..<start.lowerBound].contains("\u{1B}_Gi=31;OK") { return .kitty }
        let attributes = answer[start.upperBound..<end].split(separator: ";").dropFirst()
        return attributes.contains("4") ? .sixel : .blocks
    }
}
