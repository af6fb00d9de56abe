import Testing

@testable import TintypeNetworking

@Suite struct FreshnessTests {
    static let now = 1_790_000_000.0

    private func date(_ offset: Int) -> String { HTTPDate.format(Int(Self.now) + offset) }

    private func policy(_ fields: [(String, String)], status: Int = 200, took: Double = 0) -> FreshnessPolicy {
        FreshnessPolicy(
            status: status, headers: HeaderFields(fields), requestTime: Self.now - took, responseTime: Self.now)
    }

    @Test func directives() {
        let control = CacheControl(
            "max-age=60, S-MaxAge=\"70\" ,no-cache=\"Set-Cookie, X\",must-revalidate,private , immutable,"
                + "stale-while-revalidate=5,stale-if-error=6,,unknown=\"a,max-age=1\"")
        #expect(control.maximumAge == 60)
        #expect(control.noCache && control.mustRevalidate && control.isPrivate)
        #expect(control.staleWhileRevalidate == 5)
        #expect(control.staleIfError == 6)
        #expect(!control.noStore && !control.isPublic)
    }

    @Test(
        arguments: [
            ("max-age=\"60\"", 60), ("max-age = 60", 60), ("MAX-AGE=60", 60), ("max-age=60, max-age=5", 60),
            ("max-age=x", 0), ("max-age", 0), ("max-age=-1", 0), ("max-age=1.5", 0),
            ("max-age=99999999999999999999", 1 << 31),
            ("public max-age=60", nil), ("x=\"max-age=9\", max-age=60", 60), ("x=\"a\\\",b\", max-age=60", 60),
            ("x=\"unfinished, max-age=60", nil), ("=,;max-age=5, max-age=60", 60), ("max-age=60;foo", 60),
        ] as [(String, Int?)])
    func maximumAge(_ text: String, _ expected: Int?) {
        #expect(CacheControl(text).maximumAge == expected)
    }

    @Test func severalFieldsAndPragma() {
        let control = CacheControl(HeaderFields([("Cache-Control", "no-store"), ("cache-control", "max-age=1")]))
        #expect(control.noStore && control.maximumAge == 1)
        #expect(CacheControl(["Pragma": "no-cache"]).noCache)
        #expect(!CacheControl(HeaderFields([("Pragma", "no-cache"), ("Cache-Control", "max-age=1")])).noCache)
    }

    @Test func lifetimeByMaxAgeThenExpires() {
        #expect(policy([("Cache-Control", "max-age=60"), ("Expires", date(600)), ("Date", date(0))]).lifetime == 60)
        #expect(policy([("Expires", date(600)), ("Date", date(0))]).lifetime == 600)
        #expect(policy([("Expires", date(600)), ("Date", date(100))]).lifetime == 500)
        #expect(policy([("Expires", date(600))]).lifetime == 600)
        #expect(policy([("Expires", "0")]).lifetime == 0)
        #expect(policy([("Expires", "-1"), ("Last-Modified", date(-1000))]).lifetime == 0)
        #expect(policy([("Cache-Control", "s-maxage=60")]).lifetime == 0, "a private cache ignores s-maxage")
    }

    @Test func heuristicLifetime() {
        let old = policy([("Last-Modified", date(-1000)), ("Date", date(0))])
        #expect(old.lifetime == 100 && old.isHeuristic)
        #expect(policy([("Last-Modified", date(-100_000_000)), ("Date", date(0))]).lifetime == 7 * 86400)
        #expect(policy([("Last-Modified", date(50)), ("Date", date(0))]).lifetime == 0)
        #expect(policy([("Last-Modified", date(-1000)), ("Date", date(0))], status: 500).lifetime == 0)
        #expect(policy([("Last-Modified", "yesterday")]).lastModified == nil)
    }

    @Test func ages() {
        #expect(policy([("Age", "30")]).initialAge == 30)
        #expect(policy([("Age", "30")], took: 5).initialAge == 35)
        #expect(policy([("Date", date(-20))]).initialAge == 20)
        #expect(policy([("Date", date(-20)), ("Age", "3")]).initialAge == 20)
        #expect(policy([("Date", date(20))]).initialAge == 0)
        #expect(policy([("Age", "x")]).initialAge == 0)
        let aged = policy([("Cache-Control", "max-age=60"), ("Age", "50")])
        #expect(aged.state(now: Self.now + 9) == .fresh)
        #expect(aged.state(now: Self.now + 10) == .stale)
        #expect(aged.expirationTime == Self.now + 10)
    }

    @Test func noCacheAlwaysAsks() {
        #expect(policy([("Cache-Control", "no-cache, max-age=60")]).state(now: Self.now) == .stale)
        #expect(
            policy([("Cache-Control", "max-age=60")]).state(now: Self.now, request: CacheControl("no-cache")) == .stale)
    }

    @Test func staleWhileRevalidate() {
        let value = policy([("Cache-Control", "max-age=10, stale-while-revalidate=20")])
        #expect(value.state(now: Self.now + 9) == .fresh)
        #expect(value.state(now: Self.now + 10) == .staleWhileRevalidate)
        #expect(value.state(now: Self.now + 29) == .staleWhileRevalidate)
        #expect(value.state(now: Self.now + 30) == .stale)
        let strict = policy([("Cache-Control", "max-age=10, stale-while-revalidate=20, must-revalidate")])
        #expect(strict.state(now: Self.now + 11) == .stale)
    }

    @Test func staleIfError() {
        let value = policy([("Cache-Control", "max-age=10, stale-if-error=20")])
        #expect(value.mayBeUsedOnError(now: Self.now + 29))
        #expect(!value.mayBeUsedOnError(now: Self.now + 30))
        #expect(
            !policy([("Cache-Control", "max-age=10, stale-if-error=20, must-revalidate")]).mayBeUsedOnError(
                now: Self.now + 11))
        #expect(!policy([("Cache-Control", "max-age=10")]).mayBeUsedOnError(now: Self.now + 11))
    }

    @Test func requestDirectives() {
        let value = policy([("Cache-Control", "max-age=60")])
        #expect(value.state(now: Self.now + 30, request: CacheControl("max-age=20")) == .stale)
        #expect(value.state(now: Self.now + 30, request: CacheControl("min-fresh=40")) == .stale)
        #expect(value.state(now: Self.now + 30, request: CacheControl("min-fresh=20")) == .fresh)
        #expect(value.state(now: Self.now + 70, request: CacheControl("max-stale=20")) == .fresh)
        #expect(value.state(now: Self.now + 90, request: CacheControl("max-stale=20")) == .stale)
        #expect(value.state(now: Self.now + 90_000, request: CacheControl("max-stale")) == .fresh)
    }

    @Test func storable() {
        #expect(policy([("Cache-Control", "max-age=60")]).isStorable)
        #expect(!policy([("Cache-Control", "max-age=60, no-store")]).isStorable)
        #expect(!policy([("Cache-Control", "max-age=60"), ("Vary", "Accept, *")]).isStorable)
        #expect(policy([("ETag", "\"a\"")]).isStorable)
        #expect(!policy([]).isStorable, "nothing can be done with it")
        #expect(policy([("Cache-Control", "private, max-age=60")]).isStorable)
        #expect(!policy([("ETag", "\"a\"")], status: 500).isStorable)
        #expect(policy([("Cache-Control", "max-age=60")], status: 500).isStorable)
    }

    @Test func conditionalHeaders() {
        let headers = policy([("ETag", "W/\"a\""), ("Last-Modified", date(-5))]).conditionalHeaders
        #expect(headers["If-None-Match"] == "W/\"a\"")
        #expect(headers["If-Modified-Since"] == date(-5))
        #expect(policy([]).conditionalHeaders.isEmpty)
    }

    @Test func notModifiedUpdatesTheStoredFields() {
        let stored = HeaderFields([
            ("Content-Type", "image/png"), ("Content-Length", "10"), ("Cache-Control", "max-age=1"), ("Age", "9"),
            ("ETag", "\"a\""), ("X-Old", "1"), ("Date", date(-100)),
        ])
        let update = HeaderFields([
            ("Cache-Control", "max-age=60"), ("Content-Length", "0"), ("Content-Type", "text/html"), ("Date", date(0)),
            ("Connection", "close, X-Hop"), ("X-Hop", "1"), ("X-New", "2"), ("Content-Encoding", "gzip"),
        ])
        let result = FreshnessPolicy.updating(stored, with: update)
        #expect(result["Content-Length"] == "10")
        #expect(result["Content-Type"] == "image/png")
        #expect(result["Content-Encoding"] == nil)
        #expect(result["Cache-Control"] == "max-age=60")
        #expect(result["ETag"] == "\"a\"")
        #expect(result["X-Old"] == "1" && result["X-New"] == "2")
        #expect(result["X-Hop"] == nil && result["Connection"] == nil)
        #expect(result["Age"] == nil)
        #expect(result["Date"] == date(0))
    }

    @Test func vary() throws {
        let value = policy([("Vary", "Accept, ACCEPT-language"), ("vary", "X")])
        #expect(value.vary == ["accept", "accept-language", "x"])
        let stored = try #require(value.varyingFields(of: ["Accept": "image/png,image/webp", "X": "1"]))
        #expect(FreshnessPolicy.matches(["accept": "image/png , image/webp", "X": "1"], varyingFields: stored))
        #expect(!FreshnessPolicy.matches(["accept": "image/png", "X": "1"], varyingFields: stored))
        #expect(!FreshnessPolicy.matches(["Accept": "image/png,image/webp"], varyingFields: stored))
        #expect(policy([("Vary", "*")]).varyingFields(of: [:]) == nil)
    }

    @Test func storedFieldsGiveTheSamePolicy() {
        let headers = HeaderFields([
            ("Cache-Control", "max-age=60"), ("Cache-Control", "must-revalidate"), ("ETag", "\"a\""), ("Age", "4"),
            ("Vary", "Accept"), ("Date", date(0)), ("Server", "x"), ("Last-Modified", date(-9)),
        ])
        let first = FreshnessPolicy(headers: headers, requestTime: Self.now, responseTime: Self.now)
        let again = FreshnessPolicy(storedFields: FreshnessPolicy.storedFields(of: headers), responseTime: Self.now)
        #expect(first == again)
    }
}
