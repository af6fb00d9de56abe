// Previews of links: /preview?url=… gives JSON, /image?url=… the image of the page as WebP.
//
//     link-preview-server [--allow-private] [PORT]
//
// With --allow-private it can be tried on its own page, /try.

import Foundation
import Tintype

let arguments = CommandLine.arguments.dropFirst()
let previews = try Previews(allowsPrivate: arguments.contains("--allow-private"))
let server = try Server(port: arguments.compactMap { UInt16($0) }.first ?? 0)

struct Answer: Encodable {
    let title: String
    let image: String
    let color: String?
    /// About 25 bytes: a blurred image that a page can show before anything is loaded.
    let thumbHash: Data
}

/// The HTTP status for a failed load from another server.
@Sendable func status(for error: any Error) -> Int {
    switch PipelineError.code(of: error) {
    case "invalidURL", "unsupportedScheme", "blockedAddress": 400
    case "timedOut": 504
    default: 502
    }
}

@Sendable func reply(_ path: String, _ query: [String: String]) async throws -> Server.Reply {
    switch path {
    case "/preview", "/image":
        // Takes http and https and nothing else; a request alone would also read files of this machine.
        let page = try await previews.page(try WebURL(query["url"] ?? ""))
        let bitmap = try await previews.image(page.image)
        if path == "/image" {
            return .init(type: "image/webp", body: try ImageCodecs.standard.encode(bitmap, as: .webp))
        }
        let answer = Answer(
            title: page.title, image: page.image.absoluteString, color: try bitmap.dominantColor()?.hex,
            thumbHash: Data(try ThumbHash(encoding: bitmap).bytes))
        return .init(type: "application/json", body: try JSONEncoder().encode(answer))
    case "/":
        let form =
            "<!doctype html><form action=/preview><input name=url size=60 autofocus><button>Preview</button></form>"
        return .init(type: "text/html; charset=utf-8", body: Data(form.utf8))
    case "/try":
        let html = """
            <!doctype html><title>A page</title><meta property="og:title" content="A page &amp; its image">
            <meta content='/try.png' property='og:image'>
            """
        return .init(type: "text/html; charset=utf-8", body: Data(html.utf8))
    case "/try.png":
        let image = try Bitmap(width: 900, height: 900, isOpaque: true) { bytes, bytesPerRow in
            for y in 0..<900 {
                for x in 0..<900 {
                    let offset = y * bytesPerRow + x * 4
                    bytes.storeBytes(
                        of: UInt32(littleEndian: 0xFF00_0000 | UInt32(x / 4) << 16 | UInt32(y / 4)),
                        toByteOffset: offset,
                        as: UInt32.self)
                }
            }
        }
        return .init(type: "image/png", body: try ImageCodecs.standard.encode(image, as: .png))
    default: return .init(status: 404, body: Data("there is /, /preview?url= and /image?url=\n".utf8))
    }
}

// A signal ends the server; what runs gets five seconds.
signal(SIGTERM, SIG_IGN)
signal(SIGINT, SIG_IGN)
let (stop, stopped) = AsyncStream.makeStream(of: Int32.self)
let sources = [SIGTERM, SIGINT].map { number in
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler { stopped.yield(number) }
    source.resume()
    return source
}

server.run { path, query in
    do {
        return try await reply(path, query)
    } catch is Page.NoImage {
        return .init(status: 404, body: Data("noImage\n".utf8))
    } catch {
        // The code instead of the sentence, which may contain private addresses.
        return .init(status: status(for: error), body: Data((PipelineError.code(of: error) + "\n").utf8))
    }
}
print("http://127.0.0.1:\(server.port)/")
fflush(nil)  // print(_:) keeps what goes to a file

for await _ in stop { break }
withExtendedLifetime(sources) {}
await previews.pipeline.shutdown(grace: .seconds(5))
