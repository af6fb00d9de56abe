import Foundation
import TintypeResponses

extension Job {
    /// 10,000 responses of 2 KB, or `count`, in `folder`.
    static let json: [Job] = [
        Job(name: "json put", by: "tintype") { parameters in
            let (cache, count) = (try responseCache(parameters), try parameters.number("count"))
            let values = try (0..<count).map { try JSONValue(data: response($0)) }
            return Work(operations: count) {
                for number in 0..<count where !cache.saveSynchronously(json: values[number], for: request(number)) {
                    throw Failed.put
                }
            }
        },
        Job(name: "json get", by: "tintype") { parameters in
            let (cache, count) = (try responseCache(parameters), try parameters.number("count"))
            for number in 0..<count { cache.saveSynchronously(data: try response(number), for: request(number)) }
            return Work(operations: count) {
                for number in 0..<count where cache.jsonSynchronously(for: request(number)) == nil { throw Failed.get }
            }
        },
        Job(name: "json put", by: "reference") { parameters in
            let (cache, count) = (try FileForEachResponse(parameters), try parameters.number("count"))
            let values = try (0..<count).map { try JSONSerialization.jsonObject(with: response($0)) }
            return Work(operations: count) {
                for number in 0..<count where !cache.save(values[number], url(number), query(number)) {
                    throw Failed.put
                }
            }
        },
        Job(name: "json get", by: "reference") { parameters in
            let (cache, count) = (try FileForEachResponse(parameters), try parameters.number("count"))
            for number in 0..<count {
                _ = cache.save(try JSONSerialization.jsonObject(with: response(number)), url(number), query(number))
            }
            return Work(operations: count) {
                for number in 0..<count where cache.read(url(number), query(number)) == nil { throw Failed.get }
            }
        },
    ]

    private enum Failed: Error { case put, get }

    private static func url(_ number: Int) -> String { "https://api.example.org/v2/lists/\(number % 100)" }
    private static func query(_ number: Int) -> [String: String] { ["page": "\(number)", "sort": "date"] }

    private static func request(_ number: Int) -> ResponseRequest {
        ResponseRequest(url(number), parameters: ["page": .string("\(number)"), "sort": "date"])
    }

    private static func responseCache(_ parameters: Parameters) throws -> ResponseCache {
        try ResponseCache(.init(root: URL(fileURLWithPath: parameters.text("folder")), namespace: "json"))
    }

    /// A list as interfaces send them, of about 2 KB.
    private static func response(_ number: Int) throws -> Data {
        let items = (0..<14).map { index in
            """
            {"id":\(number * 100 + index),"name":"Image \(number)-\(index)","price":\(index).25,"isNew":\(index % 2 == 0),\
            "image":"https://images.example.org/\(number)/\(index).jpg","tags":["a","bc","def"],"note":null}
            """
        }
        return Data("{\"page\":\(number),\"items\":[\(items.joined(separator: ","))]}".utf8)
    }
}

/// What the reference does with Foundation: a file for each response, named by a digest of URL and parameters. The digest
/// here is a quicker one than its MD5.
private struct FileForEachResponse {
    let folder: String

    init(_ parameters: Parameters) throws {
        folder = try parameters.text("folder") + "/json"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    private func path(_ url: String, _ parameters: [String: String]) -> String {
        let text =
            url + "?" + parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "&")
        let digest = text.utf8.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
        return folder + "/" + String(digest, radix: 16)
    }

    func save(_ value: Any, _ url: String, _ parameters: [String: String]) -> Bool {
        guard let data = try? JSONSerialization.data(withJSONObject: value) else { return false }
        return FileManager.default.createFile(atPath: path(url, parameters), contents: data)
    }

    func read(_ url: String, _ parameters: [String: String]) -> Any? {
        let path = path(url, parameters)
        guard FileManager.default.fileExists(atPath: path), let data = FileManager.default.contents(atPath: path)
        else { return nil }
        return try? JSONSerialization.jsonObject(with: data, options: .mutableContainers)
    }
}
