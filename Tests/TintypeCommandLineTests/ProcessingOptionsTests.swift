import Testing
import Tintype

@testable import TintypeCommandLine

@Suite("Processing flags")
struct ProcessingOptionsTests {
    func steps(_ words: String...) throws -> [ProcessingOptions.Step] {
        let arguments = try OptionParser.parse(words, options: ConvertCommand.specification.options)
        return try ProcessingOptions(Invocation(arguments: arguments, console: Console())).steps
    }

    @Test("a box has both sides or one of them")
    func boxes() throws {
        #expect(try steps("--resize", "64x32") == [.resize(ResizeTarget(width: 64, height: 32))])
        #expect(try steps("--resize", "64x") == [.resize(ResizeTarget(width: 64, height: nil))])
        #expect(try steps("--resize=x32") == [.resize(ResizeTarget(width: nil, height: 32))])
        for bad in ["x", "", "64", "0x5", "-1x5", "5x5x5", "5 x 5", "99999999x1", "٣x3", "+5x5"] {
            #expect(throws: UsageError.self, "\(bad)") { try steps("--resize", bad) }
        }
    }

    @Test("steps keep the order of the command line; modifiers apply to all steps")
    func order() throws {
        let wanted = ResizeTarget(width: 9, height: 8, fit: .cover, allowsUpscaling: false, filter: .catmullRom)
        #expect(
            try steps(
                "--crop", "1,2,3,4", "--resize", "9x8", "--circle", "--blur", "2.5", "--fit", "cover", "--no-upscale",
                "--filter", "catmull-rom", "--corner-radius", "3", "--tint", "#FF0000FF")
                == [
                    .crop(PixelRect(x: 1, y: 2, width: 3, height: 4)), .resize(wanted), .circle, .blur(2.5),
                    .cornerRadius(3), .tint(0xFF0000, alpha: 1),
                ])
    }

    @Test("invalid values are usage errors")
    func nonsense() {
        let bad = [
            ["--fit", "stretch"], ["--filter", "best"], ["--crop", "1,2,3"], ["--crop", "1,2,0,4"],
            ["--crop", "a,b,c,d"],
            ["--blur", "-1"], ["--blur", "nan"], ["--tint", "red"], ["--tint", "12345"], ["--max-pixels", "0"],
        ]
        for words in bad {
            #expect(throws: UsageError.self, "\(words)") {
                let arguments = try OptionParser.parse(words, options: ConvertCommand.specification.options)
                _ = try ProcessingOptions(Invocation(arguments: arguments, console: Console()))
            }
        }
    }

    @Test("the format follows the extension")
    func formats() {
        #expect(Conversion.format(forPath: "a/b.JPEG") == .jpeg)
        #expect(Conversion.format(forPath: "x.tar.tif") == .tiff)
        #expect(Conversion.format(forPath: ".png") == .png)
        #expect(Conversion.format(forPath: "dir.png/file") == nil)
        #expect(Conversion.format(forPath: "x.") == nil)
        #expect(Conversion.format(forPath: "") == nil)
    }
}
