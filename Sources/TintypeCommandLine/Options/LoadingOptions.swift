import Tintype
import TintypeBase

/// The flags of `get` and `prefetch` about network and caches.
struct LoadingOptions: Sendable {
    static let table: [OptionSpecification] = [
        .value("cache-dir", nil, "D", kind: .directory, "The root of the disk cache; ~/.cache/tintype by default"),
        .flag("no-memory-cache", nil, "Neither read nor fill the memory cache"),
        .flag("no-disk-cache", nil, "Neither read nor fill the disk cache"),
        .value("max-memory", nil, "N", "The limit of the memory cache; 128M by default"),
        .flag("cache-only", nil, "Send no requests; a cache miss fails with notInCache"),
        .flag("refresh", nil, "Revalidate cached images"),
        .flag("respect-headers", nil, "Follow Cache-Control, Expires, ETag and Vary (RFC 9111)"),
        .value("retry", nil, "N", "Retries after transient failures; 2 by default"),
        .flag("retry-failed", nil, "Load URLs that failed a moment ago again"),
        .value("concurrency", nil, "N", "Transfers at the same time; 6 by default"),
        .flag("lifo", nil, "Start with the last URLs of the list"),
        .value(
            "timeout", nil, "S",
            "Seconds for one whole transfer, retries included, and for encoding one animation; 120 by default"),
        .value("max-bytes", nil, "N", "Refuse longer bodies; 200M by default"),
        .value("max-pixels", nil, "N", "Refuse images of more pixels; 100000000 by default"),
        .value("header", nil, "'K: V'", isRepeatable: true, "Send a header field; may be given several times"),
        .value("user", nil, "U:P", "User name and password for the server"),
        .flag("cookies", nil, "Store and send cookies during this run"),
        .flag("insecure", nil, "Accept any TLS certificate; for tests only"),
        .flag("block-private", nil, "Refuse addresses of this machine and of private networks, and local files"),
        .value("input", "i", "FILE", kind: .file, "Read URLs from here, one a line; - is standard input"),
    ]

    static let defaultConcurrency = 6

    let concurrency: Int
    /// The number of concurrent loads. Twice the transfers, so that decoding does not delay the network; equal to the
    /// transfers where the order matters.
    var window: Int { isLIFO || concurrency == 1 ? concurrency : concurrency * 2 }
    let isLIFO: Bool
    private(set) var options: ImageOptions = []
    private(set) var network = NetworkOptions()
    private let call: Invocation
    private let root: URL?
    private let memoryByteCount: Int?

    init(_ call: Invocation) throws {
        self.call = call
        concurrency = try call.integer("concurrency", 1...1000) ?? LoadingOptions.defaultConcurrency
        isLIFO = call.has("lifo")
        root = try CacheCommands.root(call)
        memoryByteCount = try call.byteCount("max-memory")
        if call.has("cache-only") {
            guard !call.has("refresh") else { throw UsageError("--cache-only and --refresh exclude one another") }
            options.insert(.fromCacheOnly)
        }
        if call.has("retry-failed") { options.insert(.retryFailed) }
        if call.has("refresh") { options.insert(.refreshCached) }
        if call.has("cookies") { options.insert(.handleCookies) }
        if call.has("insecure") { options.insert(.allowInvalidCertificates) }
        for text in call.texts("header") {
            let (name, value) = try LoadingOptions.header(text)
            network.headers.add(name, value)
        }
        if let user = call.text("user") {
            guard let colon = user.firstIndex(of: ":") else { throw UsageError("--user needs NAME:PASSWORD") }
            network.credential = HTTPCredential(
                user: String(user[..<colon]), password: String(user[user.index(after: colon)...]))
        }
        if let retries = try call.integer("retry", 0...100) { network.retry = RetryPolicy(maximumRetries: retries) }
        if let total = try LoadingOptions.timeout(call) {
            let usual = Timeouts()
            network.timeouts = Timeouts(connect: min(usual.connect, total), idle: min(usual.idle, total), total: total)
        }
        network.maximumBodyByteCount = try call.byteCount("max-bytes")
        if call.has("block-private") { network.blocksPrivateAddresses = true }
    }

    static func timeout(_ call: Invocation) throws(UsageError) -> Duration? {
        try call.number("timeout", above: 0, upTo: 1e6).map { .seconds($0) }
    }

    /// Returns a pipeline with the caches and the downloader of the flags, which records its transfers.
    func pipeline(records: TransferRecords) throws -> ImagePipeline {
        let console = call.console
        var configuration = ImagePipeline.Configuration(
            diskCache: call.has("no-disk-cache")
                ? nil : try CacheCommands.open(call) { console.note("tintype: warning: \($0)") })
        // A batch rarely contains an image twice.
        configuration.memoryCache = ImageMemoryCache(.init(costLimit: memoryByteCount ?? 128 << 20))
        if call.has("no-memory-cache") { configuration.memoryCache = nil }
        if call.has("respect-headers") { configuration.httpCaching = .respectHeaders }
        var downloader = ImageDownloader.Configuration()
        downloader.maximumConcurrentTransfers = concurrency
        downloader.maximumPerHost = concurrency
        let made = ImageDownloader(downloader)
        configuration.downloader = made
        configuration.loader = DownloaderLoader(downloader: made) { request, transfer, data in
            records.add(request.url, attempts: transfer.attempts, data: data)
        }
        return ImagePipeline(configuration)
    }

    /// Returns the request for one word of the list. A word without a scheme must be the path of a file.
    func request(for word: String) throws(Problem) -> ImageRequest {
        if network.blocksPrivateAddresses != true, word == "-" || DescriptorPath.number(word) != nil {
            return descriptorRequest(word)
        }
        let isPath = InputSource.scheme(of: word) == nil
        if isPath, !["/", "./", "../"].contains(where: { word.hasPrefix($0) }),
            PathText.withPath(word, { access($0, F_OK) }) != 0
        {
            throw Problem(
                "invalidURL", "it is neither a URL nor a file; a URL starts with http://, https://, file: or data:",
                source: word)
        }
        var request = ImageRequest(word)
        request.options = options
        request.network = network
        return request
    }

    /// An image from a pipe of the shell: no cache can know it again.
    private func descriptorRequest(_ word: String) -> ImageRequest {
        let pipe = PipeInput(path: word, limit: network.maximumBodyByteCount ?? PrefixReader.defaultLimit)
        var request = ImageRequest(id: word) { try await pipe.data() }
        request.options = options.union([.skipMemory, .skipDisk])
        request.network = network
        return request
    }

    /// Returns the URLs of the command line, then those of `-i`: one for each line, without blank lines and lines that start
    /// with #.
    func urls() throws -> [String] {
        var urls = call.operands.map(InputSource.trimmed)
        for path in call.texts("input") {
            do throws(Problem) {
                urls += try LoadingOptions.list(path)
            } catch {
                throw Problem(error, source: path == "-" ? "the list on standard input" : path)
            }
        }
        return urls
    }

    private static func list(_ path: String) throws(Problem) -> [String] {
        let reader = try path == "-" ? PrefixReader(standardInput: 0) : PrefixReader(path: path)
        try reader.grow(to: InfoCommand.firstPrefix)
        guard !reader.data.contains(0) else {
            throw Problem("unsupportedFormat", "it is not a list of URLs in UTF-8: it contains zero bytes")
        }
        // Some editors write a byte order mark.
        let text = PathText.text(try reader.readAll()).trimmingByteOrderMark
        return text.split(whereSeparator: \.isNewline).compactMap { line in
            let url = line.trimmingBlanks
            return url.isEmpty || url.hasPrefix("#") ? nil : InputSource.trimmed(url)
        }
    }

    static func header(_ text: String) throws(UsageError) -> (String, String) {
        guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else {
            throw UsageError("--header needs 'Name: value', not '\(text)'")
        }
        return (String(text[..<colon]), text[text.index(after: colon)...].trimmingBlanks)
    }
}

extension Substring {
    /// The text without blanks and control characters at both ends.
    var trimmingBlanks: String {
        var scalars = unicodeScalars
        while let first = scalars.first, first.value <= 0x20 { scalars.removeFirst() }
        while let last = scalars.last, last.value <= 0x20 { scalars.removeLast() }
        return String(scalars)
    }
}

extension String {
    fileprivate var trimmingByteOrderMark: Substring {
        unicodeScalars.first == "\u{FEFF}" ? Substring(unicodeScalars.dropFirst()) : self[...]
    }
}
