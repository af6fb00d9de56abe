import CCrypto
import CSystemShim
import Tintype
import TintypeBase

/// The URL and the flags that a saved file was made with, which identify the file that a load would write.
///
/// Kept in extended attributes of the file, which follow it when it is renamed or copied with them.
struct FileOrigin: Sendable, Equatable {
    /// The name that browsers, curl and wget use (freedesktop.org, "Common Extended Attributes").
    static let urlAttribute = "user.xdg.origin.url"
    /// 40 hexadecimal digits of the URL and the flags.
    static let requestAttribute = "user.tintype.request"
    /// Attributes share one block of 4 KB in some file systems.
    private static let longestURL = 1024

    /// Without a password; other users may read the attribute.
    let url: String
    let identity: String
    /// Whether no flag changes the bytes of the URL. Then a file that another program saved is equivalent.
    let isOriginal: Bool

    /// - Parameter flags: those that change the file, in one spelling.
    init(url: String, flags: String) {
        self.url = FileOrigin.withoutPassword(url)
        isOriginal = flags.isEmpty
        let canonical: String
        do { canonical = try ResourceURL(url).cacheKey } catch { canonical = url }
        identity = FileOrigin.digest(canonical + "\n" + flags)
    }

    /// Returns the first 160 bits of the SHA-256 in hexadecimal.
    static func digest(_ text: String) -> String {
        var text = text
        let digest = text.withUTF8 { bytes in
            [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
                _ = EVP_Digest(bytes.baseAddress, bytes.count, digest.baseAddress, nil, EVP_sha256(), nil)
                count = 32
            }
        }
        return digest.prefix(20).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func withoutPassword(_ url: String) -> String {
        guard let slashes = url.firstRange(of: "://") else { return url }
        let rest = url[slashes.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let at = authority.lastIndex(of: "@") else { return url }
        return String(url[..<slashes.upperBound] + rest[rest.index(after: at)...])
    }

    /// Writes the attributes.
    ///
    /// - Returns: false where the file system takes none.
    func attach(to descriptor: Int32) -> Bool {
        func set(_ name: String, _ value: String) -> Bool {
            var value = value
            return value.withUTF8 { fsetxattr(descriptor, name, $0.baseAddress, $0.count, 0) } == 0
        }
        guard set(FileOrigin.requestAttribute, identity) else { return false }
        // For people and other programs; Tintype reads the other attribute.
        if url.utf8.count <= FileOrigin.longestURL { _ = set(FileOrigin.urlAttribute, url) }
        return true
    }

    /// Writes the attributes of a file that exists.
    func attach(toPath path: String) -> Bool {
        let descriptor = PathText.withPath(path) { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW) }
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return attach(to: descriptor)
    }

    /// Returns the attributes of a file.
    static func stored(path: String) -> (identity: String?, url: String?) {
        func value(_ name: String) -> String? {
            PathText.withPath(path) { path in
                withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
                    let count = getxattr(path, name, buffer.baseAddress, buffer.count)
                    return count < 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
                }
            }
        }
        if let identity = value(requestAttribute) { return (identity, nil) }
        return (nil, value(urlAttribute))
    }
}
