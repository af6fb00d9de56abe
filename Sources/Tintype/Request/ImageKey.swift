import Synchronization

/// Names one result: the resource and everything that changes its pixels. Equal keys mean equal images.
///
/// One pointer wide, with its hash computed once: a look-up in the memory cache compares pointers or hashes first.
public struct ImageKey: Sendable, Hashable, CustomStringConvertible {
    private final class Storage: Sendable {
        let string: String
        let hash: Int

        init(_ string: String) {
            self.string = string
            hash = string.hashValue
        }
    }

    private let storage: Storage

    public init(_ string: String) { storage = Storage(string) }

    /// The key as the disk cache writes it.
    public var string: String { storage.string }
    public var description: String { storage.string }

    public static func == (left: ImageKey, right: ImageKey) -> Bool {
        left.storage === right.storage
            || (left.storage.hash == right.storage.hash && left.storage.string == right.storage.string)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(storage.hash) }
}

/// The keys of one request, computed at their first use.
final class RequestKeys: Sendable {
    /// The resource of a request, and the key without a key filter or an added processor.
    final class Box: Sendable {
        let resource: Resource
        let image: ImageKey
        let isFile: Bool

        init(_ resource: Resource, _ image: ImageKey) {
            self.resource = resource
            self.image = image
            if case .file = resource.kind { isFile = true } else { isFile = false }
        }
    }

    private let box = AtomicLazyReference<Box>()

    var isComputed: Bool { box.load() != nil }

    func keys(for request: ImageRequest) -> Box {
        if let box = box.load() { return box }
        let resource = Resource(request.source, cacheKey: request.cacheKey)
        return box.storeIfNil(Box(resource, request.imageKey(resource: resource.key)))
    }
}

/// Writes composed keys: a list of fields, each `tag`, length in UTF-8 bytes, `:`, value.
///
/// The lengths make the list unambiguous: two different lists never make one key. The form is part of the disk format,
/// and a golden file in the tests pins it.
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

    /// Writes every option that is not at its default, so that an option added later leaves older keys as they are.
    mutating func decodeFields(_ options: DecodeOptions) {
        let standard = DecodeOptions()
        if let target = options.target {
            var value = KeyWriter.fieldList(("w", target.width), ("h", target.height))
            value += target.fit.rawValue
            value += target.allowsUpscaling ? ",up," : ",keep,"
            value += target.filter.rawValue
            if target.gravity != .center { value += ",g-" + target.gravity.rawValue }
            if target.isLinearLight { value += ",linear" }
            field("t", value)
        }
        if options.isLenient { field("k", 1) }
        if !options.appliesOrientation { field("O", 0) }
        if let frame = options.frame { field("n", frame) }
        if let size = options.preferredSize { field("v", size.description) }
        if options.limits != standard.limits {
            let limits = options.limits
            field(
                "l",
                "\(limits.maximumPixelCount),\(limits.maximumFrameCount),\(limits.maximumMetadataByteCount)")
        }
    }

    private static func fieldList(_ fields: (String, Int?)...) -> String {
        fields.map { name, value in value.map { "\(name)\($0)," } ?? "\(name)," }.joined()
    }
}

extension ImageRequest {
    /// Whether the result differs from the original bytes simply decoded.
    var isProcessed: Bool { !fields.processors.isEmpty || fields.decoding.target != nil }

    /// The key of the original bytes of a resource.
    func originalKey(resource: String) -> String {
        guard let loader = fields.loader else { return KeyWriter.originalKey(resource) }
        var writer = KeyWriter()
        writer.field("r", resource)
        writer.field("L", loader.identifier)
        return writer.string
    }

    /// The key of the result.
    ///
    /// - Parameters:
    ///   - resource: the key of the resource.
    ///   - processors: identifiers of what runs over the pixels; nil takes the request's own.
    func imageKey(resource: String, processors: [String]? = nil) -> ImageKey {
        let fields = fields
        let processors = processors ?? fields.processors.map(\.identifier)
        let original = originalKey(resource: resource)
        var writer = KeyWriter()
        writer.field("r", resource)
        if let loader = fields.loader { writer.field("L", loader.identifier) }
        let plain = writer.string
        if let codecs = fields.codecs { writer.field("C", codecs.identifier) }
        writer.decodeFields(fields.decoding)
        if let scale = fields.scale { writer.field("x", scale.description) }
        if fields.options.contains(.firstFrameOnly) { writer.field("s", 1) }
        if fields.options.contains(.preloadAllFrames) { writer.field("g", 1) }
        for processor in processors { writer.field("p", processor) }
        if !processors.isEmpty, fields.options.contains(.transformAnimatedImages) { writer.field("T", 1) }
        return ImageKey(writer.string == plain ? original : writer.string)
    }
}
