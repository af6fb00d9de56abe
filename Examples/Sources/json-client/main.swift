// Asks a JSON service, shows what is stored at once and then what is new.
//
//     json-client URL [MEMBER…]        prints these members of the answer, or all of it
//     TINTYPE_USER=ada json-client …   keeps the answers of users apart

import Foundation
import Tintype

let arguments = CommandLine.arguments.dropFirst()
guard let url = arguments.first else {
    print("usage: json-client URL [MEMBER…]")
    exit(2)
}
let members = arguments.dropFirst()

func text(_ answer: JSONValue) throws -> String {
    if members.isEmpty { return String(decoding: try answer.data(), as: UTF8.self) }
    return try members.map { name in
        "\(name) = " + String(decoding: try (answer[name] ?? .null).data(), as: UTF8.self)
    }.joined(separator: ", ")
}

do {
    // Answers of another version of the program are not found: their shape may have changed.
    var configuration = ResponseCache.Configuration(version: "1")
    configuration.namespace = "json-client"
    let cache = try ResponseCache(configuration)
    var request = ResponseRequest(url)
    request.partition = ProcessInfo.processInfo.environment["TINTYPE_USER"]

    var count = 0
    for try await answer in cache.responses(for: request, policy: .cacheThenNetwork) {
        count += 1
        print("\(answer.source.rawValue)\(answer.isRevalidated ? ", still right" : ""): \(try text(answer.json()))")
    }
    if count == 1 { print("nothing newer") }
    print("stored: \(cache.count) answers, \(cache.formattedSize)")
} catch {
    // Without the network there may still be an answer: the loop has printed it by then.
    print("json-client: \(PipelineError.code(of: error)): \(error)")
    exit(1)
}
