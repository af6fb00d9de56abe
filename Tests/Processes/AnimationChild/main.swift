import Foundation
import TintypeImaging

// usage: AnimationChild memory FILE [OPERATION…]
// Runs operations with little memory; see MemoryLimit.
//        AnimationChild FILE LOOPS
// Plays FILE as a view does and prints how much memory that took beyond what the process had before, in bytes:
// {"frames": shown, "baseline": bytes, "peak": bytes}. Exit status 2: usage; 3: it cannot be played.

/// Bytes of this process that are in memory now.
func residentByteCount() -> Int {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
}

let arguments = CommandLine.arguments
if arguments.count >= 3, arguments[1] == "memory" {
    do {
        try MemoryLimit(file: arguments[2]).run(Set(arguments.dropFirst(3)))
        exit(0)
    } catch {
        FileHandle.standardError.write(Data("AnimationChild: \(error)\n".utf8))
        exit(3)
    }
}
guard arguments.count == 3, let loops = Int(arguments[2]) else { exit(2) }
do {
    let data = try Data(contentsOf: URL(fileURLWithPath: arguments[1]))
    let baseline = residentByteCount()
    guard let image = try ImageCodecs.standard.animation(data) else { exit(3) }
    let player = AnimatedImagePlayer(image, repeats: .times(loops))
    var (frames, peak) = (0, baseline)
    var now = Duration.zero
    player.play()
    // A clock that waits for the frames: what counts here is memory, not time.
    while player.status == .playing {
        if player.advance(to: now) != nil {
            frames += 1
            peak = max(peak, residentByteCount())
        } else {
            usleep(500)
        }
        let wait = player.timeToNextFrame(at: now) ?? .zero
        if wait > .zero { now += wait }
    }
    print("{\"frames\": \(frames), \"baseline\": \(baseline), \"peak\": \(peak)}")
} catch {
    FileHandle.standardError.write(Data("AnimationChild: \(error)\n".utf8))
    exit(3)
}
