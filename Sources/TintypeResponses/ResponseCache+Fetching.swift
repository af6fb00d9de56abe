import TintypeBase

extension ResponseCache {
    /// Revalidates or fetches a response, checks that it is JSON, and stores it.
    func transfer(_ request: ResponseRequest, _ key: String) async throws -> CachedResponse {
        let stored = try await entry(key)
        var http = try httpRequest(request)
        if let stored {
            if let tag = stored.metadata.etag { http.headers["If-None-Match"] = tag }
            if let date = stored.metadata.lastModified { http.headers["If-Modified-Since"] = date }
        }
        let (data, response) = try await downloader().data(for: http)
        let metadata = metadata(for: request, response)
        let mayStore = !configuration.respectsHTTPHeaders || metadata.cacheDirectives["no-store"] == nil
        if response.status == 304, let stored {
            var confirmed = metadata
            confirmed.etag = metadata.etag ?? stored.metadata.etag
            confirmed.lastModified = metadata.lastModified ?? stored.metadata.lastModified
            let update = confirmed
            await ignoringWriteErrors { [store] in try store.updateMetadataSynchronously(update, for: key) }
            return CachedResponse(
                data: stored.data, source: .network, isStale: false, isRevalidated: true, storedAt: metadata.storedAt,
                status: response.status)
        }
        // A log-in page or an error page, which many servers send with status 200.
        if Self.isMarkup(data) { throw ResponseCacheError.notJSON("it is HTML or XML") }
        _ = try JSONParser.parse(data)
        if mayStore {
            await ignoringWriteErrors { [store] in try store.storeSynchronously(data, for: key, metadata: metadata) }
        }
        return CachedResponse(
            data: data, source: .network, isStale: false, isRevalidated: false, storedAt: metadata.storedAt,
            status: response.status)
    }

    private static func isMarkup(_ data: Data) -> Bool {
        let blanks = Data(" \t\r\n\u{FEFF}".utf8)
        return data.first { !blanks.contains($0) } == UInt8(ascii: "<")
    }

    /// A cache that cannot write does not make a request fail: `unavailableReason` says what is wrong.
    private func ignoringWriteErrors(_ write: @escaping @Sendable () throws -> Void) async {
        do { try await writer.run(write) } catch {}
    }

    private func metadata(for request: ResponseRequest, _ response: DownloadResponse) -> CacheEntryMetadata {
        var metadata = metadata(for: request)
        metadata.etag = response.headers.first("ETag")
        metadata.lastModified = response.headers.first("Last-Modified")
        metadata.contentType = response.contentType
        for part in (response.headers["Cache-Control"] ?? "").split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1).map { $0.trimmed }
            guard let name = pair.first, !name.isEmpty else { continue }
            metadata.cacheDirectives[name.lowercased()] = pair.count > 1 ? pair[1] : ""
        }
        if configuration.respectsHTTPHeaders {
            if metadata.cacheDirectives["no-cache"] != nil {
                metadata.expiresAt = metadata.storedAt
            } else if let age = metadata.cacheDirectives["max-age"].flatMap(Double.init) {
                metadata.expiresAt = metadata.storedAt.addingTimeInterval(max(0, age))
            }
        }
        return metadata
    }

    private func httpRequest(_ request: ResponseRequest) throws -> DownloadRequest {
        var http = configuration.requestDefaults
        http.url = request.url
        http.method = request.method.uppercased()
        http.headers = http.headers.replacing(with: request.headers)
        if !http.headers.contains("Accept") { http.headers["Accept"] = "application/json" }
        guard let parameters = request.parameters, !parameters.isEmpty else { return http }
        let isInQuery = ["GET", "HEAD", "DELETE"].contains(http.method)
        switch request.encoding {
        case .query: http.url = try FormEncoding.url(request.url, adding: parameters)
        case .automatic where isInQuery: http.url = try FormEncoding.url(request.url, adding: parameters)
        case .form:
            http.body = Data(FormEncoding.text(parameters).utf8)
            setContentType("application/x-www-form-urlencoded", &http)
        case .json, .automatic:
            http.body = try JSONValue.object(parameters).data()
            setContentType("application/json", &http)
        }
        return http
    }

    private func setContentType(_ type: String, _ request: inout DownloadRequest) {
        if !request.headers.contains("Content-Type") { request.headers["Content-Type"] = type }
    }

    private func downloader() -> ImageDownloader {
        ownDownloader.withLock { downloader in
            if let downloader { return downloader }
            let made = ImageDownloader()
            downloader = made
            return made
        }
    }
}

extension Substring {
    fileprivate var trimmed: String {
        var text = drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        if text.count >= 2, text.first == "\"", text.last == "\"" { text = text.dropFirst().dropLast() }
        return String(text)
    }
}

/// Parameters as `name=value&…` (the URL standard's `application/x-www-form-urlencoded`, with `%20` for blanks, which
/// every server reads in a query). Sorted, so that equal parameters are equal bytes.
enum FormEncoding {
    static func text(_ parameters: [String: JSONValue]) -> String {
        parameters.keys.sorted(by: JSONValue.precedes)
            .flatMap { pairs($0, parameters[$0] ?? .null) }
            .map { escaped($0.name) + "=" + escaped($0.value) }
            .joined(separator: "&")
    }

    /// Returns the URL with the parameters behind its own query and before its fragment.
    static func url(_ url: String, adding parameters: [String: JSONValue]) throws -> String {
        let fragment = url.firstIndex(of: "#") ?? url.endIndex
        let base = url[..<fragment]
        let separator = base.contains("?") ? (base.last == "?" || base.last == "&" ? "" : "&") : "?"
        return base + separator + text(parameters) + url[fragment...]
    }

    private static func pairs(_ name: String, _ value: JSONValue) -> [(name: String, value: String)] {
        switch value {
        case .null: [(name, "")]
        case .bool(let value): [(name, value ? "true" : "false")]
        case .integer(let value): [(name, String(value))]
        case .number(let value): [(name, Int(exactly: value).map { String($0) } ?? value.description)]
        case .string(let value): [(name, value)]
        case .array(let elements): elements.flatMap { pairs(name + "[]", $0) }
        case .object(let members):
            members.keys.sorted(by: JSONValue.precedes).flatMap { pairs("\(name)[\($0)]", members[$0] ?? .null) }
        }
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            if isAlphanumeric(byte) || "-_.~".utf8.contains(byte) {
                result.unicodeScalars.append(UnicodeScalar(byte))
            } else {
                result += "%" + hexadecimal([byte]).uppercased()
            }
        }
        return result
    }
}
