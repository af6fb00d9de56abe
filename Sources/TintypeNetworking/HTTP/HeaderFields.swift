import TintypeBase

/// The header fields of a request or a response.
///
/// Names are compared without case; the order and repeated fields are kept.
public struct HeaderFields: Sendable, ExpressibleByDictionaryLiteral {
    /// One header field.
    public struct Field: Sendable {
        public let name: String
        public let value: String
    }

    /// All fields in order.
    public private(set) var fields: [Field] = []

    public init() {}

    public init(_ pairs: [(String, String)]) {
        fields = pairs.map { Field(name: $0.0, value: $0.1) }
    }

    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements)
    }

    /// The values of all fields of this name joined with ", " (RFC 9110 §5.2); nil if there is none.
    /// Setting replaces all of them; nil removes them.
    ///
    /// `Set-Cookie` must not be joined: use ``all(_:)``.
    public subscript(name: String) -> String? {
        get {
            var joined: String?
            for field in fields where asciiEqualIgnoringCase(field.name, name) {
                joined = joined.map { $0 + ", " + field.value } ?? field.value
            }
            return joined
        }
        set {
            remove(name)
            if let newValue { add(name, newValue) }
        }
    }

    /// Returns the values of all fields of this name, in order.
    public func all(_ name: String) -> [String] {
        fields.compactMap { asciiEqualIgnoringCase($0.name, name) ? $0.value : nil }
    }

    /// Returns the value of the first field of this name.
    public func first(_ name: String) -> String? {
        fields.first { asciiEqualIgnoringCase($0.name, name) }?.value
    }

    /// Returns whether there is a field of this name.
    public func contains(_ name: String) -> Bool {
        fields.contains { asciiEqualIgnoringCase($0.name, name) }
    }

    /// Appends a field, also if there is one of this name.
    public mutating func add(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Removes all fields of this name.
    public mutating func remove(_ name: String) {
        fields.removeAll { asciiEqualIgnoringCase($0.name, name) }
    }

    mutating func removeAll() {
        fields.removeAll(keepingCapacity: true)
    }

    /// Returns these fields, with the fields of `other` in place of those with the same name.
    public func replacing(with other: HeaderFields) -> HeaderFields {
        guard !other.fields.isEmpty else { return self }
        var result = self
        for field in other.fields { result.remove(field.name) }
        result.fields += other.fields
        return result
    }

    /// Whether there are no fields.
    public var isEmpty: Bool { fields.isEmpty }
}

extension HeaderFields: Hashable {
    public static func == (left: HeaderFields, right: HeaderFields) -> Bool {
        left.fields.count == right.fields.count
            && zip(left.fields, right.fields).allSatisfy {
                $0.value == $1.value && asciiEqualIgnoringCase($0.name, $1.name)
            }
    }

    public func hash(into hasher: inout Hasher) {
        for field in fields {
            hasher.combine(field.name.lowercased())
            hasher.combine(field.value)
        }
    }
}

extension HeaderFields: CustomStringConvertible {
    public var description: String { fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n") }
}

extension HeaderFields {
    /// The reason why these fields cannot be sent, or nil. A line break in a value would inject a field (RFC 9110 §5.5).
    var sendingProblem: String? {
        for field in fields {
            if field.name.isEmpty || !field.name.utf8.allSatisfy(isTokenByte) {
                return "\"\(field.name)\" is not a header name"
            }
            if field.value.utf8.contains(where: { $0 == 13 || $0 == 10 || $0 == 0 }) {
                return "the value of \(field.name) holds a line break or a zero byte"
            }
        }
        return nil
    }
}
