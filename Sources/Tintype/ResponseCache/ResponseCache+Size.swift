import TintypeBase

extension ResponseCache {
    /// Bytes of all responses on disk, headers included. In constant time where this process owns the index.
    public var byteCount: Int { store.byteCount }

    /// Number of responses.
    public var count: Int { store.count }

    /// Megabytes of 1024 × 1024 bytes.
    public var megabytes: Double { Double(byteCount) / 1_048_576 }

    /// The size as `512.0kb` below a megabyte and `1.5M` from there on, with one place: the form that XHNetworkCache made
    /// known, except that what rounds to a megabyte is `1.0M` and not `1024.0kb`.
    public var formattedSize: String { ResponseCache.formatted(byteCount: byteCount) }

    public static func formatted(byteCount: Int) -> String {
        let kilobytes = tenths(byteCount, of: 1 << 10)
        if kilobytes < 10_240 { return "\(kilobytes / 10).\(kilobytes % 10)kb" }
        let megabytes = tenths(byteCount, of: 1 << 20)
        return "\(megabytes / 10).\(megabytes % 10)M"
    }

    /// Rounded as `%.1f` does: half a tenth goes to the even neighbour.
    private static func tenths(_ byteCount: Int, of unit: Int) -> Int {
        let count = max(0, byteCount)
        let whole = count / unit
        let scaled = (count % unit) * 10
        let (tenth, rest) = scaled.quotientAndRemainder(dividingBy: unit)
        let isUp = rest * 2 > unit || (rest * 2 == unit && (whole * 10 + tenth) % 2 == 1)
        return whole * 10 + tenth + (isUp ? 1 : 0)
    }

    /// The size in English with SI units and one place: `512 bytes`, `1.6 MB`.
    ///
    /// A no-break space keeps number and unit together.
    public var sizeDescription: String { ResponseCache.sizeDescription(byteCount: byteCount) }

    public static func sizeDescription(byteCount: Int) -> String {
        let count = max(0, byteCount)
        if count < 1000 { return "\(count) \(count == 1 ? "byte" : "bytes")" }
        var unit = 1000
        var names = ["kB", "MB", "GB", "TB"][...]
        var value = tenths(count, of: unit)
        while value >= 10_000, names.count > 1 {
            unit *= 1000
            names = names.dropFirst()
            value = tenths(count, of: unit)
        }
        return "\(value / 10).\(value % 10)\u{A0}\(names.first ?? "")"
    }
}
