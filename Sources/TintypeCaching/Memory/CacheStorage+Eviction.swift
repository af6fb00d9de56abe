extension CacheStorage {
    @inlinable
    var isOverLimit: Bool { cost > costLimit || count > countLimit }

    /// Unlinks the next entry to go, or returns -1 when only `protected` is left.
    ///
    /// `protected` is the entry that was just set: a limit never takes the newest.
    @inlinable
    mutating func evictNext(protecting protected: Int32) -> Int32 {
        if isLRU {
            let slot = main.tail
            guard slot >= 0, slot != protected else { return -1 }
            unlink(slot)
            return slot
        }
        var mustLeaveMain = false
        while true {
            let last = probation.tail
            if last >= 0, last != protected, mustLeaveMain || main.count == 0 || isProbationOverItsShare {
                unlink(last)
                if header(last).pointee.frequency > 0 {
                    // Used again while on probation: promoted, and has to earn the next round.
                    header(last).pointee.frequency = 0
                    link(last, to: Self.inMain)
                    mustLeaveMain = false
                    continue
                }
                remember(header(last).pointee.hash)
                return last
            }
            let oldest = main.tail
            if oldest < 0 { return -1 }
            if oldest == protected {
                if main.count == 1 {
                    if last < 0 { return -1 }
                    mustLeaveMain = true
                    continue
                }
            } else if header(oldest).pointee.frequency == 0 {
                unlink(oldest)
                return oldest
            } else {
                header(oldest).pointee.frequency &-= 1
            }
            unlink(oldest)
            link(oldest, to: Self.inMain)
        }
    }

    /// Measured in what is short: cost when the cost limit is what presses, entries otherwise.
    @inlinable
    var isProbationOverItsShare: Bool {
        if cost > costLimit { return Double(probation.cost) > probationShare * Double(cost) }
        return Double(probation.count) > probationShare * Double(count)
    }

    /// Remembers a key that left from probation, as long as about one main queue of others follows it.
    @inlinable
    mutating func remember(_ hash: Int) {
        ghostNumber &+= 1
        ghosts[hash & mask] = UInt64(truncatingIfNeeded: hash) & 0xffff_ffff_0000_0000 | UInt64(ghostNumber)
    }

    @inlinable
    func isRemembered(_ hash: Int) -> Bool {
        let ghost = ghosts[hash & mask]
        return ghost != 0 && ghost >> 32 == UInt64(truncatingIfNeeded: hash) >> 32
            && ghostNumber &- UInt32(truncatingIfNeeded: ghost) <= UInt32(truncatingIfNeeded: max(1, main.count))
    }
}
