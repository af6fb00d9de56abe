import CSystemShim

/// An error with a code that stays the same across versions.
package protocol CodedError: Error {
    var code: String { get }
}

/// Returns the system's sentence for an `errno`.
package func systemErrorText(_ number: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
        guard let base = buffer.baseAddress, ct_error_text(number, base, buffer.count) == 0 else {
            return "error \(number)"
        }
        return String(cString: base)
    }
}
