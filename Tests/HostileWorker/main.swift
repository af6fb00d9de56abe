// A decode worker whose decoder does what a hijacked decoder might do. The byte after "BM" says what.

import CIsolation
import TintypeBase
import TintypeImaging

DecodeWorker.runIfRequested(codecs: ImageCodecs(decoders: [HostileDecoder()], encoders: []))
let mode = CommandLine.arguments.dropFirst().first
guard mode == "parent" || mode == "count" else {
    print("usage: started by the isolation tests")
    exit(2)
}
// A parent of workers in a process of its own, for tests that kill it or count its descriptors.
var codecs = ImageCodecs.standard
codecs.isolation = DecodeIsolation(scope: .formats([.bmp]))
codecs.isolation.workerPath = CommandLine.arguments[0]
_ = try codecs.decode(image("g"))
if mode == "count" {
    func descriptorCount() -> Int { (0..<1000).count { fcntl(Int32($0), F_GETFD) >= 0 } }
    let before = descriptorCount()
    for command in String(repeating: "cxehmpjdg", count: 10) { _ = try? codecs.decode(image(command)) }
    _ = try codecs.decode(image("g"))
    print(descriptorCount() - before)
    exit(0)
}
print("ready")
fflush(nil)
_ = try codecs.decode(image("l"))

/// The header of a BMP, whose third byte is a command.
func image(_ command: Character) -> Data {
    var data = Data("BM\(command)".utf8) + Data(count: 61)
    data[10] = 54
    data[14] = 40
    return data
}

/// Misbehaves as the image says.
struct HostileDecoder: ImageDecoder {
    var format: ImageFormat { .bmp }

    func info(_ data: Data, isComplete: Bool, limits: DecodeLimits) throws -> ImageInfo {
        ImageInfo(format: .bmp, storedSize: PixelSize(width: 8, height: 8), hasAlpha: false)
    }

    func decode(_ data: Data, options: DecodeOptions) throws -> DecoderOutput {
        try misbehave(data.dropFirst(2).first.map { Character(Unicode.Scalar($0)) } ?? "g")
        let bitmap = try Bitmap(width: 8, height: 8, isOpaque: true) { bytes, _ in
            bytes.initializeMemory(as: UInt8.self, repeating: 255)
        }
        return DecoderOutput(bitmap: bitmap, info: try info(data, isComplete: true, limits: options.limits))
    }

    private func misbehave(_ command: Character) throws {
        switch command {
        case "c": raise(SIGSEGV)
        case "l": while true { _ = getppid() }
        case "a":
            var blocks: [UnsafeMutableRawPointer] = []
            while true {
                guard let block = malloc(16 << 20) else { abort() }
                memset(block, 1, 16 << 20)
                blocks.append(block)
            }
        case "o": try expectRefusal(open("/etc/passwd", O_RDONLY))
        case "w": try expectRefusal(open("/tmp/tintype-worker-was-here", O_WRONLY | O_CREAT, 0o600))
        case "n": try expectRefusal(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        case "f":
            var process: pid_t = 0
            let code = posix_spawn(&process, "/bin/true", nil, nil, [nil], nil)
            throw ImagingError.processorFailed(code == 0 ? "allowed" : "refused")
        case "k": try expectRefusal(kill(getppid(), SIGTERM))
        case "x": send([UInt8](repeating: 0xFF, count: 300))
        case "h": send(Array("image".utf8))
        case "e": exit(0)
        case "m": send(pixels(side: 1000, output: 1))
        case "p": send(pixels(side: 20_000, output: 0))
        case "b": send(text("needsOutput") + number(.max))
        case "j": send(text("elsewhere") + number(0) + number(500_000) + number(500_000))
        case "d": sendDescriptor()
        case "s": try expectRefusal(fcntl(3, F_SETOWN, getppid()))
        case "r": try expectRefusal(tt_shared_memory(4096))
        default: break
        }
    }

    private func expectRefusal(_ result: Int32) throws {
        throw ImagingError.processorFailed(result < 0 ? "refused" : "allowed")
    }

    private func number(_ value: Int) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }

    private func text(_ text: String) -> [UInt8] { number(text.utf8.count) + text.utf8 }

    /// A reply with pixels that are not where it says.
    private func pixels(side: Int, output: Int) -> [UInt8] {
        text("frame") + number(side) + number(side) + [1] + number(output)
    }

    private func sendDescriptor() {
        var descriptor: Int32 = 0
        let bytes = text("noSession")
        _ = tt_send_message(3, bytes, bytes.count, &descriptor, 1)
    }

    /// Writes to the worker's socket behind the back of its loop.
    private func send(_ bytes: [UInt8]) { _ = bytes.withUnsafeBytes { write(3, $0.baseAddress, $0.count) } }
}
