extension ImageRequest {
    /// Whether the result differs from the original bytes simply decoded.
    var isProcessed: Bool { !fields.processors.isEmpty || fields.decoding.target != nil }

    /// The key of the bytes of a resource, as they came.
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

extension KeyWriter {
    /// Every option that is not at its default, so that an option added later leaves older keys as they are.
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
