/// Stands between the caller and the pipeline: may change the request, answer itself, look at the answer, or try again.
///
/// Interceptors run for every load in the order of the configuration: memory hits, loads of bytes and prefetches too, but
/// not `cachedImage(for:)`. Task-local values of the caller are there.
public protocol ImageInterceptor: Sendable {
    /// - Returns: what the caller gets. `chain.proceed(_:)` asks the rest of the chain.
    func intercept(_ chain: InterceptorChain) async throws -> ImageResponse
}

/// The rest of the way that a request goes.
public struct InterceptorChain: Sendable {
    /// As the interceptors before left it.
    public let request: ImageRequest
    /// Whether only bytes are wanted: for `ImagePipeline.data(for:)` and prefetches to disk. The response then holds them in
    /// `ImageResponse.data`, and one transparent pixel as its image.
    public let isDataOnly: Bool
    let rest: ArraySlice<any ImageInterceptor>
    let load: @Sendable (ImageRequest) async throws -> ImageResponse

    public func proceed(_ request: ImageRequest) async throws -> ImageResponse {
        guard let next = rest.first else { return try await load(request) }
        return try await next.intercept(
            InterceptorChain(request: request, isDataOnly: isDataOnly, rest: rest.dropFirst(), load: load))
    }
}
