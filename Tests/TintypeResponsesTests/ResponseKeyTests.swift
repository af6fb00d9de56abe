import Testing

@testable import TintypeResponses

@Suite("Response keys")
struct ResponseKeyTests {
    func key(
        _ url: String = "https://e.com/x", method: String = "GET", parameters: [String: JSONValue]? = nil,
        version: String = "", partition: String = ""
    ) throws -> String {
        try ResponseKey(url, method: method, parameters: parameters, version: version, partition: partition).description
    }

    // Scenarios 003-5, 003-6.
    @Test("requests that differ at any depth have different keys")
    func distinct() throws {
        let keys = [
            try key(), try key("https://e.com/x?a=1"), try key(parameters: ["a": 1]), try key(parameters: ["a": "1"]),
            try key(parameters: ["a": true]),
            try key(parameters: ["a": nil]), try key(parameters: ["a": "<null>"]), try key(parameters: ["a": "null"]),
            try key(parameters: ["a": "1&b=2"]),
            try key(parameters: ["a": 1, "b": 2]), try key(parameters: ["a": "1", "b": "2"]),
            try key(parameters: ["a": 1.5]), try key(parameters: ["a": "1.5"]),
            try key(parameters: ["a1": 1]), try key(parameters: ["a01": 1]), try key(parameters: ["a": [1, 2]]),
            try key(parameters: ["a": [2, 1]]),
            try key(parameters: ["a": [[1], 2]]),
            try key(parameters: ["a": [[1, 2]]]), try key(parameters: ["a": ["1", "2"]]),
            try key(parameters: ["a": [:]]), try key(parameters: ["a": []]),
            try key(parameters: ["a": ""]),
            try key(parameters: ["a": ["b": 1]]), try key(parameters: ["a": ["b": [:]]]),
            try key(parameters: ["a.b": 1]), try key(parameters: ["a[b]": 1]),
            try key(parameters: ["ä": 1]), try key(parameters: ["a\u{0}b": 1]),
            try key(parameters: ["a": "x AppVersion:2"]), try key(version: "2"),
            try key(parameters: ["a": "x"], version: "2"), try key(partition: "2"),
            try key(version: "1", partition: "2"),
            try key(version: "2", partition: "1"), try key(method: "POST"), try key(parameters: ["a": "\u{1F600}"]),
            try key(parameters: ["a": -1]), try key(parameters: ["a": 10]), try key(parameters: ["a": 1, "b": nil]),
            try key("https://e.com/y"),
        ]
        #expect(Set(keys).count == keys.count)
    }

    // Scenario 003-6.
    @Test("equal requests have one key: order, nil and empty, 1 and 1.0, the case of the method")
    func equal() throws {
        #expect(
            try key(parameters: ["b": ["y": 1, "x": [2, ["q": 3, "p": 4]]], "a": 1])
                == key(parameters: ["a": 1, "b": ["x": [2, ["p": 4, "q": 3]], "y": 1]]))
        #expect(try key(parameters: nil) == key(parameters: [:]))
        #expect(try key(parameters: ["a": 1]) == key(parameters: ["a": 1.0]))
        #expect(try key(parameters: ["a": 0]) == key(parameters: ["a": -0.0]))
        #expect(try key(method: "get") == key(method: "GET"))
        #expect(try key("HTTPS://E.com:443/a b") == key("https://e.com/a%20b"))
        let many = Dictionary(uniqueKeysWithValues: (0..<200).map { ("k\($0)", JSONValue.integer($0)) })
        let shuffled = Dictionary(uniqueKeysWithValues: many.shuffled())
        #expect(try key(parameters: many) == key(parameters: shuffled))
    }

    @Test("the text of a key does not change between versions")
    func golden() throws {
        #expect(
            try key(
                "https://e.com/x", method: "post", parameters: ["b": [1, nil, true], "a": "é", "c": 2.5],
                version: "1.0",
                partition: "u:1")
                == "response/1 3:1.03:u:14:POST15:https://e.com/x30:o3;1:as2:é1:ba3;i1;nt1:cd2.5;")
    }

    // Scenario 003-4.
    @Test("an empty URL is an error", arguments: ["", "  ", "\n\t"])
    func empty(_ url: String) {
        #expect(throws: ResponseCacheError.self) { try ResponseKey(url) }
    }
}
