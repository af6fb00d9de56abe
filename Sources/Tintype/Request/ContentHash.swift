import CCrypto

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
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
