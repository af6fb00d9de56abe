import TintypeBase

/// A variable of the environment; nil when it is missing or empty.
func environmentValue(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
}
