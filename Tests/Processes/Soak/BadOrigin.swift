import Foundation
import TestOrigin
import TintypeBase

/// How the bad origin treats one path. The first component of the path names it.
enum Treatment: String, CaseIterable {
    case ok, validated, drip, chunk, gzip, redirect, flaky, late
    case missing, gone, down, cut, lie, stall, hang, reset, close, junk, empty, loop, bomb

    /// How a load of it may end without a cancellation; "" is success.
    var codes: Set<String> {
        switch self {
        case .ok, .validated, .drip, .chunk, .gzip, .redirect, .late: [""]
        case .flaky: ["", "connectionFailed"]
        case .missing, .gone: ["badStatus", "failedRecently"]
        case .down: ["badStatus"]
        case .cut, .lie: ["truncated"]
        case .stall, .hang: ["timedOut"]
        case .reset: ["truncated", "connectionFailed"]
        case .close: ["connectionFailed"]
        case .junk: ["unsupportedFormat", "failedRecently"]
        case .empty: ["emptyBody"]
        case .loop: ["tooManyRedirects"]
        case .bomb: ["bodyTooLarge"]
        }
    }

    /// Ends by a deadline only.
    var isSlow: Bool { self == .stall || self == .hang }
    var isBad: Bool { !codes.contains("") }
}

/// The origin of the soak and of the kill test, in plain HTTP and with a certificate of its own authority.
final class BadOrigin: Sendable {
    let http: TestOrigin
    let https: TestOrigin?
    let certificates: OriginCertificates?

    init(secure: Bool = true) throws {
        http = try TestOrigin()
        certificates = secure ? try OriginCertificates() : nil
        https = try certificates.map { try TestOrigin(tls: $0.tls()) }
        let bodies = ImageBodies()
        for origin in [http, https].compactMap(\.self) {
            origin.onEverythingElse { [unowned origin] request in
                do { return try Self.response(request, bodies, origin) } catch { return .status(500) }
            }
        }
    }

    /// Made once: packing zeros is the dearest thing that this origin does. Twice what the rigs accept.
    private static let bomb = OriginResponse.bomb(byteCount: 16 << 20)

    private static func response(
        _ request: OriginRequest, _ bodies: ImageBodies, _ origin: TestOrigin
    ) throws -> OriginResponse {
        // What a week of requests would fill memory with.
        if request.ordinal % 50 == 0, origin.requestCount > 2000 { origin.clearLog() }
        let parts = request.path.split(separator: "/")
        if parts.first == "json", parts.count == 2 { return json(String(parts[1])) }
        guard parts.count == 2, let treatment = Treatment(rawValue: String(parts[0])),
            let image = SoakImage(name: parts[1])
        else { return .status(400) }
        return try response(treatment, image, bodies.body(of: image), request)
    }

    private static func response(
        _ treatment: Treatment, _ image: SoakImage, _ body: Data, _ request: OriginRequest
    ) throws -> OriginResponse {
        switch treatment {
        case .ok: return .ok(body)
        case .validated:
            return OriginResource(
                .init(body, etag: "\"\(image.name)\"", headers: [("Cache-Control", "max-age=0")])
            ).handler(request)
        case .drip: return .dripped(body, piece: max(1, body.count / 6), interval: 0.004)
        case .chunk: return .chunked([body.prefix(100), body.dropFirst(100)].map { Data($0) }.filter { !$0.isEmpty })
        case .gzip: return .gzip(body)
        case .redirect: return .redirect(to: "/ok/\(image.name)")
        case .flaky: return Bool.random() ? .resetAtOnce : .ok(body)
        case .late: return OriginResponse.ok(body).delayed(0.03)
        case .missing: return .status(404)
        case .gone: return .status(410)
        case .down: return .status(503)
        case .cut: return .truncated(body, sent: body.count / 2)
        case .lie: return .lying(body, declared: body.count + 1000)
        case .stall: return .stalled(body, after: body.count / 3)
        case .hang: return .hang
        case .reset: return .reset(body, after: body.count / 2)
        case .close: return .closedAtOnce
        case .junk: return .ok(Data("<html>no image here \(image.name)</html>".utf8), type: "image/png")
        case .empty: return .ok(Data())
        case .loop: return .redirect(to: request.target)
        case .bomb: return bomb
        }
    }

    /// JSON that names itself, of a length that follows from the name.
    static func json(named name: String) -> Data {
        let number = Int(name) ?? 0
        return Data("{\"name\":\"\(name)\",\"fill\":\"\(String(repeating: "x", count: number % 700))\"}".utf8)
    }

    private static func json(_ name: String) -> OriginResponse {
        OriginResponse.ok(json(named: name), type: "application/json").header("ETag", "\"\(name)\"")
    }
}

/// The encoded images, each made once, and one at a time.
///
/// A build without optimization asks the runtime for the metadata of tuples in every turn of its loops, and the runtime
/// has one lock for that (`swift_getTupleTypeMetadata`). A few dozen connections that encode at once hand it around
/// and bring every other thread of the process nearly to a stop.
private final class ImageBodies: Sendable {
    private let made = Locked<[String: Data]>([:])
    private let encoding = WorkerPool(name: "soak-images", width: 1)

    func body(of image: SoakImage) throws -> Data {
        if let body = made.withLock({ $0[image.name] }) { return body }
        return try encoding.runBlocking { [self] in
            if let body = made.withLock({ $0[image.name] }) { return body }
            let body = try image.encoded()
            made.withLock { $0[image.name] = body }
            return body
        }
    }
}
