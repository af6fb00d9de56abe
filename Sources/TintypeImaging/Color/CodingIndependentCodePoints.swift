/// Primaries and transfer by number (ITU-T H.273), as in cICP, AVIF and HEIC.
struct CodingIndependentCodePoints: Sendable, Hashable {
    var primaries: Int
    var transfer: Int
    var matrix: Int
    var isFullRange: Bool

    /// PQ (SMPTE ST 2084) or HLG (ARIB STD-B67).
    var isHDR: Bool { transfer == 16 || transfer == 18 }

    /// The value of `ImageInfo.colorSpace`; nil if it is unknown.
    var name: String? {
        let curve =
            switch transfer {
            case 16: " PQ"
            case 18: " HLG"
            case 8: " linear"
            default: ""
            }
        switch primaries {
        case 1: return curve.isEmpty ? "sRGB" : "Rec. 709" + curve
        case 5, 6, 7: return "Rec. 601" + curve
        case 9: return "Rec. 2020" + curve
        case 11: return "DCI-P3" + curve
        case 12: return "Display P3" + curve
        default: return curve.isEmpty ? nil : "unknown" + curve
        }
    }
}
