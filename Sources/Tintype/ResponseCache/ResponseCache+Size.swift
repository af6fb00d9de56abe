import TintypeBase

extension ResponseCache {
    /// Bytes of all answers on disk, headers included. In constant time where this process owns the index.
    public var byteCount: Int { store.byteCount }

    /// Number of answers.
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

    /// The size as people of a locale write it: `1,5 MB` in German, `1,5 Mo` in French, `512 bytes` in English.
    ///
    /// - Parameter locale: such as `de_DE`; nil, the default, is that of the environment (`LC_ALL`, `LC_NUMERIC`, `LANG`).
    public func localizedSize(locale: String? = nil) -> String {
        ResponseCache.localized(byteCount: byteCount, locale: locale)
    }

    public static func localized(byteCount: Int, locale: String? = nil) -> String {
        let identifier = locale ?? environmentLocale()
        let language = identifier.prefix { $0.isLetter }.lowercased()
        let region = identifier.dropFirst(language.count + 1).prefix { $0.isLetter }.uppercased()
        let isFrench = language == "fr"
        let count = max(0, byteCount)
        if count < 1024 {
            if isFrench { return "\(count) \(count < 2 ? "octet" : "octets")" }
            return language == "en" || language.isEmpty ? "\(count) \(count == 1 ? "byte" : "bytes")" : "\(count) B"
        }
        var unit = 1 << 10
        var names = (isFrench ? ["ko", "Mo", "Go", "To"] : ["kB", "MB", "GB", "TB"])[...]
        var value = tenths(count, of: unit)
        while value >= 10_240, names.count > 1 {
            unit <<= 10
            names = names.dropFirst()
            value = tenths(count, of: unit)
        }
        let comma = usesDecimalComma(language: language, region: region) ? "," : "."
        // A no-break space, so that number and unit stay together.
        return "\(value / 10)\(comma)\(value % 10)\u{A0}\(names.first ?? "")"
    }

    private static func environmentLocale() -> String {
        for name in ["LC_ALL", "LC_NUMERIC", "LANG"] {
            if let value = getenv(name), value.pointee != 0 { return String(cString: value) }
        }
        return "en"
    }

    /// Languages with a decimal comma in CLDR, and the regions that write their numbers otherwise.
    private static func usesDecimalComma(language: String, region: String) -> Bool {
        let languages: Set<String> = [
            "af", "az", "be", "bg", "bs", "ca", "cs", "da", "de", "el", "es", "et", "eu", "fi", "fo", "fr", "gl", "hr",
            "hu", "hy", "id", "is", "it", "ka", "kk", "ky", "lt", "lv", "mk", "nb", "nl", "nn", "no", "pl", "pt", "ro",
            "ru", "sk", "sl", "sq", "sr", "sv", "tr", "uk", "uz", "vi",
        ]
        let exceptions: Set<String> = [
            "de_CH", "de_LI", "it_CH", "es_MX", "es_US", "es_GT", "es_HN", "es_NI", "es_PA", "es_PE", "es_PR", "es_SV",
            "es_DO", "es_CU",
        ]
        if language == "en" { return region == "ZA" }
        return languages.contains(language) && !exceptions.contains("\(language)_\(region)")
    }
}
