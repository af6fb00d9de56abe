/// Writes composed keys: a list of fields, each `tag`, length in UTF-8 bytes, `:`, value.
///
/// No value can look like the end of its field, so two different lists never make one key. The form is part of the
/// disk format: the golden file in the tests holds it fast.
struct KeyWriter {
    /// What every composed key starts with, and no key of original bytes does.
    static let prefix = "image-1;"

    private(set) var string = KeyWriter.prefix

    mutating func field(_ tag: Character, _ value: String) {
        string.append(tag)
        string += String(value.utf8.count)
        string += ":"
        string += value
    }

    mutating func field(_ tag: Character, _ value: Int) { field(tag, String(value)) }

    /// The key of original bytes: the resource itself, unless it would look like a composed key.
    static func originalKey(_ resource: String) -> String {
        guard resource.hasPrefix(prefix) else { return resource }
        var writer = KeyWriter()
        writer.field("o", resource)
        return writer.string
    }
}
