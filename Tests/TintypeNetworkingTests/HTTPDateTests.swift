import Testing

@testable import TintypeNetworking

@Suite struct HTTPDateTests {
    @Test(
        "RFC 9110 5.6.7: three forms of one moment",
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
            "sun, 6 nov 1994 08:49:37 gmt", "Sun, 06 Nov 1994 08:49:37 UTC", " Sun,  06 Nov 1994 08:49:37 GMT ",
        ])
    func forms(_ text: String) {
        #expect(HTTPDate.parse(text) == 784_111_777)
    }

    @Test(
        arguments: [
            "", "0", "-1", "Sun, 31 Feb 2021 00:00:00 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "06 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 PST", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Xyz 1994 08:49:37 GMT",
            "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 29 Feb 1900 00:00:00 GMT", "tomorrow", "1994-11-06T08:49:37Z",
            "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 1994 08:61:37 GMT",
            "Sun, 99999999999999999999 Nov 1994 08:49:37 GMT",
        ])
    func refuses(_ text: String) {
        #expect(HTTPDate.parse(text) == nil)
    }

    @Test func centuryOfTwoDigits() {
        let now = 1_790_000_000.0  // 2026
        #expect(HTTPDate.parse("Tuesday, 01-Jan-30 00:00:00 GMT", now: now) == 1_893_456_000)
        #expect(HTTPDate.parse("Sunday, 01-Jan-95 00:00:00 GMT", now: now) == 788_918_400)
    }

    @Test func roundTrip() {
        for seconds in [0, 59, 951_782_400, 951_868_799, 784_111_777, 4_102_444_800, 253_402_300_799, 1_709_164_800] {
            #expect(HTTPDate.parse(HTTPDate.format(seconds)) == seconds, "\(HTTPDate.format(seconds))")
        }
        #expect(HTTPDate.format(784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.format(0) == "Thu, 01 Jan 1970 00:00:00 GMT")
    }

    @Test func leapSecondAndLeapDay() {
        #expect(HTTPDate.parse("Sat, 31 Dec 2016 23:59:60 GMT") == 1_483_228_800)
        #expect(HTTPDate.parse("Thu, 29 Feb 2024 00:00:00 GMT") == 1_709_164_800)
    }

    @Test func retryAfter() {
        #expect(RetryAfter("120") == .seconds(120))
        #expect(RetryAfter(" 2 ")?.delay(now: 0) == .seconds(2))
        #expect(RetryAfter("Sun, 06 Nov 1994 08:49:37 GMT")?.delay(now: 784_111_770) == .seconds(7))
        #expect(RetryAfter("Sun, 06 Nov 1994 08:49:37 GMT")?.delay(now: 784_111_780) == .zero)
        #expect(RetryAfter("-1") == nil)
        #expect(RetryAfter("soon") == nil)
        #expect(RetryAfter("1.5") == nil)
        #expect(RetryAfter("99999999999999999999") == nil)
    }

    @Test func contentRange() {
        #expect(ContentRange("bytes 5-9/10")?.range == 5...9)
        #expect(ContentRange("Bytes 5-9/*")?.total == nil)
        #expect(ContentRange("bytes */10")?.range == nil)
        #expect(ContentRange("bytes */10")?.total == 10)
        for text in [
            "", "bytes", "bytes 9-5/10", "bytes 5-10/10", "bytes 5-/10", "items 5-9/10", "bytes */*", "bytes 5-9",
            "bytes -1-9/10", "bytes 5-9/99999999999999999999",
        ] {
            #expect(ContentRange(text) == nil, "\(text)")
        }
    }
}
