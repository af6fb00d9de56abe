/// Formats numbers for people.
enum Quantity {
    /// `812 B`, `64.0 KB`, `3.4 MB`: powers of 1024.
    static func bytes(_ count: Int) -> String {
        if count < 1024 { return "\(count) B" }
        var value = Double(count) / 1024
        for unit in ["KB", "MB", "GB"] {
            if value < 1023.95 { return fixed(value, 1) + " " + unit }
            value /= 1024
        }
        return fixed(value, 1) + " TB"
    }

    /// `740 µs`, `12.3 ms`, `4.20 s`, `3 min 05 s`.
    static func seconds(_ seconds: Double) -> String {
        switch seconds {
        case ..<0.001: return "\(Int((seconds * 1e6).rounded())) µs"
        case ..<1: return fixed(seconds * 1000, seconds < 0.1 ? 2 : 0) + " ms"
        case ..<60: return fixed(seconds, 2) + " s"
        default:
            guard seconds < 1e9 else { return "for ever" }
            let whole = Int(seconds.rounded())
            if whole >= 3600 { return "\(whole / 3600) h \(padded(whole / 60 % 60, 2)) min" }
            return "\(whole / 60) min \(padded(whole % 60, 2)) s"
        }
    }

    /// `12,345,678`
    static func grouped(_ count: Int) -> String {
        var digits = String(count.magnitude)
        var position = digits.count - 3
        while position > 0 {
            digits.insert(",", at: digits.index(digits.startIndex, offsetBy: position))
            position -= 3
        }
        return (count < 0 ? "-" : "") + digits
    }

    /// Returns a decimal with so many places; `String(format:)` would need all of Foundation.
    static func fixed(_ value: Double, _ places: Int) -> String {
        var factor = 1.0
        for _ in 0..<places { factor *= 10 }
        guard value.isFinite, abs(value) * factor < 1e15 else { return value.description }
        let scaled = Int((abs(value) * factor).rounded())
        let whole = scaled / Int(factor)
        let sign = value < 0 && scaled > 0 ? "-" : ""
        return places == 0 ? "\(sign)\(whole)" : "\(sign)\(whole)." + padded(scaled % Int(factor), places)
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
