import Foundation
import Testing

@testable import TintypeCommandLine

@Suite("JSON Lines")
struct JSONOutputTests {
    @Test("keys keep their order, and numbers are rounded")
    func shape() {
        let value = JSONOutput.object([
            ("z", .integer(-1)), ("a", .double(0.1 + 0.2)), ("m", .double(2)), ("n", .double(.nan)),
            ("t", .double(0.0000004)), ("b", .boolean(true)), ("e", .array([])), ("o", .null), ("big", .double(1e300)),
        ])
        #expect(
            value.line == #"{"z":-1,"a":0.3,"m":2,"n":null,"t":0,"b":true,"e":[],"o":null,"big":1e+300}"#)
    }

    @Test("every string survives encoding and stays on one line")
    func escapes() throws {
        let hard = "\"\\/\n\r\t\u{0}\u{1F}\u{7F}\u{2028}é图\u{1F600}\u{85}"
        let line = JSONOutput.object([(hard, .string(hard))]).line
        #expect(line.split(whereSeparator: \.isNewline).count == 1 || !line.contains("\n"))
        let back = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
        #expect(back == [hard: hard])
    }
}
