import TintypeBase

/// A reader and writer of HTTP dates (RFC 9110 §5.6.7), as whole seconds since 1970.
package enum HTTPDate {
    /// Reads IMF-fixdate (`Sun, 06 Nov 1994 08:49:37 GMT`), RFC 850 (`Sunday, 06-Nov-94 08:49:37 GMT`) and asctime
    /// (`Sun Nov  6 08:49:37 1994`); nil for every other text.
    ///
    /// - Parameter text: The date without blanks around it.
    /// - Parameter now: Seconds since 1970, for the century of a two-digit year: more than 50 years ahead means the past.
    package static func parse(_ text: some StringProtocol, now: Double = secondsSince1970()) -> Int? {
        if let seconds = fixdate(text) { return seconds }
        var words = Substring(text).split { $0 == " " || $0 == "\t" }
        guard let weekday = words.first, weekdays.contains(asciiLowercased(weekday.prefix(3))) else { return nil }
        words.removeFirst()
        if weekday.hasSuffix(",") {
            if words.count == 5 {
                guard isUTC(words[4]), let month = month(words[1]), words[2].utf8.count == 4 else { return nil }
                return seconds(year: digitsValue(words[2]), month: month, day: words[0], time: words[3])
            }
            guard words.count == 3, isUTC(words[2]) else { return nil }
            let parts = words[0].split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 3, let month = month(parts[1]), var year = digitsValue(parts[2]) else { return nil }
            if parts[2].utf8.count == 2 {
                let thisYear = civil(day: Int((now / 86400).rounded(.down))).year
                year += thisYear - thisYear % 100
                if year > thisYear + 50 { year -= 100 }
            }
            return seconds(year: year, month: month, day: parts[0], time: words[1])
        }
        guard words.count == 4, let month = month(words[0]), words[3].utf8.count == 4 else { return nil }
        return seconds(year: digitsValue(words[3]), month: month, day: words[1], time: words[2])
    }

    /// Reads the exact IMF-fixdate, which nearly every server sends, from the bytes.
    private static func fixdate(_ text: some StringProtocol) -> Int? {
        let seconds = text.utf8.withContiguousStorageIfAvailable { bytes -> Int? in
            guard bytes.count == 29, bytes[3] == UInt8(ascii: ","), bytes[19] == UInt8(ascii: ":"),
                bytes[22] == UInt8(ascii: ":"), [4, 7, 11, 16, 25].allSatisfy({ bytes[$0] == UInt8(ascii: " ") }),
                name(bytes, 26, in: zoneNames) == 0, name(bytes, 0, in: weekdayNames) != nil,
                let month = name(bytes, 8, in: monthNames), let day = number(bytes, 5..<7),
                let year = number(bytes, 12..<16), let hour = number(bytes, 17..<19),
                let minute = number(bytes, 20..<22), let second = number(bytes, 23..<25)
            else { return nil }
            return self.seconds(year: year, month: month + 1, day: day, hour: hour, minute: minute, second: second)
        }
        return seconds ?? nil
    }

    private static let weekdayNames = weekdays.map { Array($0.utf8) }
    private static let monthNames = months.map { Array($0.utf8) }
    private static let zoneNames = [Array("gmt".utf8)]

    /// Returns the index of the three-letter name at `start`, in any case.
    private static func name(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, in names: [[UInt8]]) -> Int? {
        names.firstIndex { name in (0..<3).allSatisfy { bytes[start + $0] | 0x20 == name[$0] } }
    }

    private static func number(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Int? {
        var value = 0
        for index in range {
            let digit = bytes[index] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = value * 10 + Int(digit)
        }
        return value
    }

    /// Returns the IMF-fixdate.
    package static func format(_ secondsSince1970: Int) -> String {
        let day = Int((Double(secondsSince1970) / 86400).rounded(.down))
        let rest = secondsSince1970 - day * 86400
        let date = civil(day: day)
        let weekday = weekdays[((day + 3) % 7 + 7) % 7]
        let year = String(date.year)
        let paddedYear = String(repeating: "0", count: max(0, 4 - year.count)) + year
        return "\(capitalized(weekday)), \(two(date.day)) \(capitalized(months[date.month - 1])) \(paddedYear) "
            + "\(two(rest / 3600)):\(two(rest / 60 % 60)):\(two(rest % 60)) GMT"
    }

    private static let weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    private static func capitalized(_ word: String) -> String { word.prefix(1).uppercased() + word.dropFirst() }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static func isUTC(_ text: Substring) -> Bool {
        let zone = asciiLowercased(text)
        return zone == "gmt" || zone == "utc"
    }

    private static func month(_ text: some StringProtocol) -> Int? {
        months.firstIndex(of: asciiLowercased(text)).map { $0 + 1 }
    }

    private static func seconds(year: Int?, month: Int, day: Substring, time: Substring) -> Int? {
        let parts = time.split(separator: ":", omittingEmptySubsequences: false)
        guard let year, let day = digitsValue(day), parts.count == 3,
            let hour = digitsValue(parts[0]), let minute = digitsValue(parts[1]), let second = digitsValue(parts[2])
        else { return nil }
        return seconds(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    }

    private static func seconds(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) -> Int? {
        guard 1...9999 ~= year, hour < 24, minute < 60, second <= 60, 1...daysInMonth(month, year: year) ~= day
        else { return nil }
        return dayNumber(year: year, month: month, day: day) * 86400 + hour * 3600 + minute * 60 + second
    }

    private static func daysInMonth(_ month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the days since 1970 of a Gregorian date; years start in March, so that the leap day is the last one.
    private static func dayNumber(year: Int, month: Int, day: Int) -> Int {
        let shifted = month > 2 ? year : year - 1
        let era = shifted / 400
        let yearOfEra = shifted % 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719468
    }

    private static func civil(day: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = day + 719468
        let era = (shifted >= 0 ? shifted : shifted - 146096) / 146097
        let dayOfEra = shifted - era * 146097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
