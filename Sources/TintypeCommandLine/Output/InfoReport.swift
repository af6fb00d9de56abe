import Tintype

/// How `info` prints what it found.
enum InfoReport {
    static func json(_ info: ImageInfo, source: String, byteCount: Int?) -> JSONOutput {
        .object([
            ("source", .string(source)),
            ("format", .string(info.format.rawValue)),
            ("mimeType", .string(info.mimeType)),
            ("width", .integer(info.size.width)),
            ("height", .integer(info.size.height)),
            ("storedWidth", .integer(info.storedSize.width)),
            ("storedHeight", .integer(info.storedSize.height)),
            ("orientation", .integer(info.orientation.rawValue)),
            ("bitDepth", .integer(info.bitDepth)),
            ("hasAlpha", .boolean(info.hasAlpha)),
            ("colorSpace", .string(info.colorSpace)),
            ("frameCount", .integer(info.frameCount)),
            ("loopCount", .optional(info.loopCount)),
            (
                "frames",
                .array(
                    info.frames.map {
                        .object([("duration", .double($0.duration)), ("rawDuration", .double($0.rawDuration))])
                    })
            ),
            ("byteCount", .optional(byteCount)),
        ])
    }

    /// `photo.jpg: jpeg, 1536x2048 (stored 2048x1536, orientation 6), 8 bits, sRGB, 2.1 MB`
    static func text(_ info: ImageInfo, source: String, byteCount: Int?) -> String {
        var facts = [info.format.rawValue, info.size.description]
        if info.orientation != .up {
            facts[1] += " (stored \(info.storedSize), orientation \(info.orientation.rawValue))"
        }
        facts.append("\(info.bitDepth) \(info.bitDepth == 1 ? "bit" : "bits")")
        facts.append(info.colorSpace)
        if info.hasAlpha { facts.append("alpha") }
        if info.isHDR { facts.append("HDR") }
        if info.isAnimated {
            let seconds = info.frames.reduce(0) { $0 + $1.duration }
            facts.append("\(info.frameCount) frames in \(Quantity.seconds(seconds))")
            if let plays = info.loopCount {
                facts.append(plays == 0 ? "plays for ever" : "plays \(plays == 1 ? "once" : "\(plays) times")")
            }
        }
        if let byteCount { facts.append(Quantity.bytes(byteCount)) }
        return Problem.shortened(source) + ": " + facts.joined(separator: ", ")
    }
}
