import Tintype
import TintypeBase

/// `tintype convert`: decodes one image, changes it, and writes it in another format.
enum ConvertCommand {
    static let specification = CommandSpecification(
        name: "convert", summary: "Change the format, size or shape of an image", operands: "INPUT OUTPUT",
        discussion: """
            INPUT is a path, - for standard input, or a URL. The format follows OUTPUT's extension. An animation stays an \
            animation if both formats can hold one and --frame is not given. What changes pixels works in the order of \
            the command line. OUTPUT is either whole or not touched.
            """,
        options: [
            .value("frame", nil, "N", "Take this frame of an animation, fully drawn; the first is 0")
        ] + ProcessingOptions.table + ProcessingOptions.encodingTable + [
            .flag("lenient", nil, "Accept a truncated image; the missing part is transparent"),
            .value("max-pixels", nil, "N", "Refuse images of more pixels than this; 100000000 by default"),
            .value("max-bytes", nil, "N", "Refuse longer input; 200M by default"),
            .flag("json", nil, "Print one JSON object about what was written"),
        ],
        examples: [
            .init(
                line: "tintype convert --resize 256x256 --fit cover photo.heic icon.png",
                explanation: "A square icon from a photo"),
            .init(line: "tintype convert --frame 0 cat.gif cat.jpg", explanation: "The first frame of an animation"),
            .init(
                line: "tintype convert --crop 0,0,400,400 --resize 96x96 --circle me.jpg avatar.webp",
                explanation: "Cut, scale, and round, in this order"),
        ],
        run: run)

    static func run(_ call: Invocation) throws -> ExitStatus {
        guard call.operands.count == 2 else {
            throw UsageError(
                "convert needs an INPUT and an OUTPUT, \(call.operands.isEmpty ? "and got none" : "and got \(call.operands.count) names")"
            )
        }
        let (input, output) = (call.operands[0], call.operands[1])
        let conversion = try Conversion(call, output: output)
        return try call.reportingFailure("source", input) {
            let result = try conversion.run(input: input, output: output, console: call.console)
            if call.wantsJSON { call.console.print(result.json(source: input, path: output)) }
            for warning in result.warnings {
                call.console.warn(warning, source: input)
            }
            return .success
        }
    }
}
