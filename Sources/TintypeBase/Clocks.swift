/// Returns the wall clock, in seconds since 1970.
package func secondsSince1970() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Returns the nanoseconds of a clock that never goes back.
package func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Returns the time of a clock that never goes back, since any fixed moment.
@usableFromInline
package func monotonicTime() -> Duration { .nanoseconds(monotonicNanoseconds()) }

extension Duration {
    /// The seconds with fractions, as `Date` and the C library count.
    package var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }

    /// The whole nanoseconds, at least 0 and at most half of what fits.
    package var clampedNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (scaled, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = scaled.addingReportingOverflow(UInt64(attoseconds / 1_000_000_000))
        return overflow || carry ? .max / 2 : min(sum, .max / 2)
    }
}
