#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What the terminal can do.
enum Terminal {
    /// How a picture can be shown there.
    enum Graphics: String, CaseIterable {
        case kitty, iterm, sixel, blocks
    }

    static func columns(of descriptor: Int32) -> Int? { size(of: descriptor).map(\.columns) }

    /// Cells, and pixels where the terminal says so (0 else).
    static func size(of descriptor: Int32) -> (columns: Int, rows: Int, width: Int, height: Int)? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
        return (Int(size.ws_col), Int(size.ws_row), Int(size.ws_xpixel), Int(size.ws_ypixel))
    }

    /// `TINTYPE_GRAPHICS` decides if it is set; else what the terminal's variables say, and its answer about sixel.
    static func graphics(output: Int32) -> Graphics {
        if let wanted = environment("TINTYPE_GRAPHICS").flatMap({ Graphics(rawValue: $0) }) { return wanted }
        let term = environment("TERM") ?? ""
        let program = environment("TERM_PROGRAM") ?? ""
        // Multiplexers pass none of this on without being told to.
        if term.hasPrefix("screen") || term.hasPrefix("tmux") || environment("TMUX") != nil { return .blocks }
        if environment("KITTY_WINDOW_ID") != nil || term.contains("kitty") || term.contains("ghostty")
            || program == "ghostty"
        {
            return .kitty
        }
        if program == "iTerm.app" || program == "WezTerm" || program == "mintty" { return .iterm }
        return answersSixel(output) ? .sixel : .blocks
    }

    /// Asks for the primary device attributes (DA1); a 4 among them stands for sixel. Waits a fifth of a second at most.
    private static func answersSixel(_ output: Int32) -> Bool {
        guard isatty(STDIN_FILENO) == 1, isatty(output) == 1 else { return false }
        var saved = termios()
        guard tcgetattr(STDIN_FILENO, &saved) == 0 else { return false }
        var raw = saved
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
        guard tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0 else { return false }
        defer { tcsetattr(STDIN_FILENO, TCSANOW, &saved) }
        let question: [UInt8] = Array("\u{1B}[c".utf8)
        guard write(output, question, question.count) == question.count else { return false }
        var answer: [UInt8] = []
        while answer.last != UInt8(ascii: "c"), answer.count < 128 {
            var wait = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            guard poll(&wait, 1, 200) == 1 else { return false }
            var byte: UInt8 = 0
            guard read(STDIN_FILENO, &byte, 1) == 1 else { return false }
            answer.append(byte)
        }
        let text = String(decoding: answer, as: UTF8.self).drop { $0 != "?" }.dropFirst().dropLast()
        return text.split(separator: ";").dropFirst().contains("4")
    }
}
