import CGTK

/// The one timer of all paintables that change by themselves: animations, transitions, indicators.
///
/// A tick for each widget and frame would run for every bound row of a list, drawn or not. This timer runs only while
/// something that is drawn has to change, and then at the moments when it has to.
@MainActor final class PaintableTimer {
    static let shared = PaintableTimer()

    private struct Entry {
        weak var target: PicturePaintable?
        var due: UInt64
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    private var source: UInt32 = 0
    private var sourceDue: UInt64 = 0
    private var isFiring = false
    /// Ticks so far. For tests.
    private(set) var tickCount = 0

    var count: Int { entries.count }

    /// Has `target.tick` called at `due` or soon after, once; an earlier moment that was asked for stays.
    func schedule(_ target: PicturePaintable, at due: UInt64) {
        let id = ObjectIdentifier(target)
        if let entry = entries[id], entry.target === target, entry.due <= due { return }
        entries[id] = Entry(target: target, due: due)
        if !isFiring { arm(due) }
    }

    /// Only for what comes sooner than the moment for which it is armed: 500 images that begin to fade must not look each
    /// other over.
    private func arm(_ earliest: UInt64) {
        if source != 0 {
            guard earliest < sourceDue else { return }
            g_source_remove(source)
        }
        let now = monotonicNanoseconds()
        let wait = earliest > now ? (earliest - now + 999_999) / 1_000_000 : 0
        sourceDue = earliest
        // Before drawing, so that the change is in the next frame.
        source = g_timeout_add_full(
            110, guint(min(wait, 60_000)),
            { _ in
                MainActor.assumeIsolated { PaintableTimer.shared.fire() }
                return gboolean(0)
            }, nil, nil)
    }

    private func fire() {
        source = 0
        isFiring = true
        let now = monotonicNanoseconds()
        // What is due within the same millisecond goes together: one frame instead of two.
        let due = entries.filter { $0.value.due <= now + 1_000_000 }
        for id in due.keys { entries[id] = nil }
        for entry in due.values {
            guard let target = entry.target else { continue }
            tickCount += 1
            if let next = target.tick(now) { schedule(target, at: max(next, now + 2_000_000)) }
        }
        isFiring = false
        if let earliest = entries.values.lazy.map(\.due).min() { arm(earliest) }
    }
}
