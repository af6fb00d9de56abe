import CIsolation
import Foundation
import Testing
import TintypeBase

@testable import TintypeImaging

/// A folder that holds the executables of this build.
private let productFolder: URL = {
    var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    while folder.path != "/",
        !FileManager.default.fileExists(atPath: folder.appendingPathComponent("HostileWorker").path)
    {
        folder.deleteLastPathComponent()
    }
    return folder
}()

@Suite("Decoding in workers", .serialized)
struct IsolationTests {
    private static func codecs(_ scope: DecodeIsolation.Scope) -> ImageCodecs {
        var codecs = ImageCodecs.standard
        codecs.isolation = DecodeIsolation(scope: scope)
        return codecs
    }

    private static let hostile: ImageCodecs = {
        var codecs = ImageCodecs.standard
        codecs.isolation = DecodeIsolation(scope: .formats([.bmp]))
        codecs.isolation.workerPath = productFolder.appendingPathComponent("HostileWorker").path
        codecs.isolation.deadline = .seconds(30)
        codecs.isolation.maximumMemoryByteCount = 512 << 20
        return codecs
    }()

    /// The head of a BMP, whose third byte tells the hostile decoder what to do.
    private static func image(_ command: Character) -> Data {
        var data = Data("BM\(command)".utf8) + Data(count: 61)
        data[10] = 54
        data[14] = 40
        return data
    }

    private func sameImage(_ data: Data, _ options: DecodeOptions = DecodeOptions()) throws {
        let here = try Self.codecs(.none).decode(data, options: options)
        let there = try Self.codecs(.all).decode(data, options: options)
        #expect(there.info == here.info)
        #expect(there.isPartial == here.isPartial)
        #expect(there.bitmap.size == here.bitmap.size)
        #expect(there.bitmap.isOpaque == here.bitmap.isOpaque)
        let pixels = { (bitmap: Bitmap) in bitmap.withUnsafeBytes { Data($0.prefix(bitmap.width * 4 * bitmap.height)) }
        }
        #expect(pixels(there.bitmap) == pixels(here.bitmap))
    }

    private static func gradient(_ width: Int, _ height: Int) throws -> Bitmap {
        try Bitmap(width: width, height: height, isOpaque: true) { bytes, bytesPerRow in
            for y in 0..<height {
                for x in 0..<width {
                    let offset = y * bytesPerRow + x * 4
                    bytes[offset] = UInt8(truncatingIfNeeded: x)
                    bytes[offset + 1] = UInt8(truncatingIfNeeded: y)
                    bytes[offset + 2] = UInt8(truncatingIfNeeded: x ^ y)
                    bytes[offset + 3] = 255
                }
            }
        }
    }

    @Test(
        "A worker gives the same pixels and facts, small ones through the mailbox and large ones through shared memory")
    func samePixels() throws {
        for (width, height) in [(1, 1), (300, 200), (1200, 900)] {
            let bitmap = try Self.gradient(width, height)
            for format in [ImageFormat.png, .jpeg, .webp, .gif] {
                let data = try Self.codecs(.none).encode(bitmap, as: format)
                try sameImage(data)
                var options = DecodeOptions()
                options.target = ResizeTarget(width: 64, height: 64, fit: .cover)
                try sameImage(data, options)
                #expect(try Self.codecs(.all).info(data) == Self.codecs(.none).info(data))
            }
        }
    }

    @Test("Input that is larger than the mailbox arrives whole")
    func largeInput() throws {
        var generator = SystemRandomNumberGenerator()
        let noise = try Bitmap(width: 600, height: 500, isOpaque: true) { bytes, _ in
            for index in bytes.indices { bytes[index] = index % 4 == 3 ? 255 : .random(in: 0...255, using: &generator) }
        }
        let data = try Self.codecs(.none).encode(noise, as: .png)
        #expect(data.count > 512 << 10)
        try sameImage(data)
    }

    @Test("Errors arrive as the decoder threw them")
    func errors() throws {
        let data = try Self.codecs(.none).encode(Self.gradient(40, 30), as: .png)
        #expect(throws: ImagingError.truncated(.png)) { try Self.codecs(.all).decode(data.prefix(data.count / 2)) }
        var options = DecodeOptions()
        options.frame = 4
        #expect(throws: ImagingError.noSuchFrame(4, count: 1)) { try Self.codecs(.all).decode(data, options: options) }
    }

    @Test("Frames of an animation come from a worker, also after the worker is gone")
    func animation() throws {
        let url = try #require(
            Bundle.module.url(forResource: "gif-loop-0", withExtension: "gif", subdirectory: "Fixtures"))
        let data = try Data(contentsOf: url)
        let here = try #require(try Self.codecs(.none).animation(data))
        let there = try #require(try Self.codecs(.all).animation(data))
        #expect(there.info == here.info)
        for round in 0..<2 {
            for index in [0, 2, 1] {
                let (a, b) = (try here.frame(at: index), try there.frame(at: index))
                #expect(a.withUnsafeBytes { Data($0) } == b.withUnsafeBytes { Data($0) }, "frame \(index)")
            }
            if round == 0 { DecodeWorkerPool.pool(for: .all).endIdleWorkers(olderThan: .zero) }
        }
        let still = try Self.codecs(.none).encode(Self.gradient(4, 4), as: .gif)
        #expect(try Self.codecs(.all).animation(still) == nil)
    }

    // MARK: Hostile decoders

    @Test("A decoder that crashes costs one call")
    func crash() throws {
        #expect(throws: ImagingError.decoderCrashed(.bmp, signal: Int(SIGSEGV))) {
            try Self.hostile.decode(Self.image("c"))
        }
        #expect(try Self.hostile.decode(Self.image("g")).bitmap.width == 8)
    }

    @Test("A decoder that never ends is stopped at the deadline")
    func endlessLoop() throws {
        var codecs = Self.hostile
        codecs.isolation.deadline = .milliseconds(300)
        #expect(throws: ImagingError.decodeTimedOut(.bmp, after: .milliseconds(300))) {
            try codecs.decode(Self.image("l"))
        }
        #expect(try Self.hostile.decode(Self.image("g")).bitmap.width == 8)
    }

    @Test(
        "A decoder that takes all memory, or asks for too much, is refused with imageTooLarge", arguments: ["a", "b"])
    func memory(_ command: String) throws {
        let error = #expect(throws: ImagingError.self) { try Self.hostile.decode(Self.image(Character(command))) }
        #expect(error?.code == "imageTooLarge")
        #expect(try Self.hostile.decode(Self.image("g")).bitmap.width == 8)
    }

    @Test("No process can resize shared memory, and none can change what is sealed")
    func seals() throws {
        let shared = try SharedMemory.create(byteCount: 4096)
        defer { close(shared) }
        #expect(ftruncate(shared, 0) != 0)
        #expect(ftruncate(shared, 8192) != 0)
        do {
            let memory = try #require(SharedMemory(descriptor: shared, byteCount: 4096))
            #expect(SharedMemory(descriptor: shared, byteCount: 4097) == nil)
            withExtendedLifetime(memory) { #expect(tt_make_unchangeable(shared) != 0) }
        }
        #expect(tt_make_unchangeable(shared) == 0)
        #expect(SharedMemory(descriptor: shared, byteCount: 4096) == nil)
        #expect(SharedMemory(descriptor: shared, byteCount: 4096, isReadOnly: true) != nil)
    }

    @Test("A list of frames that is too long for a message arrives whole")
    func manyFrames() throws {
        let count = 9000
        let frames = try Self.codecs(.none).encode(Self.gradient(1, 1), as: .gif)
        // The image of one frame, from its descriptor to the trailer, over and over.
        let start = try #require(frames.range(of: Data([0x2C, 0, 0, 0, 0]))?.lowerBound)
        let delay = Data([0x21, 0xF9, 4, 0, 10, 0, 0, 0])
        var data = Data(frames[..<start])
        for _ in 0..<count { data += delay + frames[start..<(frames.count - 1)] }
        data.append(0x3B)
        try sameImage(data)
        #expect(try Self.codecs(.all).info(data).frames.count == count)
        let animation = try #require(try Self.codecs(.all).animation(data))
        #expect(try animation.frame(at: 7).width == 1)
    }

    @Test("Previews of an arriving image come from a worker")
    func previews() throws {
        let data = try Self.codecs(.none).encode(Self.gradient(400, 300), as: .png)
        func previews(_ scope: DecodeIsolation.Scope) throws -> [Data] {
            let decoder = ProgressiveImageDecoder(codecs: Self.codecs(scope))
            var result: [Data] = []
            for start in stride(from: 0, to: data.count, by: 700) {
                try decoder.append(data[start..<min(start + 700, data.count)])
                if let preview = try decoder.preview() { result.append(preview.bitmap.withUnsafeBytes { Data($0) }) }
            }
            return result
        }
        let (here, there) = (try previews(.none), try previews(.all))
        #expect(here.count > 2)
        #expect(here == there)
        let text = ProgressiveImageDecoder(codecs: Self.codecs(.all))
        try text.append(try Self.codecs(.none).encode(Self.gradient(4, 4), as: .png).prefix(4))
        #expect(text.canPreview)
        #expect(try text.preview() == nil)
    }

    @Test("A worker that was killed while it was idle is not the fault of the next image")
    func killedWhileIdle() throws {
        for _ in 0..<5 {
            _ = try Self.hostile.decode(Self.image("g"))
            for process in Self.workers() { kill(process, SIGKILL) }
            // A worker that dies while it decodes is another matter.
            while !Self.workers().isEmpty { usleep(1000) }
            _ = try Self.hostile.decode(Self.image("g"))
        }
    }

    @Test("Every call ends once while workers are killed at random, and no process is left")
    func killedAtRandom() async throws {
        let isOver = Locked(false)
        let killer = Thread {
            while !isOver.withLock({ $0 }) {
                if let worker = Self.workers().randomElement() { kill(worker, SIGKILL) }
                usleep(3000)
            }
        }
        killer.start()
        let ended = Locked(0)
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<100 {
                do {
                    let image = try Self.hostile.decode(Self.image("g"))
                    #expect(image.bitmap.width == 8)
                } catch {
                    #expect((error as? ImagingError)?.code == "decoderCrashed", "\(error)")
                }
                ended.withLock { $0 += 1 }
            }
        }
        isOver.withLock { $0 = true }
        #expect(ended.withLock { $0 } == 400)
        DecodeWorkerPool.pool(for: Self.hostile.isolation).endIdleWorkers(olderThan: .zero)
        #expect(Self.workers(areZombies: true).isEmpty)
    }

    @Test("No worker outlives its parent, not even in an endless loop")
    func killedParent() throws {
        let parent = Process()
        parent.executableURL = productFolder.appendingPathComponent("HostileWorker")
        parent.arguments = ["parent"]
        let output = Pipe()
        parent.standardOutput = output
        try parent.run()
        #expect(output.fileHandleForReading.availableData == Data("ready\n".utf8))
        let workers = Self.workers(of: parent.processIdentifier)
        #expect(!workers.isEmpty)
        kill(parent.processIdentifier, SIGKILL)
        parent.waitUntilExit()
        let deadline = ContinuousClock.now + .seconds(30)
        func isAlive(_ process: pid_t) -> Bool { kill(process, 0) == 0 }
        while workers.contains(where: isAlive), ContinuousClock.now < deadline { usleep(10_000) }
        #expect(!workers.contains(where: isAlive))
    }

    @Test("A strict setting refuses what a system does not protect, and works where the sandbox is whole")
    func strict() throws {
        var codecs = Self.codecs(.all)
        codecs.isolation.isStrict = true
        let data = try Self.codecs(.none).encode(Self.gradient(4, 4), as: .png)
        if try DecodeIsolation.all.missingProtections().isEmpty {
            #expect(try codecs.decode(data).bitmap.width == 4)
        } else {
            #expect(throws: ImagingError.self) { try codecs.decode(data) }
        }
    }

    /// The hostile workers of a process.
    private static func workers(
        of parent: pid_t = getpid(), areZombies: Bool = false
    ) -> [pid_t] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return entries.compactMap { pid_t($0) }.filter { process in
            guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8) else {
                return false
            }
            let isChild = status.contains("PPid:\t\(parent)\n")
            return isChild && status.hasPrefix("Name:\tHostileWorker\n")
                && (areZombies || !status.contains("State:\tZ"))
        }
    }

    @Test(
        "A decoder cannot open, write, connect, start a process, signal its parent or take shared memory",
        arguments: ["o", "w", "n", "f", "k", "s", "r"])
    func sandbox(_ command: String) throws {
        #expect(throws: ImagingError.processorFailed("refused")) {
            try Self.hostile.decode(Self.image(Character(command)))
        }
    }

    @Test(
        "A worker that breaks the protocol, or points at memory that it does not have, is replaced",
        arguments: ["x", "h", "e", "m", "p", "j", "d"])
    func lies(_ command: String) throws {
        #expect(throws: ImagingError.decoderCrashed(.bmp, signal: nil)) {
            try Self.hostile.decode(Self.image(Character(command)))
        }
        #expect(try Self.hostile.decode(Self.image("g")).bitmap.width == 8)
    }

    @Test("Good images are decoded while others crash, and no worker is left behind")
    func mixedLoad() async throws {
        let good = await withTaskGroup(of: Bool.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        Thread.detachNewThread {
                            var good = true
                            for round in 0..<250 {
                                if (round + thread) % 10 == 0 {
                                    _ = try? Self.hostile.decode(Self.image("cxnemj".randomElement() ?? "c"))
                                } else {
                                    good = good && (try? Self.hostile.decode(Self.image("g"))) != nil
                                }
                            }
                            continuation.resume(returning: good)
                        }
                    }
                }
            }
            return await group.reduce(true) { $0 && $1 }
        }
        #expect(good)
        let pool = DecodeWorkerPool.pool(for: Self.hostile.isolation)
        #expect(pool.workerCount <= pool.width)
        pool.endIdleWorkers(olderThan: .zero)
        #expect(pool.workerCount == 0)
    }

    @Test("Workers that crash or lie leave no descriptor open")
    func descriptors() throws {
        let parent = Process()
        parent.executableURL = productFolder.appendingPathComponent("HostileWorker")
        parent.arguments = ["count"]
        let output = Pipe()
        parent.standardOutput = output
        try parent.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        parent.waitUntilExit()
        // Some belong to the runtime; each of the 90 replaced workers would leave one more.
        #expect((Int(text.dropLast()) ?? .max) < 20)
    }

    @Test("The sandbox of this system is whole, or says what it lacks")
    func protections() throws {
        let missing = try DecodeIsolation.all.missingProtections()
        for part in missing { #expect(["no_new_privs", "resource limits", "landlock", "seccomp"].contains(part)) }
    }
}
