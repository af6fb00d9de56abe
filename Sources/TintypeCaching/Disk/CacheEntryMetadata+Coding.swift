import TintypeBase

/// The metadata in an entry file: fields of one tag byte, a 32-bit length and the bytes. Empty fields are left out and
/// unknown tags are skipped, so that fields can be added without a new version.
extension CacheEntryMetadata {
    private enum Tag: UInt8 {
        case etag = 1
        case lastModified, responseDate, directive, contentType, vary, sourceURL, extendedData, blocksPrivateAddresses,
            status, original
    }

    func encoded() -> [UInt8] {
        let fields = self.fields
        var writer = FieldWriter()
        if let etag = fields.etag { writer.append(Tag.etag.rawValue, etag.utf8) }
        if let lastModified = fields.lastModified { writer.append(Tag.lastModified.rawValue, lastModified.utf8) }
        if let responseDate = fields.responseDate {
            let bits = responseDate.timeIntervalSinceReferenceDate.bitPattern.littleEndian
            withUnsafeBytes(of: bits) { writer.append(Tag.responseDate.rawValue, $0) }
        }
        for (name, value) in fields.cacheDirectives.sorted(by: { $0.key < $1.key }) {
            writer.append(Tag.directive.rawValue, name: name, value: value)
        }
        if let contentType = fields.contentType { writer.append(Tag.contentType.rawValue, contentType.utf8) }
        for (name, value) in fields.vary.sorted(by: { $0.key < $1.key }) {
            writer.append(Tag.vary.rawValue, name: name, value: value)
        }
        if let sourceURL = fields.sourceURL { writer.append(Tag.sourceURL.rawValue, sourceURL.utf8) }
        if let extendedData = fields.extendedData { writer.append(Tag.extendedData.rawValue, extendedData) }
        if fields.blocksPrivateAddresses { writer.append(Tag.blocksPrivateAddresses.rawValue, [1]) }
        if let status = fields.status { writer.append(Tag.status.rawValue, String(status).utf8) }
        if let original = fields.original {
            writer.append(
                Tag.original.rawValue, name: original.format,
                value: "\(original.byteCount) \(original.width) \(original.height)")
        }
        return writer.bytes
    }

    /// Reads the fields; nil if a length exceeds the bytes or text is not UTF-8.
    init?(_ bytes: UnsafeRawBufferPointer, storedAt: Double, expiresAt: Double) {
        let storedAt = Date(timeIntervalSinceReferenceDate: storedAt)
        let expiresAt = expiresAt == .infinity ? nil : Date(timeIntervalSinceReferenceDate: expiresAt)
        var fields = Fields()
        var rest = bytes[...]
        while let tag = rest.popFirst() {
            guard let field = FieldWriter.takeField(&rest) else { return nil }
            switch Tag(rawValue: tag) {
            case .etag: fields.etag = String(validating: field, as: UTF8.self)
            case .lastModified: fields.lastModified = String(validating: field, as: UTF8.self)
            case .responseDate:
                guard field.count == 8 else { return nil }
                let bits = field.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                let seconds = Double(bitPattern: bits)
                guard seconds.isFinite else { return nil }
                fields.responseDate = Date(timeIntervalSinceReferenceDate: seconds)
            case .directive:
                guard let (name, value) = FieldWriter.takePair(field) else { return nil }
                fields.cacheDirectives[name] = value
            case .contentType: fields.contentType = String(validating: field, as: UTF8.self)
            case .vary:
                guard let (name, value) = FieldWriter.takePair(field) else { return nil }
                fields.vary[name] = value
            case .sourceURL: fields.sourceURL = String(validating: field, as: UTF8.self)
            case .extendedData: fields.extendedData = Data(field)
            case .blocksPrivateAddresses: fields.blocksPrivateAddresses = field.elementsEqual([1])
            case .status: fields.status = String(validating: field, as: UTF8.self).flatMap { Int($0) }
            case .original:
                guard let (format, text) = FieldWriter.takePair(field) else { return nil }
                let numbers = text.split(separator: " ").compactMap { Int($0) }
                guard numbers.count == 3 else { return nil }
                fields.original = Original(
                    byteCount: numbers[0], format: format, width: numbers[1], height: numbers[2])
            case nil: break
            }
        }
        self.init(storedAt: storedAt, expiresAt: expiresAt, fields: fields)
    }
}

private struct FieldWriter {
    var bytes: [UInt8] = []

    mutating func append(_ tag: UInt8, _ value: some Collection<UInt8>) {
        bytes.append(tag)
        appendLength(value.count)
        bytes.append(contentsOf: value)
    }

    mutating func append(_ tag: UInt8, name: String, value: String) {
        bytes.append(tag)
        appendLength(4 + name.utf8.count + value.utf8.count)
        appendLength(name.utf8.count)
        bytes.append(contentsOf: name.utf8)
        bytes.append(contentsOf: value.utf8)
    }

    private mutating func appendLength(_ count: Int) {
        withUnsafeBytes(of: UInt32(clamping: count).littleEndian) { bytes.append(contentsOf: $0) }
    }

    static func takeField(_ rest: inout Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer>? {
        guard rest.count >= 4 else { return nil }
        let count = Int(rest.prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
        rest = rest.dropFirst(4)
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    static func takePair(_ field: Slice<UnsafeRawBufferPointer>) -> (String, String)? {
        var rest = field
        guard let name = takeField(&rest), let nameText = String(validating: name, as: UTF8.self),
            let valueText = String(validating: rest, as: UTF8.self)
        else { return nil }
        return (nameText, valueText)
    }
}
