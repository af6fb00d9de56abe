import CIDN2

extension WebURL {
    /// The host as it is asked for and compared: lower case ASCII, addresses in their shortest form.
    static func normalizedHost(_ text: Substring) throws(Problem) -> String {
        if text.isEmpty { throw Problem(reason: "the host is missing") }
        if text.hasPrefix("[") {
            guard text.hasSuffix("]"),
                case .v6(let high, let low)? = InternetAddress(String(text.dropFirst().dropLast()))
            else { throw Problem(reason: "\"\(text)\" is not an IPv6 address") }
            return "[\(InternetAddress.v6(high: high, low: low))]"
        }
        let decoded = PercentCoding.decodedBytes(text)
        guard let name = String(validating: decoded, as: UTF8.self) else {
            throw Problem(reason: "the host is not UTF-8")
        }
        let ascii = name.utf8.allSatisfy { $0 < 128 } ? asciiLowercased(name) : try internationalHost(name)
        if let bad = ascii.unicodeScalars.first(where: { !isHostCharacter($0) }) {
            throw Problem(reason: "the host holds the character U+\(String(bad.value, radix: 16, uppercase: true))")
        }
        if InternetAddress.looksLikeNumber(ascii) {
            guard let address = InternetAddress(hostNumber: ascii) else {
                throw Problem(reason: "\"\(ascii)\" is not an IPv4 address")
            }
            return address.description
        }
        let labels = ascii.split(separator: ".", omittingEmptySubsequences: false)
        // One dot may stand at the end: it makes the name absolute.
        let named = labels.count > 1 && labels.last == "" ? labels.dropLast() : labels[...]
        guard named.allSatisfy({ !$0.isEmpty && $0.utf8.count <= 63 }), ascii.utf8.count <= 254 else {
            throw Problem(reason: "the host has an empty or overlong label")
        }
        return ascii
    }

    /// The ASCII form of an international name: UTS #46 non-transitional, IDNA 2008, as browsers do.
    private static func internationalHost(_ name: String) throws(Problem) -> String {
        var output: UnsafeMutablePointer<UInt8>?
        let flags = Int32(IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue)
        var code = name.withCString(encodedAs: UTF8.self) { idn2_lookup_u8($0, &output, flags) }
        if code == IDN2_DISALLOWED.rawValue {
            // Names outside IDNA 2008 (emoji, symbols) exist all the same; browsers accept what UTS #46 maps.
            code = name.withCString(encodedAs: UTF8.self) {
                idn2_lookup_u8($0, &output, Int32(IDN2_NFC_INPUT.rawValue | IDN2_TRANSITIONAL.rawValue))
            }
        }
        guard code == IDN2_OK.rawValue, let output else {
            throw Problem(reason: "the international host name is not valid: \(String(cString: idn2_strerror(code)))")
        }
        defer { idn2_free(output) }
        return String(cString: output)
    }

    private static func isHostCharacter(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value > 32, scalar.value < 127 else { return false }
        return !"\"#%/:<>?@[\\]^`{|}".unicodeScalars.contains(scalar)
    }
}
