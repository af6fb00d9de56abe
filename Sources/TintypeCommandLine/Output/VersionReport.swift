import Tintype

/// `tintype --version`: the version, and what this build can read and write.
enum VersionReport {
    static let version = "0.2.0"

    static var decodable: [ImageFormat] { ImageFormat.allCases.filter { ImageCodecs.standard.decoder(for: $0) != nil } }
    static var encodable: [ImageFormat] { ImageFormat.allCases.filter { ImageCodecs.standard.encoder(for: $0) != nil } }

    static func print(json: Bool, _ console: Console) {
        if json {
            console.print(
                .object([
                    ("version", .string(version)),
                    ("decodes", .array(decodable.map { .string($0.rawValue) })),
                    ("encodes", .array(encodable.map { .string($0.rawValue) })),
                ]))
            return
        }
        console.print("tintype \(version)")
        console.print("decodes: " + decodable.map(\.rawValue).joined(separator: " "))
        console.print("encodes: " + encodable.map(\.rawValue).joined(separator: " "))
    }
}
