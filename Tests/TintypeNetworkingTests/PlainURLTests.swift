import Testing

@testable import TintypeNetworking

/// The quick way of reading a URL gives what the general one gives, or leaves the text to it.
@Suite("URLs that need no encoding") struct PlainURLTests {
    @Test(
        "Usual URLs go the quick way",
        arguments: [
            "http://example.com/", "https://a.b-c.example_d.com/path/to/image.jpg?width=20&height=30",
            "http://127.0.0.1:8080/a.png", "https://example.com:443/a", "http://example.com/a//b/?",
            "http://xn--nxasmq6b/(a)@2x.png?x=/?y", "http://localhost/~user/a+b;c=1",
        ])
    func usual(text: String) throws {
        let plain = try #require(WebURL(plain: text))
        let general = try WebURL(general: text)
        #expect(plain == general)
        #expect(plain.absoluteString == general.absoluteString && plain.cacheKey == general.cacheKey)
    }

    @Test(
        "What is not written as it is sent goes the general way",
        arguments: [
            "HTTP://example.com/", "http://Example.com/", "http://example.com", "http:///example.com/",
            "http://user@example.com/", "http://example.com/a b", "http://example.com/%61", "http://example.com/100%",
            "http://example.com/a/../b", "http://example.com/./a", "http://example.com/.hidden",
            "http://example.com/a#b", "http://example.com\\a", "http://example.com/a\\b", "http://[::1]/",
            "http://1.2.3/", "http://0x7f.1/", "http://127.0.0.01/", "http://256.1.1.1/", "http://1.2.3.4.5/",
            "http://example.com./", "http://a..b/", "http://.a/", "http:///", "http://example.com:/a",
            "http://example.com:080/", "http://example.com:70000/", "http://example.com:123456/", "http://ü.example/",
            "http://example.com/ü", "http://example.com/a?b|c", " http://example.com/", "ftp://example.com/", "",
            "http",
            "http://\(String(repeating: "a", count: 64)).com/",
        ])
    func unusual(text: String) { #expect(WebURL(plain: text) == nil) }

    @Test("the fast parser agrees with the general one on random texts")
    func random() {
        var generator = SystemRandomNumberGenerator()
        let pieces = [
            "http://", "https://", "a", "b.c", "example", ".", "..", "/", "//", "\\", ":", ":80", ":8080", "@", "?",
            "#",
            "%41", "%", "%2e", "127.0.0.1", "0x10", "1", "01", "-", "_", "~", "|", " ", "A", "ü", "\u{301}", "[", "]",
            "[::1]", "\t", "=", "&", "+", "x.png",
        ]
        var agreed = 0
        for _ in 0..<20_000 {
            var text = Bool.random(using: &generator) ? "http://a" : ""
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                text += pieces.randomElement(using: &generator) ?? ""
            }
            guard let plain = WebURL(plain: text) else { continue }
            agreed += 1
            let general = try? WebURL(general: text)
            #expect(plain == general, "\(text)")
            #expect(plain.cacheKey == general?.cacheKey, "\(text)")
        }
        #expect(agreed > 100)
    }

    @Test("A combining mark behind a delimiter does not hide it from us: the host is the one a server sees")
    func combiningMarks() throws {
        #expect(try WebURL("http://a.test/\u{301}@b.test/").host == "a.test")
        #expect(try WebURL("http://a.test?\u{301}@b.test/").host == "a.test")
        #expect(try WebURL("http://a.test#\u{301}@b.test/").host == "a.test")
        #expect(try WebURL("http://a.test\\\u{301}@b.test/").host == "a.test")
        #expect(try WebURL("http://a.test/\u{301}").path == "/%CC%81")
        #expect(throws: NetworkingError.self) { try WebURL("http://[::1]\u{301}/") }
        #expect(throws: NetworkingError.self) { try WebURL("http:///\u{301}/") }
        #expect(try WebURL("http://a.test/b/c").resolving("//b.test/\u{301}x").host == "b.test")
        #expect(try WebURL("http://a.test/b/\u{301}c").resolving("d").path == "/b/d")
    }
}
