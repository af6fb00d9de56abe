import Foundation
import TintypeImaging

extension Job {
    static let animation: [Job] = [
        Job(name: "frames", by: "tintype", prepare: everyFrame),
        Job(name: "random frame", by: "tintype", prepare: randomFrames),
        Job(name: "play", by: "tintype", prepare: play),
        Job(name: "poster", by: "tintype") { parameters in
            let data = try parameters.data("file")
            return Work { _ = try ImageCodecs.standard.decode(data) }
        },
    ]

    private static func open(_ data: Data) throws -> AnimatedImage {
        guard let animation = try ImageCodecs.standard.animation(data) else {
            throw Parameters.Missing(key: "an animation")
        }
        return animation
    }

    /// Opens the file and decodes all its frames in order.
    private static func everyFrame(_ parameters: Parameters) throws -> Work {
        let data = try parameters.data("file")
        let count = try open(data).frameCount
        let isForEachFrame = parameters.values["per"] == "frame"
        return Work(operations: isForEachFrame ? count : 1) {
            let animation = try open(data)
            for index in 0..<count { _ = try animation.frame(at: index) }
        }
    }

    /// Jumps about in an open file. The time is that of the slowest jump: each frame is reached from a far one.
    private static func randomFrames(_ parameters: Parameters) throws -> Work {
        let animation = try open(parameters.data("file"))
        let count = animation.frameCount
        var slowest = Cost()
        // A stride that has no factor in common with the count visits every frame, never one after the other.
        let stride = (count / 2 + 1...count * 2).first { gcd($0, count) == 1 } ?? 1
        return Work.withFigures {
            slowest = Cost()
            var (sum, index) = (Cost(), 0)
            for _ in 0..<count {
                index = (index + stride) % count
                let cost = try Cost.of { _ = try animation.frame(at: index) }
                sum += cost
                if cost.wall > slowest.wall { slowest = cost }
            }
            return slowest.figures.merging(["mean_ms": sum.wall / Double(count) * 1000]) { $1 }
        }
    }

    private static func gcd(_ left: Int, _ right: Int) -> Int { right == 0 ? left : gcd(right, left % right) }

    /// Two loops as a view plays them, only with a clock that waits for the frame and for nothing else.
    private static func play(_ parameters: Parameters) throws -> Work {
        let data = try parameters.data("file")
        return Work.withFigures {
            let animation = try open(data)
            let player = AnimatedImagePlayer(animation, repeats: .times(2), lagPolicy: .wait)
            var (time, shown) = (Duration.zero, 0)
            player.play()
            while player.status == .playing {
                if player.advance(to: time) != nil { shown += 1 } else { usleep(200) }
                time += player.timeToNextFrame(at: time) ?? .zero
            }
            return ["frames": Double(shown)]
        }
    }
}
