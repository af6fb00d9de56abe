/// Finds what a mistyped word was meant to be.
enum Suggestion {
    /// The candidate with the fewest edits, if it is near enough to be a typing error.
    static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
        let limit = max(1, min(3, word.count / 3))
        let ranked = candidates.map { (distance(word, $0), $0) }
        if let best = ranked.min(by: { $0.0 < $1.0 }), best.0 <= limit { return best.1 }
        // Half a word is as common as a wrong letter.
        let longer = ranked.filter { word.count >= 3 && $0.1.hasPrefix(word) }
        return longer.count == 1 ? longer[0].1 : nil
    }

    /// Insertions, deletions, changes and exchanges of neighbours (optimal string alignment).
    static func distance(_ first: String, _ second: String) -> Int {
        let a = Array(first)
        let b = Array(second)
        var before: [Int] = []
        var previous = Array(0...b.count)
        for i in a.indices {
            var current = [i + 1]
            for j in b.indices {
                var best = min(previous[j + 1] + 1, current[j] + 1, previous[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, before[j - 1] + 1) }
                current.append(best)
            }
            before = previous
            previous = current
        }
        return previous[b.count]
    }
}
