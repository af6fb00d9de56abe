/// How one request is sent, where it differs from `ImagePipeline.Configuration.requestDefaults`; nil keeps the default.
///
/// Requests with different network options never share a transfer: one user's response does not reach another.
public struct NetworkOptions: Sendable, Hashable {
    /// Set by ``ImageRequest/headers``.
    package var headers = HeaderFields()
    public var credential: HTTPCredential?
    public var timeouts: Timeouts?
    public var retry: RetryPolicy?
    public var maximumBodyByteCount: Int?
    public var maximumRedirects: Int?
    /// Header fields that may follow a redirect to another origin: see `DownloadRequest.redirectSafeHeaders`.
    public var redirectSafeHeaders: Set<String>?
    public var acceptedStatusCodes: Range<Int>?
    public var acceptedContentTypes: Set<String>?
    public var proxy: ProxySetting?
    public var certificateAuthorityFile: String?
    public var clientCertificate: ClientCertificate?
    public var blocksPrivateAddresses: Bool?

    public init() {}

    func apply(to request: inout DownloadRequest) {
        request.headers = request.headers.replacing(with: headers)
        if let credential { request.credential = credential }
        if let timeouts { request.timeouts = timeouts }
        if let retry { request.retry = retry }
        if let maximumBodyByteCount { request.maximumBodyByteCount = maximumBodyByteCount }
        if let maximumRedirects { request.maximumRedirects = maximumRedirects }
        if let redirectSafeHeaders { request.redirectSafeHeaders = redirectSafeHeaders }
        if let acceptedStatusCodes { request.acceptedStatusCodes = acceptedStatusCodes }
        if let acceptedContentTypes { request.acceptedContentTypes = acceptedContentTypes }
        if let proxy { request.proxy = proxy }
        if let certificateAuthorityFile { request.certificateAuthorityFile = certificateAuthorityFile }
        if let clientCertificate { request.clientCertificate = clientCertificate }
        if let blocksPrivateAddresses { request.blocksPrivateAddresses = blocksPrivateAddresses }
    }
}
