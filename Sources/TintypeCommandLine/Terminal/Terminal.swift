import TintypeBase

/// What the terminal can do.
enum Terminal {
    /// How an image can be shown there.
    enum Graphics: String, CaseIterable {
        case kitty, iterm, sixel, blocks
    }

    /// Cells, and pixels where the terminal says so (0 else).
    struct Size: Equatable {
        var columns: Int
        var rows: Int
        var width = 0
        var height = 0

        /// Pixels of one cell. Most terminals tell; a guess must rather be too small, so that images fit.
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

    /// `TINTYPE_GRAPHICS` decides if it is set; else what the terminal's variables say; else its own answer.
    /// Nil where nothing can be drawn.
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

    /// What the variables of the environment tell.
    static func guess(_ variable: (String) -> String?) -> Guess {
        let term = variable("TERM") ?? ""
        let program = variable("TERM_PROGRAM") ?? ""
        if term == "dumb" || term.isEmpty { return .nothing }
        // Multiplexers pass none of this on without being told to, and the kernel's console cannot.
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
