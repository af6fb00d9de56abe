import Foundation
import Testing
import Tintype

@testable import TintypeCommandLine

@Suite("Terminal output")
struct TerminalTests {
    private func bitmap(_ colours: [[UInt8]], width: Int) throws -> Bitmap {
        try Bitmap(width: width, height: colours.count / width) { bytes, bytesPerRow in
            for (index, colour) in colours.enumerated() {
                for channel in 0..<4 {
                    bytes[index / width * bytesPerRow + index % width * 4 + channel] = colour[channel]
                }
            }
        }
    }

    @Test("half blocks: a cell shows two pixels, transparent ones in the background colour")
    func blocks() throws {
        let (red, green, none): ([UInt8], [UInt8], [UInt8]) = ([255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 0, 0])
        #expect(
            TerminalImage.blocks(try bitmap([red, green], width: 1))
                == "\u{1B}[38;2;255;0;0;48;2;0;255;0m▀\u{1B}[0m\n")
        #expect(TerminalImage.blocks(try bitmap([none, none], width: 1)) == "\u{1B}[0m \u{1B}[0m\n")
        let mixed = TerminalImage.blocks(try bitmap([red, none, green], width: 1))
        #expect(mixed == "\u{1B}[0;38;2;255;0;0m▀\u{1B}[0m\n\u{1B}[0;38;2;0;255;0m▀\u{1B}[0m\n")
    }

    @Test("sixel: contains the size, colours and run lengths")
    func sixel() throws {
        let red: [UInt8] = [255, 0, 0, 255]
        let text = Sixel.text(try bitmap(Array(repeating: red, count: 10), width: 10))
        // 180 is 5, 0, 0 of the six levels; one row of ten is the lowest bit, ten times.
        #expect(text == "\u{1B}P0;1;0q\"1;1;10;1#180;2;100;0;0#180!10@\u{1B}\\\n")
    }

    @Test("the progress bar fits the line and shows rate and time left")
    func bar() {
        let line = ProgressBar.line(done: 25, of: 100, bytes: 10 << 20, seconds: 5, columns: 100)
        #expect(line.contains("25/100  10.0 MB  2.0 MB/s  ETA 15.00 s"))
        for columns in [10, 20, 40, 60, 80, 200] {
            for done in [0, 1, 50, 99, 100] {
                let line = ProgressBar.line(done: done, of: 100, bytes: 123_456, seconds: 2, columns: columns)
                #expect(line.count < columns)
            }
        }
        #expect(ProgressBar.line(done: 0, of: 0, bytes: 0, seconds: 0, columns: 80).contains("0/0"))
    }

    @Test("quantities are formatted for people")
    func quantities() {
        #expect(
            [0, 1023, 1024, 1_048_575, 1 << 30].map(Quantity.bytes) == ["0 B", "1023 B", "1.0 KB", "1.0 MB", "1.0 GB"])
        #expect(
            [0.00042, 0.0123, 0.5, 4.2, 185, 7300].map(Quantity.seconds) == [
                "420 µs", "12.30 ms", "500 ms", "4.20 s", "3 min 05 s", "2 h 01 min",
            ])
        #expect(
            [0, 999, 1000, 1_234_567, -1000].map(Quantity.grouped) == ["0", "999", "1,000", "1,234,567", "-1,000"])
    }
}
