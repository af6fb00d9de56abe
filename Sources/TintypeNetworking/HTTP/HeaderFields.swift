import TintypeBase

/// Header fields of a request or an answer: names compare without case, order and repeated fields are kept.
public struct HeaderFields: Sendable, ExpressibleByDictionaryLiteral {
    public struct Field: Sendable {
        public let name: String
        public let value: String
    }

    public private(set) var fields: [Field] = []

    public init() {}

    public init(_ pairs: [(String, String)]) {
        fields = pairs.map { Field(name: $0.0, value: $0.1) }
    }

    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements)
    }

    /// The values of all fields of this name joined with ", " (RFC 9110 §5.2), nil without any.
    /// Setting replaces all of them; nil removes them.
    ///
    /// `Set-Cookie` is the one field that must not be joined: use ``all(_:)``.
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

    /// The values of all fields of this name, in order.
    public func all(_ name: String) -> [String] {
        fields.compactMap { asciiEqualIgnoringCase($0.name, name) ? $0.value : nil }
    }

    /// The first field of this name.
    public func first(_ name: String) -> String? {
        fields.first { asciiEqualIgnoringCase($0.name, name) }?.value
    }

    public func contains(_ name: String) -> Bool {
        fields.contains { asciiEqualIgnoringCase($0.name, name) }
    }

    public mutating func add(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    public mutating func remove(_ name: String) {
        fields.removeAll { asciiEqualIgnoringCase($0.name, name) }
    }

    mutating func removeAll() {
        fields.removeAll(keepingCapacity: true)
    }

    /// These fields, with every field of `other` in the place of those with the same name.
    public func replacing(with other: HeaderFields) -> HeaderFields {
        guard !other.fields.isEmpty else { return self }
        var result = self
        for field in other.fields { result.remove(field.name) }
        result.fields += other.fields
        return result
    }

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
    /// Why these fields cannot be sent, nil when they can. A line break in a value would smuggle in a field (RFC 9110 §5.5).
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
