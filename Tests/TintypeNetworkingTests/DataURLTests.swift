import Foundation
import Testing

@testable import TintypeNetworking

@Suite struct DataURLTests {
    /// Its base64 holds "+" and "/".
    static let bytes = Data([0xFB, 0xEF, 0xFF, 0x3E, 0x3F, 0x00, 0x7F])
    static let base64 = "++//Pj8Afw=="

    // Scenario S45.
    @Test(
        "forms of base64",
        arguments: [
            "data:image/png;base64,++//Pj8Afw==", "data:;base64,++//Pj8Afw==", "data:image;base64,++//Pj8Afw==",
            "data:image/png;charset=utf-8;base64,++//Pj8Afw==", "data:image/png;base64;charset=utf-8,++//Pj8Afw==",
            "DATA:IMAGE/PNG;BASE64,++//Pj8Afw==", "data:image/png; base64 ,++//Pj8Afw==",
            "data:image/png;base64,%2B%2B%2F%2FPj8Afw%3D%3D", "data:image/png;base64,--__Pj8Afw",
            "data:image/png;base64,++//Pj8Afw", "data:image/png;base64,++//Pj8Afw==#fragment",
            "data:image/png;base64,++// Pj8A\n\tfw= =", "data:image/png;base64,++//%20Pj8A%0D%0Afw==",
            "data:image/png;name=a%2Cb.png;base64,++//Pj8Afw==", "  data:image/png;base64,++//Pj8Afw==\n",
            "data:image/png;base64,-+_/Pj8Afw==",
        ])
    func base64Forms(_ text: String) throws {
        #expect(try DataURL.decode(text).data == Self.bytes)
    }

    @Test func mediaTypes() throws {
        #expect(try DataURL("data:,x").mediaType == "text/plain;charset=US-ASCII")
        #expect(try DataURL("data:;charset=utf-8,x").mediaType == "text/plain;charset=utf-8")
        #expect(try DataURL("data:image/svg+xml;charset=utf-8;base64,eA==").mediaType == "image/svg+xml;charset=utf-8")
        #expect(try DataURL("data:image;base64,eA==").mediaType == "image")
        #expect(try DataURL("data:;base64,eA==").mediaType == "text/plain;charset=US-ASCII")
    }

    // Scenario S45.
    @Test("text that is not base64")
    func plainText() throws {
        let svg = "<svg xmlns='http://www.w3.org/2000/svg' width='1%25'/>"
        #expect(
            try DataURL.decode("data:image/svg+xml,\(svg)").data
                == Data("<svg xmlns='http://www.w3.org/2000/svg' width='1%'/>".utf8))
        #expect(try DataURL.decode("data:,a+b%20c,d").data == Data("a+b c,d".utf8))
        #expect(try DataURL.decode("data:,%FF%00").data == Data([255, 0]))
        #expect(try DataURL.decode("data:,100%").data == Data("100%".utf8))
        #expect(try DataURL.decode("data:text/base64,eA==").data == Data("eA==".utf8))
    }

    // Scenario S45.
    @Test(
        "invalid base64 is a typed error",
        arguments: [
            "data:;base64,AAA*", "data:;base64,A", "data:;base64,AAAAA", "data:;base64,AA=A", "data:;base64,AA==AA==",
            "data:;base64,AAA==", "data:;base64,AA=", "data:;base64,AAAA=", "data:;base64,<svg/>", "data:;base64,ü",
            "data:;base64,%zz",
        ])
    func invalid(_ text: String) {
        #expect { try DataURL.decode(text) } throws: { ($0 as? NetworkingError)?.code == "corrupt" }
    }

    @Test func emptyAndMissing() {
        #expect(throws: NetworkingError.emptyBody) { try DataURL.decode("data:;base64,") }
        #expect(throws: NetworkingError.emptyBody) { try DataURL.decode("data:image/png,") }
        #expect(throws: NetworkingError.emptyBody) { try DataURL.decode("data:;base64,%20") }
        #expect { try DataURL.decode("data:image/png;base64") } throws: {
            ($0 as? NetworkingError)?.code == "invalidURL"
        }
        #expect { try DataURL.decode("http://h/") } throws: { ($0 as? NetworkingError)?.code == "invalidURL" }
    }

    // Scenario S45.
    @Test("five megabytes")
    func large() throws {
        let bytes = noise(5 << 20)
        #expect(try DataURL.decode("data:image/png;base64,\(bytes.base64EncodedString())").data == bytes)
    }
}
