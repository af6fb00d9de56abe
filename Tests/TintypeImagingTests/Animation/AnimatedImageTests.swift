import Foundation
import Testing
import TintypeBase

@testable import TintypeImaging

@Suite struct AnimatedImageTests {
    private static let frameBytes = 8 * 8 * 4

    private func image(_ source: CountedFrames, frames: Int = 1000, budget: FrameBudget = FrameBudget(total: 1 << 30))
        -> AnimatedImage
    {
        AnimatedImage(
            source: source, encodedByteCount: 100, frameByteLimit: frames * Self.frameBytes, budget: budget)
    }

    private func index(_ bitmap: Bitmap?) -> Int? { bitmap.map { Int($0[x: 3, y: 3].red) } }

    @Test func `Without a viewer nothing is kept`() throws {
        let source = CountedFrames(5)
        let image = image(source)
        for _ in 0..<2 {
            for frame in 0..<5 { #expect(index(try image.frame(at: frame)) == frame) }
        }
        #expect(source.asked.count == 10 && image.cost == 100 && image.bufferedFrame(at: 4) == nil)
    }

    @Test func `If all frames fit, each is decoded once, however many views there are`() async throws {
        let source = CountedFrames(20)
        let image = image(source)
        let viewers = [image.addViewer([0, 1, 2]), image.addViewer([10, 11, 12])]
        for loop in 0..<3 {
            for frame in 0..<20 {
                image.moveViewer(viewers[0], to: [frame, (frame + 1) % 20])
                image.moveViewer(viewers[1], to: [(frame + 10) % 20, (frame + 11) % 20])
                let got = try await image.decodedFrame(at: frame)
                #expect(index(got) == frame, "loop \(loop)")
            }
        }
        #expect(await eventually { image.cost == 100 + 20 * Self.frameBytes })
        #expect(source.mostOften == 1 && Set(source.asked).count == 20)
        image.removeViewer(viewers[0])
        #expect(image.cost == 100 + 20 * Self.frameBytes)
        image.removeViewer(viewers[1])
        #expect(image.cost == 100)
        #expect(await eventually { source.drops.withLock { $0 } == 1 })
    }

    @Test func `If they do not fit, a short stretch ahead is kept and the budget holds`() async throws {
        let source = CountedFrames(100)
        let image = image(source, frames: 6)
        let peak = Locked(0)
        image.observeCost { cost in peak.withLock { $0 = max($0, cost) } }
        let viewer = image.addViewer([0, 1, 2, 3])
        for frame in 0..<150 {
            let now = frame % 100
            image.moveViewer(viewer, to: (0..<9).map { (now + $0) % 100 })
            #expect(index(try await image.decodedFrame(at: now)) == now)
        }
        #expect(await eventually { image.bufferedFrame(at: 54) != nil })
        #expect(peak.withLock { $0 } <= 100 + 6 * Self.frameBytes)
        #expect(image.bufferedFrame(at: 48) == nil)
        image.removeViewer(viewer)
    }

    @Test func `Frames are decoded ahead without being asked for, in order`() async throws {
        let source = CountedFrames(50)
        let image = image(source)
        let viewer = image.addViewer([7, 8, 9, 10])
        #expect(await eventually { (7...10).allSatisfy { image.bufferedFrame(at: $0) != nil } })
        #expect(source.asked == [7, 8, 9, 10])
        image.removeViewer(viewer)
    }

    @Test func `Backwards, frames are decoded in ascending stretches`() async throws {
        let source = CountedFrames(100)
        let image = image(source, frames: 10)
        let viewer = image.addViewer([50, 49, 48, 47, 46, 45, 44, 43])
        for frame in stride(from: 50, through: 10, by: -1) {
            image.moveViewer(viewer, to: (0..<8).map { frame - $0 })
            #expect(await eventually { image.bufferedFrame(at: frame) != nil })
        }
        let restarts = zip(source.asked, source.asked.dropFirst()).filter { $0 >= $1 }.count
        // One for each half stretch, more when the decoder is kept waiting; frame by frame it would be 40.
        #expect(restarts <= 30, "\(source.asked)")
        image.removeViewer(viewer)
    }

    @Test func `A damaged frame is tried once and fails for everybody`() async throws {
        let source = CountedFrames(3)
        source.damaged = [1]
        let image = image(source)
        let viewer = image.addViewer([0, 1, 2])
        #expect(await eventually { image.bufferedFrame(at: 2) != nil })
        for _ in 0..<3 {
            #expect(throws: ImagingError.corrupt(.gif, "frame 1")) { try image.frame(at: 1) }
        }
        #expect(source.mostOften == 1)
        image.removeViewer(viewer)
    }

    @Test func `Under memory pressure only what is shown stays`() async throws {
        let budget = FrameBudget(total: 1 << 30)
        let source = CountedFrames(40)
        let image = image(source, budget: budget)
        let viewer = image.addViewer([0])
        for frame in 0..<40 {
            image.moveViewer(viewer, to: [frame])
            _ = try await image.decodedFrame(at: frame)
        }
        #expect(await eventually { image.cost == 100 + 40 * Self.frameBytes })
        image.dropFrames()
        #expect(image.cost == 100 + Self.frameBytes && index(image.bufferedFrame(at: 39)) == 39)
        image.moveViewer(viewer, to: [0, 1])
        #expect(await eventually { image.bufferedFrame(at: 1) != nil })
        #expect(image.bufferedFrame(at: 39) == nil)
        image.removeViewer(viewer)
    }

    @Test func `All animations together stay within the total`() async throws {
        let budget = FrameBudget(total: 30 * Self.frameBytes)
        let images = (0..<3).map { _ in image(CountedFrames(20), frames: 25, budget: budget) }
        var viewers: [Int] = []
        for image in images {
            viewers.append(image.addViewer([0]))
            for frame in 0..<20 {
                image.moveViewer(viewers[viewers.count - 1], to: (0..<4).map { (frame + $0) % 20 })
                _ = try await image.decodedFrame(at: frame)
            }
        }
        let held = images.reduce(0) { $0 + $1.cost - 100 }
        #expect(held <= 30 * Self.frameBytes && held >= 3 * Self.frameBytes)
        for (image, viewer) in zip(images, viewers) { image.removeViewer(viewer) }
        #expect(budget.images.isEmpty && images.allSatisfy { $0.cost == 100 })
    }

    @Test func `The cost is reported whenever it changes, and never from within the lock`() async throws {
        let source = CountedFrames(4)
        let image = image(source)
        let costs = Locked<[Int]>([])
        image.observeCost { [weak image] cost in
            _ = image?.cost
            costs.withLock { $0.append(cost) }
        }
        let viewer = image.addViewer([0, 1, 2, 3])
        #expect(await eventually { image.bufferedFrame(at: 3) != nil })
        image.removeViewer(viewer)
        #expect(await eventually { costs.withLock { $0.last } == 100 })
        let seen = costs.withLock { $0 }
        #expect(seen.contains(100 + 4 * Self.frameBytes) && zip(seen, seen.dropFirst()).allSatisfy { $0 != $1 })
    }

    @Test func `Many threads, many views, random frames: every frame is right`() async throws {
        let source = CountedFrames(60)
        let image = image(source, frames: 20)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var random = Sequence32(seed: UInt32(task))
                    var viewer = image.addViewer([task])
                    for _ in 0..<200 {
                        let frame = random.next(60)
                        image.moveViewer(viewer, to: (0..<5).map { (frame + $0) % 60 })
                        let got = try? await image.decodedFrame(at: frame)
                        #expect(got.map { Int($0[x: 0, y: 0].red) } == frame)
                        if random.next(10) == 0 {
                            image.removeViewer(viewer)
                            viewer = image.addViewer([frame])
                        }
                        if random.next(50) == 0 { image.dropFrames() }
                    }
                    image.removeViewer(viewer)
                }
            }
        }
        #expect(image.cost == 100)
    }
}
