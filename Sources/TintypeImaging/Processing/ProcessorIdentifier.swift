/// The identifier of a processor: `name(parameter=value,…)`, with all parameters in a fixed order.
///
/// Values contain neither comma nor parenthesis, or follow their length, so that two different lists of parameters never
/// have the same identifier. Equal numbers are written equally: 1, not 1.0 or -0.
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

    func adding(_ border: BorderStroke?) -> ProcessorIdentifier {
        guard let border else { return self }
        return adding("bw", border.width).adding("bc", border.color)
    }

    /// Adds the caller's text after its length in UTF-8, so that it may hold any character.
    func adding(_ name: String, text: String) -> ProcessorIdentifier {
        adding(name, raw: "\(text.utf8.count):\(text)")
    }

    private func adding(_ name: String, raw: String) -> ProcessorIdentifier {
        var copy = self
        copy.parameters.append("\(name)=\(raw)")
        return copy
    }

    /// Formats a whole number without a fraction, others with the fewest digits that parse to the same number.
    static func number(_ value: Double) -> String {
        if value == value.rounded(), abs(value) < 1e15 { return String(Int(value)) }
        return value.isNaN ? "nan" : value.description
    }
}

extension ResizeTarget {
    /// All parameters of the target, stable across runs and versions: a part of the cache key.
    package var identifier: String {
        ProcessorIdentifier("resize").adding("w", width).adding("h", height).adding("fit", fit)
            .adding("up", allowsUpscaling).adding("filter", filter).adding("gravity", gravity)
            .adding("linear", isLinearLight).text
    }
}
