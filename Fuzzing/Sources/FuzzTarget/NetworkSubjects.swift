import FoundationEssentials
import Tintype
import TintypeResponses

@testable import TintypeNetworking

/// What servers and callers write: header fields, cookies, URLs, encoded bodies.
extension Subject {
    static let network: [Subject] = [headers, cookies, dataURLs, urls, encodings, json]

    private static let now = 1_700_000_000.0

    /// Lines of `Name: value`, as in a response head; the text after the first line is also used as the value of each field.
    private static let headers = Subject(name: "headers") { data in
        let text = String(decoding: data, as: UTF8.self)
        var headers = HeaderFields()
        for line in text.split(separator: "\n", maxSplits: 40) {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { headers.add(String(parts[0]), String(parts[1])) }
        }
        check(FreshnessPolicy(headers: headers, requestTime: now - 1, responseTime: now), headers)
        for name in ["Cache-Control", "Expires", "Age", "Date", "Last-Modified", "Vary", "ETag", "Pragma"] {
            var single: HeaderFields = ["Date": "Tue, 14 Nov 2023 22:13:20 GMT"]
            single.add(name, text)
            check(FreshnessPolicy(headers: single, requestTime: now - 1, responseTime: now), single)
        }
        if let range = ContentRange(text) {
            expect(range.range.map { $0.lowerBound >= 0 } ?? true, "a range before the start")
            if let bounds = range.range, let total = range.total { expect(bounds.upperBound < total, "past the end") }
        }
        if let wait = RetryAfter(text)?.delay(now: now) { expect(wait >= .zero, "a wait that is negative") }
        if let date = HTTPDate.parse(text, now: now) {
            expect(HTTPDate.parse(HTTPDate.format(date), now: now) == date, "a date that changes")
        }
        let control = CacheControl(text)
        expect((control.maximumAge ?? 0) >= 0, "an age below zero")
        for (name, _) in HeaderParameters(text) { expect(!name.isEmpty, "a parameter without a name") }
        _ = FreshnessPolicy.updating(headers, with: headers)
    }

    private static func check(_ policy: FreshnessPolicy, _ headers: HeaderFields) {
        expect(policy.lifetime >= 0 && policy.initialAge >= 0, "a time below zero")
        expect(policy.lifetime.isFinite && policy.expirationTime.isFinite, "a time without end")
        for later in [0, 1, 86_400, 1e9] {
            _ = policy.state(now: now + later)
            _ = policy.mayBeUsedOnError(now: now + later)
        }
        let stored = FreshnessPolicy.storedFields(of: headers)
        _ = FreshnessPolicy(storedFields: stored, responseTime: now)
        if let fields = policy.varyingFields(of: headers) {
            expect(FreshnessPolicy.matches(headers, varyingFields: fields), "a request that does not match itself")
        }
    }

    private static let cookies = Subject(name: "cookies") { data in
        guard let url = try? WebURL("https://www.example.org/a/b?c") else { return }
        let jar = CookieJar()
        for line in String(decoding: data, as: UTF8.self).split(separator: "\n", maxSplits: 20) {
            jar.store(setCookie: String(line), from: url)
            if let cookie = Cookie(setCookie: String(line), from: url, now: now) { _ = cookie.matches(url) }
        }
        if let header = jar.header(for: url) {
            expect(!header.contains("\r") && !header.contains("\n"), "a cookie that breaks out of its field")
        }
        if let encoded = try? jar.encoded(includingSession: true) { _ = try? CookieJar(decoding: encoded) }
        _ = try? CookieJar(decoding: data)
    }

    private static let dataURLs = Subject(name: "data-urls") { data in
        let text = "data:" + String(decoding: data, as: UTF8.self)
        guard let url = try? DataURL(text) else { return }
        if let bytes = try? url.data() { expect(bytes.count <= text.utf8.count, "bytes out of nothing") }
        _ = try? DataURL.decode(text)
        _ = url.description
        _ = try? ResourceURL(text)
    }

    private static let urls = Subject(name: "urls") { data in
        let text = String(decoding: data, as: UTF8.self)
        for text in [text, "http://" + text, "https://example.org/" + text] {
            _ = try? ResourceURL(text).cacheKey
            guard let url = try? WebURL(text) else { continue }
            let written = url.absoluteString
            expect(written.utf8.allSatisfy { $0 > 32 && $0 < 127 }, "a byte that no request line may hold")
            guard let again = try? WebURL(written) else { fatalError("what was written cannot be read: \(written)") }
            expect(again.absoluteString == written, "encoded twice: \(written)")
            expect(again.host == url.host && again.port == url.port, "another host: \(written)")
            if url.user == nil { expect(again.cacheKey == url.cacheKey, "two keys: \(written)") }
            _ = url.address
        }
        guard let base = try? WebURL("https://example.org/a/b/c?d") else { return }
        if let target = try? base.resolving(text) {
            expect((try? WebURL(target.absoluteString))?.absoluteString == target.absoluteString, "a bad redirect")
        }
        if let address = InternetAddress(text) { _ = address.description }
    }

    /// Bodies that are compressed, in pieces.
    private static let encodings = Subject(name: "encodings") { data in
        for encoding in ["gzip", "deflate", "br", "zstd", "gzip, deflate"] {
            guard let decoder = try? ContentDecoder.decoder(for: encoding) else { continue }
            let buffer = ByteBuffer()
            var rest = data
            while !rest.isEmpty {
                let piece = rest.prefix(max(1, data.count / 3))
                let outcome = piece.withUnsafeBytes { decoder.decode($0, into: buffer, limit: 1 << 20) }
                guard case .more = outcome else { break }
                rest = rest.dropFirst(piece.count)
            }
        }
    }

    /// JSON responses; a value that can be parsed must survive writing and parsing again.
    private static let json = Subject(name: "json") { data in
        guard let value = try? JSONValue(data: data) else { return }
        guard let written = try? value.data(), let again = try? JSONValue(data: written) else {
            fatalError("JSON that cannot be written")
        }
        expect(again == value, "JSON that changes")
    }
}
