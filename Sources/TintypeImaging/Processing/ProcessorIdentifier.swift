/// Builds the identifier of a processor: `name(parameter=value,…)`, all parameters in a fixed order.
///
/// Values come from alphabets without comma and parenthesis, or carry their length in front, so that no two lists of
/// parameters have the same identifier. Equal numbers are written equally: 1, not 1.0 or -0.
struct ProcessorIdentifier {
    private let name: String
    private var parameters: [String] = []

    init(_ name: String) { self.name = name }

    var text: String { "\(name)(\(parameters.joined(separator: ",")))" }

    func adding(_ name: String, _ value: Double) -> ProcessorIdentifier { adding(name, raw: Self.number(value)) }

    func adding(_ name: String, _ value: Int) -> ProcessorIdentifier { adding(name, raw: String(value)) }

    func adding(_ name: String, _ value: Int?) -> ProcessorIdentifier {
        adding(name, raw: value.map { String($0) } ?? "-")
    }

    func adding(_ name: String, _ value: Bool) -> ProcessorIdentifier { adding(name, raw: value ? "1" : "0") }

    func adding(_ name: String, _ value: PixelColor) -> ProcessorIdentifier { adding(name, raw: value.hex) }

    func adding(_ name: String, _ value: some RawRepresentable<String>) -> ProcessorIdentifier {
        adding(name, raw: value.rawValue)
    }

    /// A text of the caller's: its length in UTF-8 comes first, so that it may hold anything.
    func adding(_ name: String, text: String) -> ProcessorIdentifier {
        adding(name, raw: "\(text.utf8.count):\(text)")
    }

    private func adding(_ name: String, raw: String) -> ProcessorIdentifier {
        var copy = self
        copy.parameters.append("\(name)=\(raw)")
        return copy
    }

    /// Whole numbers without a fraction, others with the fewest digits that give the same number back.
    static func number(_ value: Double) -> String {
        if value == value.rounded(), abs(value) < 1e15 { return String(Int(value)) }
        return value.isNaN ? "nan" : value.description
    }
}

extension ResizeTarget {
    /// Everything that the target says, in a form that is stable across runs and versions: what a cache key holds.
    public var identifier: String {
        ProcessorIdentifier("resize").adding("w", width).adding("h", height).adding("fit", fit)
            .adding("up", allowsUpscaling).adding("filter", filter).adding("gravity", gravity)
            .adding("linear", isLinearLight).text
    }
}
