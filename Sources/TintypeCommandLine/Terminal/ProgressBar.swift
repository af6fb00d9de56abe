import TintypeBase

/// A line at the bottom of the terminal with count, rate and remaining time. Prints nothing if standard error is not a
/// terminal.
struct ProgressBar {
    private let console: Console
    let isOn: Bool
    private let start = ContinuousClock.now
    private var lastDraw: ContinuousClock.Instant?
    private var isVisible = false

    init(_ console: Console, isWanted: Bool = true) {
        self.console = console
        isOn = isWanted && isatty(console.errors) == 1 && environment("TERM") != "dumb"
    }

    /// - Parameter bytes: received from the network so far.
    mutating func update(done: Int, of total: Int, bytes: Int) {
        guard isOn else { return }
        let now = ContinuousClock.now
        if let lastDraw, lastDraw.duration(to: now) < .milliseconds(80), done < total { return }
        lastDraw = now
        let seconds = start.duration(to: now).inSeconds
        let line = ProgressBar.line(
            done: done, of: total, bytes: bytes, seconds: seconds, columns: Terminal.columns(of: console.errors) ?? 80)
        console.write("\r" + line + "\u{1B}[K", to: console.errors)
        isVisible = true
    }

    /// Removes the line, so that other text can be printed there.
    mutating func clear() {
        guard isVisible else { return }
        console.write("\r\u{1B}[K", to: console.errors)
        isVisible = false
        lastDraw = nil
    }

    /// `[██████▌   ] 412/1000  3.4 MB  1.2 MB/s  ETA 12.0 s`
    static func line(done: Int, of total: Int, bytes: Int, seconds: Double, columns: Int) -> String {
        let counts = " \(done)/\(total)"
        let received = "  " + Quantity.bytes(bytes)
        let rate = seconds > 0.2 && bytes > 0 ? "  \(Quantity.bytes(Int(Double(bytes) / seconds)))/s" : ""
        let isUnderWay = done > 0 && done < total && seconds > 0.5
        let left = isUnderWay ? "  ETA " + Quantity.seconds(seconds / Double(done) * Double(total - done)) : ""
        // A narrow terminal shows fewer fields.
        let choices = [counts + received + rate + left, counts + received + left, counts + left, counts]
        let text = choices.first { $0.count <= columns } ?? counts
        let width = max(0, min(30, columns - text.count - 4))
        guard width >= 8 else { return String(text.dropFirst().prefix(max(0, columns - 1))) }
        let eighths = total > 0 ? done * width * 8 / total : 0
        let partial = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
        let bar = String(repeating: "█", count: eighths / 8) + partial
        return "[" + bar + String(repeating: " ", count: width - bar.count) + "]" + text
    }
}
