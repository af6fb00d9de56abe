import Testing

@testable import TintypeImaging

@Suite struct AnimationTimelineTests {
    private func timeline(
        _ durations: [Double] = [0.1, 0.2, 0.3], _ direction: AnimatedImagePlayer.Direction = .forwards,
        loops: Int? = nil
    ) -> AnimationTimeline {
        AnimationTimeline(durations: durations, direction: direction, loopLimit: loops)
    }

    /// The frames shown in steps of 10 ms, with runs made one, and the moment at which each began.
    private func shown(_ timeline: AnimationTimeline, seconds: Double) -> [(frame: Int, at: Int)] {
        var timeline = timeline
        var result = [(timeline.frame, 0)]
        for tick in 1...Int(seconds * 100 + 0.5) {
            _ = timeline.advance(by: 0.010_000_001)
            if timeline.frame != result[result.count - 1].0 { result.append((timeline.frame, tick * 10)) }
        }
        return result
    }

    @Test func `Forwards, each frame for its own time`() {
        let frames = shown(timeline(), seconds: 1.25)
        #expect(frames.map(\.frame) == [0, 1, 2, 0, 1, 2, 0])
        #expect(frames.map(\.at) == [0, 100, 300, 600, 700, 900, 1200])
    }

    @Test func `Backwards, and back and forth without showing the ends twice`() {
        #expect(shown(timeline([0.1, 0.2, 0.3], .backwards), seconds: 1.3).map(\.frame) == [2, 1, 0, 2, 1, 0, 2])
        let bounce = shown(timeline([0.1, 0.1, 0.1], .backAndForth), seconds: 0.95)
        #expect(bounce.map(\.frame) == [0, 1, 2, 1, 0, 1, 2, 1, 0, 1])
        #expect(shown(timeline([0.1, 0.1], .backAndForth), seconds: 0.35).map(\.frame) == [0, 1, 0, 1])
        #expect(shown(timeline([0.1], .backAndForth), seconds: 0.35).map(\.frame) == [0])
    }

    @Test func `Loops are counted, the last frame stays, back and forth ends where it began`() {
        var forwards = timeline(loops: 2)
        #expect(forwards.advance(by: 0.61) == 1)
        #expect(forwards.advance(by: 0.58) == 0 && !forwards.isFinished)
        #expect(forwards.advance(by: 0.02) == 1)
        #expect(forwards.isFinished && forwards.frame == 2 && forwards.completedLoops == 2)
        #expect(forwards.advance(by: 10) == 0 && forwards.frame == 2)
        var backwards = timeline([0.1, 0.1], .backwards, loops: 1)
        #expect(backwards.advance(by: 5) == 1 && backwards.frame == 0)
        var bounce = timeline([0.1, 0.1, 0.1], .backAndForth, loops: 1)
        #expect(bounce.advance(by: 0.41) == 1 && bounce.frame == 0 && bounce.isFinished)
    }

    @Test func `A long stall costs no time and lands at the right place`() {
        var endless = timeline()
        #expect(endless.advance(by: 0.6 * 5_000_000 + 0.15) == 5_000_000)
        #expect(endless.frame == 1)
        var limited = timeline(loops: 4)
        #expect(limited.advance(by: 1e9) == 4)
        #expect(limited.isFinished && limited.completedLoops == 4)
        var never = timeline([0, .infinity, .nan, -1])
        _ = never.advance(by: 0.25)
        #expect(never.frame == 2)
    }

    @Test func `With a step limit, time that is left is forgotten`() {
        var slow = timeline()
        _ = slow.advance(by: 50, stepLimit: 1)
        #expect(slow.frame == 1 && slow.elapsed == 0)
        _ = slow.advance(by: 0.25, stepLimit: 1)
        #expect(slow.frame == 2 && abs(slow.elapsed - 0.05) < 1e-9)
    }

    @Test func `Seeking by frame and by time`() {
        var one = timeline(loops: 1)
        _ = one.advance(by: 9)
        one.seek(toFrame: 1)
        #expect(one.frame == 1 && !one.isFinished && abs(one.remaining - 0.2) < 1e-9)
        one.seek(toSeconds: 0.35)
        #expect(one.frame == 2 && abs(one.remaining - 0.25) < 1e-9)
        one.seek(toSeconds: 99)
        #expect(one.frame == 2)
        one.seek(toFrame: -5)
        #expect(one.frame == 0)
        var back = timeline([0.1, 0.2, 0.3], .backwards)
        back.seek(toSeconds: 0.35)
        #expect(back.frame == 1)
        back.seek(toFrame: 0)
        #expect(back.frame == 0)
    }

    @Test func `What comes next, in the order of showing and not past the end`() {
        #expect(timeline().upcoming(seconds: 0.25) == [0, 1, 2])
        #expect(timeline().upcoming(seconds: 10) == [0, 1, 2, 0, 1, 2, 0, 1, 2])
        #expect(timeline([0.1, 0.1, 0.1, 0.1], .backAndForth).upcoming(seconds: 0.45) == [0, 1, 2, 3, 2, 1])
        #expect(timeline(Array(repeating: 0.04, count: 20), .backwards).upcoming(seconds: 0.25).count == 8)
        var last = timeline(loops: 1)
        last.seek(toFrame: 1)
        #expect(last.upcoming(seconds: 5) == [1, 2])
    }
}
