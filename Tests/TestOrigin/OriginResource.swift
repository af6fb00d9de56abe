import Foundation
import TintypeBase

/// A file on the origin that can be changed, cut and served with ranges in right and wrong ways.
public final class OriginResource: Sendable {
    /// How requests with `Range` and conditions are handled.
    public enum Behaviour: Sendable {
        /// RFC 9110.
        case right
        /// Always the whole file.
        case ignoresRange
        /// A range of what is there now, whatever `If-Range` says.
        case ignoresIfRange
        /// A 206 that starts some bytes beside what was asked for.
        case shiftedStart(Int)
        /// A 206 without a validator.
        case withoutValidatorInRange
        /// A 206 that claims another total length.
        case wrongTotal(Int)
        /// A 206 without `Content-Range`.
        case withoutContentRange
        /// 416 whatever was asked for.
        case refusesRange
    }

    public struct Version: Sendable {
        public var body: Data
        public var etag: String?
        public var lastModified: String?
        public var headers: [(String, String)]

        public init(_ body: Data, etag: String? = nil, lastModified: String? = nil, headers: [(String, String)] = []) {
            self.body = body
            self.etag = etag
            self.lastModified = lastModified
            self.headers = headers
        }

        var fields: [(String, String)] {
            var fields = headers
            if let etag { fields.append(("ETag", etag)) }
            if let lastModified { fields.append(("Last-Modified", lastModified)) }
            return fields
        }
    }

    private struct State {
        var version: Version
        var behaviour: Behaviour
        var cuts: [Int] = []
    }

    private let state: Locked<State>

    public init(_ version: Version, behaviour: Behaviour = .right) {
        state = Locked(State(version: version, behaviour: behaviour))
    }

    public var version: Version {
        get { state.withLock { $0.version } }
        set { state.withLock { $0.version = newValue } }
    }

    public var behaviour: Behaviour {
        get { state.withLock { $0.behaviour } }
        set { state.withLock { $0.behaviour = newValue } }
    }

    /// The body of the next response ends after so many bytes, by closing the connection. May be called several times.
    public func cutNext(after count: Int) { state.withLock { $0.cuts.append(count) } }

    public var handler: TestOrigin.Handler {
        { [self] request in respond(request) }
    }

    private func respond(_ request: OriginRequest) -> OriginResponse {
        let (version, behaviour, cut) = state.withLock { state in
            (state.version, state.behaviour, state.cuts.isEmpty ? nil : state.cuts.removeFirst())
        }
        if let tags = request.header("If-None-Match"), let etag = version.etag, Self.contains(tags, etag) {
            return OriginResponse(304, headers: version.fields)
        }
        if request.header("If-None-Match") == nil, let since = request.header("If-Modified-Since"),
            since == version.lastModified
        {
            return OriginResponse(304, headers: version.fields)
        }
        guard let start = Self.start(request.header("Range")), mayAnswerRange(request, version, behaviour) else {
            return body(version.body, of: version, cut: cut)
        }
        return range(from: start, of: version, behaviour: behaviour, cut: cut)
    }

    private func mayAnswerRange(_ request: OriginRequest, _ version: Version, _ behaviour: Behaviour) -> Bool {
        if case .ignoresRange = behaviour { return false }
        if case .ignoresIfRange = behaviour { return true }
        guard let condition = request.header("If-Range") else { return true }
        if condition.hasPrefix("W/") { return false }
        return condition == version.etag || condition == version.lastModified
    }

    private func range(from start: Int, of version: Version, behaviour: Behaviour, cut: Int?) -> OriginResponse {
        let total = version.body.count
        var first = start
        var fields = version.fields
        var claimed = total
        switch behaviour {
        case .refusesRange:
            return OriginResponse(416, headers: fields + [("Content-Range", "bytes */\(total)")])
        case .shiftedStart(let shift): first = max(0, start + shift)
        case .withoutValidatorInRange: fields = version.headers
        case .wrongTotal(let wrong): claimed = wrong
        default: break
        }
        guard first < total else {
            return OriginResponse(416, headers: fields + [("Content-Range", "bytes */\(total)")])
        }
        let part = version.body.subdata(in: first..<total)
        var response = OriginResponse(206, headers: fields, body: part)
        if case .withoutContentRange = behaviour {
        } else {
            response = response.header("Content-Range", "bytes \(first)-\(total - 1)/\(claimed)")
        }
        return cut.map { cutting(response, part, after: $0) } ?? response
    }

    private func body(_ data: Data, of version: Version, cut: Int?) -> OriginResponse {
        let response = OriginResponse(200, headers: version.fields, body: data)
        return cut.map { cutting(response, data, after: $0) } ?? response
    }

    private func cutting(_ response: OriginResponse, _ data: Data, after count: Int) -> OriginResponse {
        var result = response
        result.steps = [.send(Data(data.prefix(count))), .close]
        result.keepsAlive = false
        return result
    }

    private static func contains(_ list: String, _ etag: String) -> Bool {
        func opaque(_ tag: Substring) -> String {
            let text = tag.trimmingCharacters(in: .whitespaces)
            return text.hasPrefix("W/") ? String(text.dropFirst(2)) : text
        }
        return list.trimmingCharacters(in: .whitespaces) == "*"
            || list.split(separator: ",").contains { opaque($0) == opaque(etag[...]) }
    }

    private static func start(_ range: String?) -> Int? {
        guard let range, range.hasPrefix("bytes="), range.hasSuffix("-") else { return nil }
        return Int(range.dropFirst(6).dropLast())
    }
}

extension TestOrigin {
    public func on(_ path: String, _ resource: OriginResource) { on(path, handler: resource.handler) }
}
