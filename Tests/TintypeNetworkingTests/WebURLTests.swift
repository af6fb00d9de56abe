import Testing

@testable import TintypeNetworking

@Suite struct WebURLTests {
    // Scenario S43.
    @Test(
        "each spelling is encoded exactly once",
        arguments: [
            ("http://h/a b.png", "http://h/a%20b.png"),
            ("http://h/a%20b.png", "http://h/a%20b.png"),
            ("http://h/Ünï/图.png", "http://h/%C3%9Cn%C3%AF/%E5%9B%BE.png"),
            ("http://h/x%2Fy.png", "http://h/x%2Fy.png"),
            ("http://h/x%2fy.png", "http://h/x%2fy.png"),
            ("http://h/a+b.png", "http://h/a+b.png"),
            ("http://h/100%.png", "http://h/100%25.png"),
            ("http://h/%zz%4", "http://h/%25zz%254"),
            ("http://h/%", "http://h/%25"),
            ("http://h/a?q=a|b[c]\"d e", "http://h/a?q=a%7Cb%5Bc%5D%22d%20e"),
            ("http://h/a?q=ü&r=%C3%BC", "http://h/a?q=%C3%BC&r=%C3%BC"),
            ("http://h/a?u=http://x/y?z", "http://h/a?u=http://x/y?z"),
            ("http://h/<>^`{}\"", "http://h/%3C%3E%5E%60%7B%7D%22"),
            ("http://h/😀", "http://h/%F0%9F%98%80"),
            ("HTTP://EXAMPLE.Com/A", "http://example.com/A"),
            ("http://h/a#frag", "http://h/a"),
            ("http://h/a?b#frag?x", "http://h/a?b"),
            ("http://h", "http://h/"),
            ("http://h?x", "http://h/?x"),
            ("http://h#x", "http://h/"),
            ("http://h/?", "http://h/?"),
            ("http://h:80/", "http://h/"),
            ("https://h:443/", "https://h/"),
            ("https://h:80/", "https://h:80/"),
            ("http://h:/", "http://h/"),
            ("http://h:0080/", "http://h/"),
            ("http://h/a/./b/../c", "http://h/a/c"),
            ("http://h/../../a", "http://h/a"),
            ("http://h/a/%2e%2E/b", "http://h/b"),
            ("http://h/a/..", "http://h/"),
            ("http://h/a/b/.", "http://h/a/b/"),
            ("http://h/a//b", "http://h/a//b"),
            ("http://h/...", "http://h/..."),
            ("http://h\\a\\b", "http://h/a/b"),
            ("http:\\\\h/a", "http://h/a"),
            ("  http://h/a\t\n ", "http://h/a"),
            ("http://h/a\nb", "http://h/ab"),
            ("http:///h/a", "http://h/a"),
            ("http://h/a;p=1,2!$&'()*~", "http://h/a;p=1,2!$&'()*~"),
            ("http://user:p%40ss@h/a", "http://h/a"),
            ("http://u@x@h/a", "http://h/a"),
        ])
    func encodedOnce(_ spelling: String, _ expected: String) throws {
        let url = try WebURL(spelling)
        #expect(url.absoluteString == expected)
        #expect(try WebURL(url.absoluteString).absoluteString == expected, "reading it again changes nothing")
    }

    // Scenario S43.
    @Test(
        "hosts",
        arguments: [
            ("http://bücher.example/", "xn--bcher-kva.example"),
            ("http://BÜCHER.example/", "xn--bcher-kva.example"),
            ("http://b%C3%BCcher.example/", "xn--bcher-kva.example"),
            ("http://bu\u{308}cher.example/", "xn--bcher-kva.example"),
            ("http://faß.example/", "xn--fa-hia.example"),
            ("http://图片.example/", "xn--wcsw84d.example"),
            ("http://例え。テスト/", "xn--r8jz45g.xn--zckzah"),
            ("http://ｅｘａｍｐｌｅ.com/", "example.com"),
            ("http://a_b.example/", "a_b.example"),
            ("http://example.com./", "example.com."),
            ("http://127.1/", "127.0.0.1"),
            ("http://0x7f000001/", "127.0.0.1"),
            ("http://2130706433/", "127.0.0.1"),
            ("http://0177.0.0.1/", "127.0.0.1"),
            ("http://0x7f.1/", "127.0.0.1"),
            ("http://１２７.0.0.1/", "127.0.0.1"),
            ("http://[::1]/", "[::1]"),
            ("http://[0:0:0:0:0:FFFF:7f00:1]/", "[::ffff:127.0.0.1]"),
            ("http://[2001:DB8::0001]:8080/", "[2001:db8::1]"),
            ("http://1e400.example/", "1e400.example"),
            // Names that were others once, by IDNA 2003.
            ("http://straße☕.de/", "xn--strae-oqa7977d.de"),
            ("http://ẞ.com/", "xn--zca.com"),
            ("http://FAẞ.de/", "xn--fa-hia.de"),
            ("http://Σίσυφος.gr/", "xn--kxa6ajbbmh.gr"),
            // Joiners where a script needs them.
            ("http://\u{915}\u{94D}\u{200D}\u{937}.example/", "xn--11b2ezcw70k.example"),
            // Names that IDNA 2008 alone would refuse.
            ("http://☕.de/", "xn--53h.de"),
            ("http://ä.b-.c/", "xn--4ca.b-.c"),
            ("http://ab--ü.de/", "xn--ab---3ra.de"),
            ("http://\u{10AE}.ü/", "xn--5kj.xn--tda"),
        ])
    func hosts(_ spelling: String, _ host: String) throws {
        #expect(try WebURL(spelling).host == host)
    }

    @Test(
        arguments: [
            "", "   ", "a/b", "//h/a", "http://", "http:///", "http://h:x/", "http://h:65536/", "http://h:-1/",
            "http://h:0/", "http://a b/", "http://a<b/", "http://a%00b/", "http://[::1", "http://[1.2.3.4]/",
            "http://[::1]x/", "http://256.1.1.1/", "http://1.2.3.4.5/", "http://0x100000000/", "http://a..b/",
            "http://.a/", "http://.../", "http://@/", "http://:80/", "://h/", "http://look\u{5BE}out.net/",
            "http://x.\u{200D}/", "http://a\u{200D}b.ü/", "http://a℀b.ü/", "http://foo.0XFfFfFfFfFfFfFfFfFfFfAcE123/",
            "http://foo.0x/", "http://foo.09/", "http://a%C2%AD%2Fb/",
        ])
    func refuses(_ text: String) {
        #expect { try WebURL(text) } throws: { ($0 as? NetworkingError)?.code == "invalidURL" }
    }

    @Test(arguments: ["ftp://h/a", "file:///etc/passwd", "javascript:alert(1)", "data:,x", "gopher://h"])
    func otherSchemes(_ text: String) {
        #expect { try WebURL(text) } throws: { ($0 as? NetworkingError)?.code == "unsupportedScheme" }
    }

    // Scenario S43.
    @Test("one cache key for the spellings of one URL")
    func cacheKeys() throws {
        let groups = [
            ["http://h/a b.png", "http://h/a%20b.png", "HTTP://H:80/a b.png#x", "http://h/x/../a%20b.png"],
            ["http://h/ü", "http://h/%C3%BC", "http://h/%c3%bc", "http://h/%c3%BC"],
            ["http://h/~a", "http://h/%7Ea", "http://h/%7e%61"],
            ["http://h/a?b=c|d", "http://h/a?b=c%7Cd", "http://h/a?b=c%7cd"],
            ["http://bücher.example/", "http://xn--bcher-kva.example", "http://B%C3%BCCHER.EXAMPLE:80"],
            ["http://h/a", "http://h/a#b"],
        ]
        for group in groups {
            #expect(Set(try group.map { try WebURL($0).cacheKey }).count == 1, "\(group)")
        }
        let different = [
            "http://h/a", "https://h/a", "http://h/A", "http://h/a?", "http://h/a/", "http://h:81/a", "http://h/a%2Fb",
            "http://h/a/b", "http://h/a+b", "http://h/a%20b", "http://h/a%2Bb", "http://u@h/a", "http://v@h/a",
        ]
        #expect(Set(try different.map { try WebURL($0).cacheKey }).count == different.count)
        #expect(try !WebURL("http://u:secret@h/a").cacheKey.contains("secret"))
    }

    // Scenario S41.
    @Test(
        "references",
        arguments: [
            ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
            ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q"), ("g#s", "http://a/b/c/g"), (";x", "http://a/b/c/;x"),
            ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("..", "http://a/b/"), ("../g", "http://a/b/g"),
            ("../../../g", "http://a/g"), ("g;x=1/../y", "http://a/b/c/y"), ("http:g", "http://a/b/c/g"),
            ("http:/g", "http://a/g"), ("http:\\g", "http://a/g"), ("http:\\\\g", "http://g/"),
            ("https:/g", "https://g/"),
            ("https://h/x", "https://h/x"), ("//ü.example/图", "http://xn--tda.example/%E5%9B%BE"),
            ("/a b|c", "http://a/a%20b%7Cc"), ("\\\\evil\\x", "http://evil/x"), ("a:80", "unsupportedScheme"),
            ("file:///etc/passwd", "unsupportedScheme"), ("http://", "invalidURL"), ("//", "invalidURL"),
        ])
    func references(_ reference: String, _ expected: String) throws {
        let base = try WebURL("http://a/b/c/d;p?q")
        do {
            #expect(try base.resolving(reference).absoluteString == expected)
        } catch {
            #expect(error.code == expected)
        }
    }

    @Test func credentialsInTheAuthority() throws {
        let url = try WebURL("http://us%40er:p%3Ass:x@h/a")
        #expect(url.user == "us@er")
        #expect(url.password == "p:ss:x")
        #expect(!url.description.contains("us"))
    }
}

@Suite struct ResourceURLTests {
    @Test func kinds() throws {
        guard case .web = try ResourceURL("HTTPS://h/a") else { throw Wrong() }
        guard case .data = try ResourceURL("DATA:,x") else { throw Wrong() }
        guard case .file("/a b/ü.png") = try ResourceURL("file:///a%20b/%C3%BC.png") else { throw Wrong() }
        guard case .file("/a/b") = try ResourceURL("file://localhost/a/./b#f") else { throw Wrong() }
        guard case .file("/a") = try ResourceURL("file:/a?x") else { throw Wrong() }
        guard case .file("/a%20b") = try ResourceURL("/a%20b") else { throw Wrong() }
        guard case .file(let relative) = try ResourceURL("images/a:b.png") else { throw Wrong() }
        #expect(relative.hasPrefix("/") && relative.hasSuffix("/images/a:b.png"))
        guard case .file(let dotted) = try ResourceURL("./x:y") else { throw Wrong() }
        #expect(dotted.hasSuffix("/x:y"))
    }

    @Test(arguments: ["file://host/a", "file:", "file:///%00", ""])
    func refuses(_ text: String) {
        #expect { try ResourceURL(text) } throws: { ($0 as? NetworkingError)?.code == "invalidURL" }
    }

    @Test func unknownScheme() {
        #expect { try ResourceURL("ftp://h/a") } throws: { ($0 as? NetworkingError)?.code == "unsupportedScheme" }
    }

    @Test func keys() throws {
        #expect(try ResourceURL("file:///a%20b").cacheKey == ResourceURL("/a b").cacheKey)
        #expect(try ResourceURL("/a%20b").cacheKey != ResourceURL("/a b").cacheKey)
        #expect(try ResourceURL("http://H/ü").cacheKey == "http://h/%C3%BC")
    }

    // Scenario S45.
    @Test("log lines are shortened")
    func logLines() throws {
        let long = "data:image/png;base64," + String(repeating: "A", count: 5_000_000)
        #expect(try ResourceURL(long).logDescription.utf8.count < 120)
        #expect(try ResourceURL("data:\(String(repeating: "x", count: 9000)),a").logDescription.utf8.count < 120)
        let failure = #expect(throws: NetworkingError.self) {
            try DataURL("data:" + String(repeating: "A", count: 9000))
        }
        #expect((failure?.description.utf8.count ?? 9999) < 250)
    }

    struct Wrong: Error {}
}
