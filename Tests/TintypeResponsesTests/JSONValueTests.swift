import Foundation
import Testing
import TintypeResponses

@Suite("JSON values")
struct JSONValueTests {
    @Test("trees, fragments, escapes, Unicode and numbers survive a round trip")
    func roundTrips() throws {
        let tree: JSONValue = [
            "name": "Zoë 图 \u{1F600} \u{0}\u{1F}\"\\/", "n": nil, "yes": true, "no": false, "empty": [:], "list": [],
            "deep": [["a": [1, -2.5, 1e300, ["b": "c"]]]], "max": .integer(.max), "min": .integer(.min),
        ]
        #expect(try JSONValue(data: tree.data()) == tree)
        for fragment in [nil, true, 0, -1.5, "text", [], [:]] as [JSONValue] {
            #expect(try JSONValue(data: fragment.data()) == fragment)
        }
        // Foundation reads our text, and we read Foundation's.
        let theirs = try JSONSerialization.jsonObject(with: tree.data()) as? NSDictionary
        #expect((theirs?["name"] as? String) == tree["name"]?.stringValue)
        let again = try JSONValue(data: JSONSerialization.data(withJSONObject: try #require(theirs)))
        #expect(again["deep"] == tree["deep"])
        #expect(again["name"] == tree["name"])
    }

    static let good: [(String, JSONValue)] = [
        (#" { "a" : [ 1 , 2 ] } "#, ["a": [1, 2]]), (#""\u00e9\uD83D\uDE00\n""#, "é\u{1F600}\n"),
        (#""\uD83D""#, "\u{FFFD}"), (#""\uD83Dx""#, "\u{FFFD}x"), ("-0", 0), ("1E2", 100.0), ("1.0", 1.0),
        ("12345678901234567890", 12345678901234567890.0), (#"{"a":1,"a":2}"#, ["a": 2]), ("\u{FEFF}[]", []),
    ]

    @Test("text that RFC 8259 allows is read", arguments: good)
    func leniency(_ text: String, _ value: JSONValue) throws {
        #expect(try JSONValue(data: Data(text.utf8)) == value)
    }

    static let bad: [String] = [
        "", "[1,]", #"{"a":1,}"#, "[1 2]", "01", "1.", ".5", "+1", "1e", "nul", "NaN", "Infinity", "'a'", #""\x""#,
        "\"\u{1}\"", #""open"#, "[", "[]]", "{1:2}", #"{"a"}"#, "1e999", #""\u12g4""#, "\u{A0}1", "true false", "-",
        "\"\\",
    ]

    @Test("text that RFC 8259 forbids is an error", arguments: bad)
    func strictness(_ text: String) {
        #expect(throws: ResponseCacheError.self) { try JSONValue(data: Data(text.utf8)) }
    }

    @Test("bytes that are not UTF-8 and endless nesting are errors")
    func hostile() throws {
        for bytes in [[0x22, 0xFF, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xC0, 0x80, 0x22], [0xFF, 0xFE]]
            as [[UInt8]]
        {
            #expect(throws: ResponseCacheError.self) { try JSONValue(data: Data(bytes)) }
        }
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: ResponseCacheError.self) { try JSONValue(data: Data(deep.utf8)) }
        let fine = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
        #expect(throws: Never.self) { try JSONValue(data: Data(fine.utf8)) }
        var tower: JSONValue = 1
        for _ in 0..<600 { tower = [tower] }
        #expect(throws: ResponseCacheError.self) { try tower.data() }
        #expect(throws: ResponseCacheError.self) { try JSONValue.number(.nan).data() }
        #expect(throws: ResponseCacheError.self) { try (["a": .number(.infinity)] as JSONValue).data() }
    }

    @Test("numbers of any length are read as the nearest Double")
    func numbersAreExact() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let digits = { (count: Int) in
                String((0..<count).map { _ in Character("\(Int.random(in: 0...9, using: &generator))") })
            }
            let whole =
                "\(Int.random(in: 1...9, using: &generator))" + digits(Int.random(in: 0...12, using: &generator))
            let text = (Bool.random() ? "-" : "") + whole + "." + digits(Int.random(in: 1...12, using: &generator))
            #expect(try JSONValue(data: Data(text.utf8)) == .number(try #require(Double(text))), "\(text)")
        }
        for text in ["0", "-0", "999999999999999", "-999999999999999", "9223372036854775807", "1000000000000000"] {
            #expect(try JSONValue(data: Data(text.utf8)) == .integer(try #require(Int(text))))
        }
        let zero = try #require(try JSONValue(data: Data("-0.0".utf8)).doubleValue)
        #expect(zero == 0 && zero.sign == .minus)
    }

    @Test("strings of up to 40 bytes with a special character at each place are read")
    func stringsAroundWords() throws {
        for count in 0..<40 {
            for place in 0...count {
                for (special, escaped) in [
                    ("\"", "\\\""), ("\\", "\\\\"), ("\u{1}", "\\u0001"), ("é", "é"), ("😀", "😀"),
                ] {
                    let before = String(repeating: "a", count: place)
                    let after = String(repeating: "~", count: count - place)
                    let value = JSONValue.string(before + special + after)
                    let text = "\"" + before + escaped + after + "\""
                    #expect(try JSONValue(data: Data(text.utf8)) == value)
                    #expect(try value.data() == Data(text.utf8))
                }
                let broken =
                    "\"" + String(repeating: "a", count: place) + "\u{1}" + String(repeating: "a", count: count) + "\""
                #expect(throws: ResponseCacheError.self) { try JSONValue(data: Data(broken.utf8)) }
            }
        }
    }

    @Test("nested arrays and objects keep their own elements")
    func nestedElements() throws {
        let text = #"[[1,[2,3],{"a":[4],"b":{"a":5,"a":6}},[]],{"a":[7,{"a":8}],"c":{}},9]"#
        let inner: JSONValue = ["a": [4], "b": ["a": 6]]
        #expect(
            try JSONValue(data: Data(text.utf8))
                == [[1, [2, 3], inner, []], ["a": [7, ["a": 8]], "c": .object([:])], 9])
    }

    @Test("values are found by key and index, without traps")
    func access() {
        let value: JSONValue = ["list": [1, 2.0, "x"], "flag": false]
        #expect(value["list"]?[1]?.intValue == 2)
        #expect(value["list"]?[0]?.doubleValue == 1)
        #expect(value["list"]?[9] == nil)
        #expect(value["none"]?["deeper"] == nil)
        #expect(value[0] == nil)
        #expect(value["flag"]?.boolValue == false)
    }

    @Test("a JSON value is Codable")
    func codable() throws {
        struct Page: Codable, Equatable {
            var title: String
            var extra: JSONValue
        }
        let page = Page(title: "a", extra: ["k": [1, true, nil, "s", 1.5]])
        #expect(try JSONDecoder().decode(Page.self, from: JSONEncoder().encode(page)) == page)
    }
}
