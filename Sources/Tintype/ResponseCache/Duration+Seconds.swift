extension Duration {
    /// As `Date` counts, with fractions.
    var wholeSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
