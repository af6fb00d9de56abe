import CCrypto
import TintypeBase

/// The parsed source of a request.
struct Resource: Sendable {
    enum Kind: Sendable {
        case web(WebURL)
        case data(DataURL)
        case file(path: String)
        case bytes(@Sendable () async throws -> Data)
        case image(@Sendable () async throws -> DecodedImage)
        case invalid(NetworkingError)
    }

    let kind: Kind
    /// One for all spellings of the same thing; the caller's own key, if there is one.
    let key: String
    /// Whether the key filter applies: false where the caller named the key.
    let isFilterable: Bool

    init(_ source: ImageSource, cacheKey: String?) {
        let ownKey: String
        switch source {
        case .url(let url):
            do {
                let resource = try ResourceURL(url)
                switch resource {
                case .web(let url): (kind, ownKey) = (.web(url), resource.cacheKey)
                case .data(let url): (kind, ownKey) = (.data(url), Resource.key(of: url))
                case .file(let path): (kind, ownKey) = (.file(path: path), resource.cacheKey)
                }
            } catch {
                (kind, ownKey) = (.invalid(error), "invalid:" + url)
            }
        case .file(let path):
            let absolute = path.hasPrefix("/") ? path : "./" + path
            do {
                let resource = try ResourceURL(absolute)
                guard case .file(let path) = resource else {
                    throw NetworkingError.invalidURL(url: path, reason: "it is not a path")
                }
                (kind, ownKey) = (.file(path: path), resource.cacheKey)
            } catch let error as NetworkingError {
                (kind, ownKey) = (.invalid(error), "invalid:" + path)
            } catch {
                (kind, ownKey) = (.invalid(.invalidURL(url: path, reason: "\(error)")), "invalid:" + path)
            }
        case .data(let id, let load): (kind, ownKey) = (.bytes(load), "data-id:" + id)
        case .image(let id, let make): (kind, ownKey) = (.image(make), "image-id:" + id)
        }
        key = cacheKey ?? ownKey
        isFilterable = cacheKey == nil
    }

    /// The key of a `data:` URL, which is as long as its content: its SHA-256 in hexadecimal.
    private static func key(of url: DataURL) -> String {
        var text = url.absoluteString
        let digest = text.withUTF8 { bytes in
            [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
                _ = EVP_Digest(bytes.baseAddress, bytes.count, digest.baseAddress, nil, EVP_sha256(), nil)
                count = 32
            }
        }
        return "data:sha256,\(hexadecimal(digest))"
    }

    /// Whether the bytes are on this machine already, so that a copy in the disk cache would be a waste.
    var isLocal: Bool {
        switch kind {
        case .file, .data, .image: true
        case .web, .bytes, .invalid: false
        }
    }
}
