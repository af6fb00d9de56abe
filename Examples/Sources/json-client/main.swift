// Fetches JSON: prints the stored response at once, and then the server's if it differs.
//
//     json-client URL [MEMBER…]        prints these members of the response, or all of it
//     TINTYPE_USER=ada json-client …   keeps the responses of users apart

import Foundation
import Tintype
import TintypeResponses

let arguments = CommandLine.arguments.dropFirst()
guard let url = arguments.first else {
    print("usage: json-client URL [MEMBER…]")
    exit(2)
}
let members = arguments.dropFirst()

func text(_ value: JSONValue) throws -> String {
    if members.isEmpty { return String(decoding: try value.data(), as: UTF8.self) }
    return try members.map { name in
        "\(name) = " + String(decoding: try (value[name] ?? .null).data(), as: UTF8.self)
    }.joined(separator: ", ")
}

do {
    // Responses of another version of the program are not found: their shape may have changed.
    var configuration = ResponseCache.Configuration(version: "1")
    configuration.namespace = "json-client"
    let cache = try ResponseCache(configuration)
    var request = ResponseRequest(url)
    request.partition = ProcessInfo.processInfo.environment["TINTYPE_USER"]

    var count = 0
    for try await response in cache.responses(for: request, policy: .cacheThenNetwork) {
        count += 1
        print(
            "\(response.source.rawValue)\(response.isRevalidated ? ", not modified" : ""): \(try text(response.json()))"
        )
    }
    if count == 1 { print("nothing newer") }
    print("stored: \(cache.count) responses, \(cache.formattedSize)")
} catch {
    // Without the network a stored response may have been printed already.
    print("json-client: \(PipelineError.code(of: error)): \(error)")
    exit(1)
}
