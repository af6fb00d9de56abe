import CCurl

/// The facts about a failed libcurl transfer.
struct CurlFailureFacts {
    let url: WebURL
    /// Whether a final status had come.
    let hasHead: Bool
    let isConnected: Bool
    let received: Int
    let expected: Int?
    let connectLimit: Double
}

/// Returns libcurl's result code as an error of this layer. All other codes mean that the connection broke.
func curlFailure(_ code: CURLcode, text: String, _ facts: CurlFailureFacts) -> NetworkingError {
    let host = facts.url.authority
    switch code {
    case CURLE_URL_MALFORMAT:
        return .invalidURL(url: shortened(facts.url.absoluteString), reason: text)
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
        return .connectionFailed(.resolve, host: host, detail: text)
    case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED, CURLE_PROXY, CURLE_QUIC_CONNECT_ERROR,
        CURLE_NO_CONNECTION_AVAILABLE:
        return .connectionFailed(.connect, host: host, detail: text)
    case CURLE_OPERATION_TIMEDOUT:
        return .timedOut(facts.isConnected ? .idle : .connect, limit: facts.connectLimit)
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ENGINE_NOTFOUND,
        CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
        CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
        CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT, CURLE_USE_SSL_FAILED, CURLE_SSL_SHUTDOWN_FAILED:
        return .tlsFailed(host: host, detail: text)
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY:
        return .connectionFailed(.protocolViolation, host: host, detail: text)
    case CURLE_BAD_CONTENT_ENCODING:
        return .corrupt(text)
    case CURLE_FILESIZE_EXCEEDED:
        return .bodyTooLarge(limit: facts.received)
    case CURLE_TOO_MANY_REDIRECTS:
        return .tooManyRedirects(limit: 0, lastURL: facts.url.absoluteString)
    default: break
    }
    if facts.hasHead { return .truncated(received: facts.received, expected: facts.expected) }
    return .connectionFailed(.broken, host: host, detail: text)
}
