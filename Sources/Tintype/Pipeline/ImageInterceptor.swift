/// Runs around loads: may change the request, return a response of its own, look at the response, or try again.
///
/// Interceptors run for every load in the order of the configuration: memory hits, loads of bytes and prefetches too, but
/// not `cachedImage(for:)`. Task-local values of the caller are there.
public protocol ImageInterceptor: Sendable {
    /// Returns the response of one load.
    ///
    /// - Returns: what the caller gets. `chain.proceed(_:)` runs the rest of the chain.
    func intercept(_ chain: InterceptorChain) async throws -> ImageResponse
}

/// The rest of a load: the following interceptors, then the pipeline.
public struct InterceptorChain: Sendable {
    /// As the interceptors before left it.
    public let request: ImageRequest
    /// Whether only bytes are wanted: for `ImagePipeline.data(for:)` and prefetches to disk. The response then holds them in
    /// `ImageResponse.data`, and one transparent pixel as its image.
    public let isDataOnly: Bool
    let rest: ArraySlice<any ImageInterceptor>
    let load: @Sendable (ImageRequest) async throws -> ImageResponse

    init(
        request: ImageRequest, isDataOnly: Bool, rest: ArraySlice<any ImageInterceptor>,
        load: @escaping @Sendable (ImageRequest) async throws -> ImageResponse
    ) {
        self.request = request
        self.isDataOnly = isDataOnly
        self.rest = rest
        self.load = load
    }

    /// Creates a chain without further interceptors, to call one outside a pipeline.
    public init(
        request: ImageRequest, isDataOnly: Bool = false,
        load: @escaping @Sendable (ImageRequest) async throws -> ImageResponse
    ) {
        self.init(request: request, isDataOnly: isDataOnly, rest: [], load: load)
    }

    /// Loads a request with the rest of the chain.
    public func proceed(_ request: ImageRequest) async throws -> ImageResponse {
        guard let next = rest.first else { return try await load(request) }
        return try await next.intercept(
            InterceptorChain(request: request, isDataOnly: isDataOnly, rest: rest.dropFirst(), load: load))
    }
}
