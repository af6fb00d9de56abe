import Foundation
import Testing

@testable import TintypeNetworking

@Suite struct CookieTests {
    private func cookie(_ text: String, _ url: String = "https://www.example.com/a/b") throws -> Cookie? {
        Cookie(setCookie: text, from: try WebURL(url), now: 1_000_000_000)
    }

    @Test func parsing() throws {
        let plain = try #require(try cookie("a = b=c ; Path=/x; HttpOnly; SECURE"))
        #expect(plain.name == "a" && plain.value == "b=c" && plain.path == "/x")
        #expect(plain.isHTTPOnly && plain.isSecure && plain.isHostOnly && plain.domain == "www.example.com")
        #expect(try cookie("a=b")?.path == "/a")
        #expect(try cookie("a=b; path=x")?.path == "/a")
        #expect(try cookie("a=b; Domain=.Example.com")?.domain == "example.com")
        #expect(try cookie("a=b; Max-Age=10; Expires=Sun, 06 Nov 1994 08:49:37 GMT")?.expires == 1_000_000_010)
        #expect(try cookie("a=b; Expires=Sun, 06-Nov-1994 08:49:37 GMT")?.expires == 784_111_777)
        #expect(try cookie("a=b; Max-Age=-1")?.expires == 0)
        #expect(try cookie("a=b; Max-Age=x")?.expires == nil)
        #expect(try cookie("a=\"b c\"")?.value == "\"b c\"")
        #expect(try cookie("a=")?.value == "")
    }

    @Test(
        arguments: [
            "", "a", "=b", "a=b; Domain=com", "a=b; Domain=other.com", "a=b; Domain=xexample.com",
            "a=b; Domain=sub.www.example.com", "__Host-a=b; Secure; Domain=example.com; Path=/", "__Secure-a=b",
            "__Host-a=b; Secure; Path=/x", "a=b\u{1}",
        ])
    func refused(_ text: String) throws {
        #expect(try cookie(text) == nil)
    }

    @Test func secureCookiesComeFromSecureOriginsOnly() throws {
        #expect(try cookie("a=b; Secure", "http://www.example.com/") == nil)
        #expect(try cookie("a=b; Domain=127.0.0.1", "http://127.0.0.1/")?.isHostOnly == true)
        #expect(try cookie("a=b; Domain=0.0.1", "http://127.0.0.1/") == nil)
    }

    @Test func matching() throws {
        let wide = try #require(try cookie("a=b; Domain=example.com; Path=/a"))
        for url in ["http://example.com/a", "http://x.example.com/a/", "https://www.example.com/a/b?c"] {
            #expect(wide.matches(try WebURL(url)), "\(url)")
        }
        for url in [
            "http://example.com/ab", "http://example.com/", "http://badexample.com/a", "http://example.com.evil/a",
        ] {
            #expect(!wide.matches(try WebURL(url)), "\(url)")
        }
        let narrow = try #require(try cookie("a=b; Path=/; Secure"))
        #expect(narrow.matches(try WebURL("https://www.example.com/")))
        #expect(!narrow.matches(try WebURL("http://www.example.com/")))
        #expect(!narrow.matches(try WebURL("https://x.www.example.com/")))
    }

    @Test("A cookie for a top-level domain is refused, however it is written")
    func topLevelDomains() throws {
        for domain in ["com", "com.", ".com", ".com.", "..com", "COM.", ".", "evil..com"] {
            for url in ["https://evil.com/", "https://evil.com./"] {
                let accepted = try cookie("a=b; Domain=\(domain)", url)
                #expect(accepted == nil || accepted?.isHostOnly == true, "\(domain) from \(url)")
            }
        }
        #expect(try cookie("a=b; Domain=com", "https://com/")?.isHostOnly == true)
        #expect(try cookie("a=b; Domain=evil.com", "https://www.evil.com/")?.domain == "evil.com")
    }

    @Test("A Secure cookie is neither replaced nor hidden over http")
    func secureCookiesAreLeftAlone() throws {
        let jar = CookieJar()
        let secure = try WebURL("https://www.example.com/a/b")
        let plain = try WebURL("http://www.example.com/a/b")
        jar.store(setCookie: "id=good; Secure; Domain=example.com; Path=/a", from: secure)
        for text in [
            "id=evil; Domain=example.com; Path=/a", "id=evil", "id=evil; Path=/a/b", "id=; Max-Age=0; Path=/a",
            "id=evil; Domain=example.com; Path=/a/x",
        ] {
            jar.store(setCookie: text, from: plain)
            #expect(jar.all.map(\.value) == ["good"], "\(text)")
        }
        jar.store(setCookie: "id=other; Path=/", from: plain)
        jar.store(setCookie: "other=1", from: plain)
        #expect(jar.header(for: secure) == "id=good; other=1; id=other")
        jar.store(setCookie: "id=new; Secure; Domain=example.com; Path=/a", from: secure)
        #expect(jar.header(for: secure)?.contains("id=new") == true)
    }

    @Test func jar() throws {
        let jar = CookieJar()
        let url = try WebURL("http://h.example/a/b")
        for text in ["x=1; Path=/", "y=2; Path=/a", "x=3; Path=/", "z=4; Max-Age=100"] {
            jar.store(setCookie: text, from: url)
        }
        #expect(jar.header(for: url) == "y=2; z=4; x=3")
        jar.store(setCookie: "y=; Max-Age=0; Path=/a", from: url)
        #expect(jar.header(for: url) == "z=4; x=3")
        let copy = try CookieJar(decoding: jar.encoded())
        #expect(copy.header(for: url) == "z=4")
        #expect(try CookieJar(decoding: jar.encoded(includingSession: true)).header(for: url) == "z=4; x=3")
        jar.removeAll()
        #expect(jar.header(for: url) == nil)
    }
}
