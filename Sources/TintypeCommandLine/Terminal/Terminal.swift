import TintypeBase

/// The abilities of the terminal.
enum Terminal {
    /// The protocols for images.
    enum Graphics: String, CaseIterable {
        case kitty, iterm, sixel, blocks
    }

    /// The size in cells, and in pixels or 0 if the terminal does not report it.
    struct Size: Equatable {
        var columns: Int
        var rows: Int
        var width = 0
        var height = 0

        /// The size of a cell in pixels. The guess for terminals that do not report it is small, so that images fit.
        var cell: (width: Int, height: Int) {
            guard width >= columns, height >= rows, columns > 0, rows > 0 else { return (8, 16) }
            return (width / columns, height / rows)
        }
    }

    static func columns(of descriptor: Int32) -> Int? { size(of: descriptor).map(\.columns) }

    static func size(of descriptor: Int32) -> Size? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
        return Size(
            columns: Int(size.ws_col), rows: Int(size.ws_row), width: Int(size.ws_xpixel), height: Int(size.ws_ypixel))
    }

    /// Returns the protocol of `TINTYPE_GRAPHICS`, else of the terminal's variables, else of its reply to a query.
    /// Nil if it cannot show images.
    static func graphics(output: Int32) -> Graphics? {
        if let wanted = environment("TINTYPE_GRAPHICS").flatMap({ Graphics(rawValue: $0) }) { return wanted }
        guard isatty(output) == 1 else { return nil }
        switch guess(environment) {
        case .known(let graphics): return graphics
        case .nothing: return nil
        case .unknown: return TerminalQuery.graphics() ?? .blocks
        }
    }

    enum Guess: Equatable {
        case known(Graphics)
        case unknown
        /// Not even colours.
        case nothing
    }

    /// Returns the protocol that the variables of the environment imply.
    static func guess(_ variable: (String) -> String?) -> Guess {
        let term = variable("TERM") ?? ""
        let program = variable("TERM_PROGRAM") ?? ""
        if term == "dumb" || term.isEmpty { return .nothing }
        // Multiplexers do not forward images by default, and the Linux console has none.
        if term.hasPrefix("screen") || term.hasPrefix("tmux") || variable("TMUX") != nil || term == "linux" {
            return .known(.blocks)
        }
        if variable("KITTY_WINDOW_ID") != nil || term.contains("kitty") || term.contains("ghostty")
            || program == "ghostty"
        {
            return .known(.kitty)
        }
        if program == "iTerm.app" || program == "WezTerm" || program == "mintty" { return .known(.iterm) }
        if program == "Apple_Terminal" { return .known(.blocks) }
        return .unknown
    }
}

/// Queries the terminal for its image protocols.
enum TerminalQuery {
    /// The query of the kitty protocol, an image of one pixel that is not shown, and then a request for the primary device
    /// attributes (DA1), to which every terminal replies: a reply to the first query comes before that.
    static let question = "\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\\u{1B}[c"

    /// Waits at most a quarter of a second for each byte. Nil without a terminal, or without a reply.
    static func graphics() -> Terminal.Graphics? {
        // Not standard input: a list of URLs may come from there.
        let terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard terminal >= 0 else { return nil }
        defer { close(terminal) }
        // The kernel stops a background job that changes the settings of the terminal.
        guard tcgetpgrp(terminal) == getpgrp() else { return nil }
        var saved = termios()
        guard tcgetattr(terminal, &saved) == 0 else { return nil }
        var raw = saved
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
        guard tcsetattr(terminal, TCSANOW, &raw) == 0 else { return nil }
        defer { tcsetattr(terminal, TCSANOW, &saved) }
        let bytes = Array(question.utf8)
        guard write(terminal, bytes, bytes.count) == bytes.count else { return nil }
        var reply: [UInt8] = []
        while reply.count < 512 {
            var wait = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
            guard poll(&wait, 1, 250) == 1 else { return nil }
            var byte: UInt8 = 0
            guard read(terminal, &byte, 1) == 1 else { return nil }
            reply.append(byte)
            if let graphics = graphics(reply: String(decoding: reply, as: UTF8.self)) { return graphics }
        }
        return nil
    }

    /// Returns nil until the attributes have arrived. Attribute 4 stands for sixel.
    static func graphics(reply: String) -> Terminal.Graphics? {
        guard let start = reply.firstRange(of: "\u{1B}[?"),
            let end = reply[start.upperBound...].firstIndex(where: { !"0123456789;".contains($0) }),
            reply[end] == "c"
        else { return nil }
        if reply[..<start.lowerBound].contains("\u{1B}_Gi=31;OK") { return .kitty }
        let attributes = reply[start.upperBound..<end].split(separator: ";").dropFirst()
        return attributes.contains("4") ? .sixel : .blocks
    }
}
