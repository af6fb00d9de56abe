extension InternetAddress {
    /// Whether a server that fetches its users' URLs must not connect here: everything that is not a globally
    /// reachable unicast address (IANA special-purpose registries, RFC 6890), and IPv6 addresses that carry such an
    /// IPv4 address inside.
    package var isSpecialPurpose: Bool {
        switch self {
        case .v4(let value): Self.specialV4.contains { value & $0.mask == $0.network }
        case .v6(let high, let low): Self.isSpecialV6(high: high, low: low)
        }
    }

    private struct Block: Sendable {
        let network: UInt32
        let mask: UInt32

        init(_ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: UInt32, bits: UInt32) {
            network = a << 24 | b << 16 | c << 8 | d
            mask = bits == 0 ? 0 : ~UInt32(0) << (32 - bits)
        }
    }

    private static let specialV4: [Block] = [
        Block(0, 0, 0, 0, bits: 8),  // this network
        Block(10, 0, 0, 0, bits: 8),  // RFC 1918
        Block(100, 64, 0, 0, bits: 10),  // carrier-grade NAT, also cloud metadata (100.100.100.200)
        Block(127, 0, 0, 0, bits: 8),  // loopback
        Block(169, 254, 0, 0, bits: 16),  // link-local, cloud metadata
        Block(172, 16, 0, 0, bits: 12),  // RFC 1918
        Block(192, 0, 0, 0, bits: 24),  // protocol assignments
        Block(192, 0, 2, 0, bits: 24),  // documentation
        Block(192, 88, 99, 0, bits: 24),  // 6to4 relays
        Block(192, 168, 0, 0, bits: 16),  // RFC 1918
        Block(198, 18, 0, 0, bits: 15),  // benchmarking
        Block(198, 51, 100, 0, bits: 24),  // documentation
        Block(203, 0, 113, 0, bits: 24),  // documentation
        Block(224, 0, 0, 0, bits: 4),  // multicast
        Block(240, 0, 0, 0, bits: 4),  // reserved, broadcast
        Block(168, 63, 129, 16, bits: 32),  // a cloud's host services, in package space
    ]

    private static func isSpecialV6(high: UInt64, low: UInt64) -> Bool {
        func embedded(_ value: UInt64) -> Bool {
            InternetAddress.v4(UInt32(truncatingIfNeeded: value)).isSpecialPurpose
        }
        if high == 0 {
            // ::, ::1, IPv4-mapped ::ffff:a.b.c.d and -translated ::ffff:0:a.b.c.d, IPv4-compatible ::a.b.c.d
            switch low >> 32 {
            case 0: return low <= 1 || embedded(low)
            case 0xFFFF, 0xFFFF_0000: return embedded(low)
            default: return true
            }
        }
        if high == 0x0064_FF9B_0000_0000 && low >> 32 == 0 { return embedded(low) }  // NAT64, RFC 6052
        if high >> 16 == 0x0064_FF9B_0001 { return true }  // local NAT64, RFC 8215
        if high >> 48 == 0x2002 { return embedded(high >> 16) }  // 6to4
        if high >> 32 == 0x2001_0000 { return true }  // Teredo
        if high >> 41 == 0x2001_0000 >> 9 { return true }  // 2001::/23, protocol assignments
        if high >> 32 == 0x2001_0DB8 { return true }  // documentation
        if high >> 44 == 0x3FFF0 { return true }  // documentation, RFC 9637
        // ISATAP: the interface identifier 0000:5efe or 0200:5efe and an IPv4 address.
        if low >> 32 & ~0x0200_0000 == 0x5EFE { return embedded(low) || high >> 61 != 1 }
        // Only 2000::/3 is global unicast: the rest is unique local, link-local, site-local, multicast or unassigned.
        return high >> 61 != 1
    }
}
