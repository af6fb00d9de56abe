import Tintype

/// The flags of `get` and `prefetch` about network and caches.
struct LoadingOptions: Sendable {
    static func header(_ text: String) throws(UsageError) -> (String, String) {
        guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else {
            throw UsageError("--header needs 'Name: value', not '\(text)'")
        }
        let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        return (String(text[..<colon]), String(value))
    }
}
