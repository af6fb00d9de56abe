/// An error with a code that stays the same across versions.
package protocol CodedError: Error {
    var code: String { get }
}
