/// The position in one animation: which frame is shown at a time, by durations, direction and number of loops.
///
/// Has no clock. Positions count *steps*: forwards, step *k* shows frame *k*; backwards, the last but *k*; back and forth,
/// the frames up and then down again, with the first and last frame once.
struct AnimationTimeline: Sendable, Hashable {
    /// Seconds that a step may come early: sums of binary fractions are not exact.
    private static let tolerance = 1e-6

    private let durations: [Double]
    let direction: AnimatedImagePlayer.Direction
    /// Loops to play in total; nil is forever.
    var loopLimit: Int?
    private(set) var step = 0
    /// Elapsed seconds of the current step.
    private(set) var elapsed = 0.0
    private(set) var completedLoops = 0
    private(set) var isFinished = false

    init(durations: [Double], direction: AnimatedImagePlayer.Direction, loopLimit: Int?) {
        // A duration of 0 would stop the timeline.
        self.durations = durations.isEmpty ? [0.1] : durations.map { $0 > 0.001 && $0.isFinite ? $0 : 0.1 }
        self.direction = direction
        self.loopLimit = loopLimit
    }

    private var frameCount: Int { durations.count }

    var stepsInLoop: Int {
        switch direction {
        case .forwards, .backwards: frameCount
        case .backAndForth: max(1, 2 * frameCount - 2)
        }
    }

    func frame(atStep step: Int) -> Int {
        switch direction {
        case .forwards: step
        case .backwards: frameCount - 1 - step
        case .backAndForth: step < frameCount ? step : stepsInLoop - step
        }
    }

    /// The frame to show now.
    var frame: Int {
        // Back and forth ends on the first frame.
        isFinished && direction == .backAndForth ? 0 : frame(atStep: step)
    }

    /// Returns the frame to show now and those of the next seconds, at least two and at most eight more, in order; none
    /// after the end of the last loop.
    func upcoming(seconds: Double) -> [Int] {
        var frames = [frame]
        var copy = self
        var left = seconds
        while frames.count < 9, frames.count < 3 || left > 0, !copy.isFinished {
            let duration = durations[copy.frame(atStep: copy.step)]
            left -= duration
            copy.elapsed = 0
            copy.takeStep()
            if !copy.isFinished || direction == .backAndForth { frames.append(copy.frame) }
        }
        return frames
    }

    /// Seconds until the next step.
    var remaining: Double { max(0, durations[frame(atStep: step)] - elapsed) }

    private var loopDuration: Double { (0..<stepsInLoop).reduce(0) { $0 + durations[frame(atStep: $1)] } }

    /// Advances by some seconds.
    ///
    /// - Parameter stepLimit: the most steps to take; remaining time is dropped.
    /// - Returns: the number of loops that ended.
    mutating func advance(by seconds: Double, stepLimit: Int = .max) -> Int {
        guard !isFinished, seconds > 0 else { return 0 }
        let before = completedLoops
        elapsed += seconds
        skipWholeLoops(stepLimit: stepLimit)
        var steps = 0
        while !isFinished, elapsed + Self.tolerance >= durations[frame(atStep: step)] {
            guard steps < stepLimit else {
                elapsed = 0
                break
            }
            elapsed = max(0, elapsed - durations[frame(atStep: step)])
            steps += 1
            takeStep()
        }
        return completedLoops - before
    }

    /// Counts whole loops after a long stall instead of stepping through them.
    private mutating func skipWholeLoops(stepLimit: Int) {
        let duration = loopDuration
        guard stepLimit == .max, elapsed >= 2 * duration else { return }
        var loops = Int(min(elapsed / duration, 1e9)) - 1
        if let loopLimit { loops = min(loops, max(0, loopLimit - completedLoops - 1)) }
        guard loops > 0 else { return }
        completedLoops += loops
        elapsed -= Double(loops) * duration
    }

    private mutating func takeStep() {
        guard step + 1 >= stepsInLoop else {
            step += 1
            return
        }
        completedLoops += 1
        if let loopLimit, completedLoops >= loopLimit {
            isFinished = true
            elapsed = 0
        } else {
            step = 0
        }
    }

    /// Moves to the first step that shows this frame.
    mutating func seek(toFrame index: Int) {
        let index = min(max(index, 0), frameCount - 1)
        step = direction == .backwards ? frameCount - 1 - index : index
        elapsed = 0
        isFinished = false
        if let loopLimit, completedLoops >= loopLimit { completedLoops = 0 }
    }

    /// Moves to this many seconds after the start of the loop.
    mutating func seek(toSeconds seconds: Double) {
        var left = max(0, seconds.isFinite ? seconds : 0)
        seek(toFrame: frame(atStep: 0))
        while step < stepsInLoop - 1, left >= durations[frame(atStep: step)] {
            left -= durations[frame(atStep: step)]
            step += 1
        }
        elapsed = min(left, durations[frame(atStep: step)] * 0.999)
    }

    mutating func restart() {
        step = 0
        elapsed = 0
        completedLoops = 0
        isFinished = false
    }
}
