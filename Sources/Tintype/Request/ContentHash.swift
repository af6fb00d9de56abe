import CCrypto
import TintypeBase

extension DataURL {
    /// The SHA-256 of the URL in hexadecimal: a key of fixed length that no other content has.
    var contentHash: String {
        var text = absoluteString
        let digest = text.withUTF8 { bytes in
            [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
                _ = EVP_Digest(bytes.baseAddress, bytes.count, digest.baseAddress, nil, EVP_sha256(), nil)
                count = 32
            }
        }
        return hexadecimal(digest)
    }
}
