import Testing

@testable import TintypeCommandLine

@Suite("File names from URLs")
struct OutputNamesTests {
    @Test(
        "file names are safe and readable, and never a path",
        arguments: [
            ("https://e.com/a/b.png", "b"), ("https://e.com/a/b.PNG?x=1#y", "b"),
            ("https://e.com/v1.2/logo.min", "logo.min"),
            ("https://e.com/", "e.com"), ("https://u:p@e.com", "e.com"), ("https://e.com/..", "e.com"),
            ("https://e.com/%2e%2e%2fetc%2fpasswd", "_etc_passwd"), ("https://e.com/.htaccess", "htaccess"),
            ("https://e.com/-rf", "rf"), ("https://e.com/a%00b%0A.jpg", "a_b_"),
            ("https://e.com/caf%C3%A9.gif", "café"),
            ("https://e.com/%FF%FE.jpg", "e.com"), ("data:image/png;base64,AAAA", "data"),
            ("file:///tmp/x y.webp", "x y"),
            ("/tmp/dir/pic.jpeg", "pic"), ("https://e.com/con:aux?.png", "con_aux"),
            ("https://e.com/a%5C..%5Cb.png", "a_.._b"),
            ("https://e.com/nul", "nul_"), ("https://e.com/CON.png", "CON_"),
            ("https://e.com/com1.tar.gz", "com1.tar.gz_"),
            ("https://e.com/console", "console"), ("https://e.com/com0", "com0"), ("https://e.com/lpt9", "lpt9_"),
            ("https://e.com/%E2%80%AEgnp.exe", "_gnp.exe"), ("https://e.com/.png", "e.com"), ("", "image"),
            ("https://e.com/a.png%20", "a"), ("https://e.com/a.png.", "a"), ("https://e.com/a.png.png", "a"),
            ("https://e.com/a.svg.png", "a.svg"), ("https://e.com/a.tar.png", "a.tar"),
        ])
    func stems(_ url: String, _ stem: String) { #expect(OutputNames.stem(of: url) == stem) }

    @Test("long names are shortened, equal names get numbers, and a repeated URL keeps its name")
    func collisions() {
        var names = OutputNames()
        let long = String(repeating: "é", count: 500)
        #expect(names.stem(for: "https://e.com/\(long).png").utf8.count <= 160)
        #expect(names.stem(for: "https://a.com/x.png") == "x")
        #expect(names.stem(for: "https://b.com/X.jpg") == "X-2")
        #expect(names.stem(for: "https://a.com/x.png") == "x")
        #expect(names.stem(for: "https://c.com/x") == "x-3")
        #expect(names.stem(for: "https://d.com/x-3") == "x-3-2")
    }
}
