/// Primaries and transfer by number (ITU-T H.273), as cICP, AVIF and HEIC carry them.
package struct CodingIndependentCodePoints: Sendable, Hashable {
    package var primaries: Int
    package var transfer: Int
    package var matrix: Int
    package var isFullRange: Bool

    package init(primaries: Int, transfer: Int, matrix: Int, isFullRange: Bool) {
        self.primaries = primaries
        self.transfer = transfer
        self.matrix = matrix
        self.isFullRange = isFullRange
    }

    /// PQ (SMPTE ST 2084) or HLG (ARIB STD-B67).
    package var isHDR: Bool { transfer == 16 || transfer == 18 }
}
