import TintypeBase

// The values of the imaging layer that travel between the parent and a worker.

extension PixelSize {
    func write(to writer: inout WireWriter) {
        writer.write(width)
        writer.write(height)
    }

    init(from reader: inout WireReader) throws { self.init(width: try reader.int(), height: try reader.int()) }
}

extension DecodeOptions {
    func write(to writer: inout WireWriter) {
        writer.write(target != nil)
        if let target {
            writer.write(target.width)
            writer.write(target.height)
            writer.write(target.fit.rawValue)
            writer.write(target.allowsUpscaling)
            writer.write(target.filter.rawValue)
            writer.write(target.gravity.rawValue)
            writer.write(target.isLinearLight)
        }
        limits.write(to: &writer)
        writer.write(isLenient)
        writer.write(appliesOrientation)
        writer.write(frame)
        writer.write(preferredSize != nil)
        preferredSize?.write(to: &writer)
    }

    init(from reader: inout WireReader) throws {
        self.init()
        if try reader.bool() {
            target = ResizeTarget(
                width: try reader.optionalInt(), height: try reader.optionalInt(),
                fit: try reader.value(ResizeTarget.Fit.self), allowsUpscaling: try reader.bool(),
                filter: try reader.value(ResampleFilter.self), gravity: try reader.value(Gravity.self),
                isLinearLight: try reader.bool())
        }
        limits = try DecodeLimits(from: &reader)
        isLenient = try reader.bool()
        appliesOrientation = try reader.bool()
        frame = try reader.optionalInt()
        if try reader.bool() { preferredSize = try PixelSize(from: &reader) }
    }
}

extension DecodeLimits {
    func write(to writer: inout WireWriter) {
        writer.write(maximumPixelCount)
        writer.write(maximumFrameCount)
        writer.write(maximumAnimationPixelCount)
        writer.write(maximumMetadataByteCount)
    }

    init(from reader: inout WireReader) throws {
        self.init()
        maximumPixelCount = try reader.int()
        maximumFrameCount = try reader.int()
        maximumAnimationPixelCount = try reader.int()
        maximumMetadataByteCount = try reader.int()
    }
}

extension ImageInfo {
    func write(to writer: inout WireWriter) {
        writer.write(format.rawValue)
        writer.write(mimeType)
        storedSize.write(to: &writer)
        writer.write(orientation.rawValue)
        writer.write(bitDepth)
        writer.write(hasAlpha)
        writer.write(colorSpace)
        writer.write(frameCount)
        writer.write(loopCount)
        writer.write(frames.count)
        for frame in frames { writer.write(frame.rawDuration) }
        writer.write(isFrameListComplete)
        writer.write(isHDR)
    }

    init(from reader: inout WireReader) throws {
        let format = try reader.value(ImageFormat.self)
        let mimeType = try reader.string()
        let storedSize = try PixelSize(from: &reader)
        // The numbers come from a worker: none may overflow in arithmetic, and the media type may become a header field.
        guard (1...Int(Int32.max)).contains(storedSize.width), (1...Int(Int32.max)).contains(storedSize.height),
            mimeType.utf8.count <= 100, mimeType.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let orientation = ImageOrientation(rawValue: try reader.int())
        else { throw WireReader.Violation(reason: "impossible facts") }
        let bitDepth = try reader.int(in: 0...1024)
        let hasAlpha = try reader.bool()
        let colorSpace = try reader.string()
        let frameCount = try reader.int(in: 0...Int(Int32.max))
        let loopCount = try reader.optionalInt()
        self.init(
            format: format, storedSize: storedSize, orientation: orientation, bitDepth: bitDepth, hasAlpha: hasAlpha,
            colorSpace: colorSpace, frameCount: frameCount, loopCount: loopCount, mimeType: mimeType)
        guard (0...Int(UInt32.max)).contains(loopCount ?? 0) else {
            throw WireReader.Violation(reason: "\(loopCount ?? 0) plays")
        }
        let count = try reader.count(elementSize: 8)
        frames.reserveCapacity(count)
        for _ in 0..<count {
            let duration = try reader.double()
            guard (0...Double(UInt32.max)).contains(duration) else {
                throw WireReader.Violation(reason: "a frame of \(duration) s")
            }
            frames.append(Frame(rawDuration: duration))
        }
        isFrameListComplete = try reader.bool()
        isHDR = try reader.bool()
    }
}

extension ImagingError {
    func write(to writer: inout WireWriter) {
        switch self {
        case .unsupportedFormat(let detail): writer.write("unsupportedFormat", nil, detail)
        case .codecUnavailable(let format, let trait): writer.write("codecUnavailable", format, trait)
        case .corrupt(let format, let detail): writer.write("corrupt", format, detail)
        case .truncated(let format): writer.write("truncated", format, "")
        case .needsMoreData(let format, let count):
            writer.write("needsMoreData", format, "")
            writer.write(count)
        case .imageTooLarge(let width, let height, let limit):
            writer.write("imageTooLarge", nil, "")
            PixelSize(width: width, height: height).write(to: &writer)
            writer.write(limit)
        case .tooManyFrames(let format, let limit):
            writer.write("tooManyFrames", format, "")
            writer.write(limit)
        case .tooCostly(let format, let detail): writer.write("tooCostly", format, detail)
        case .noSuchFrame(let index, let count):
            writer.write("noSuchFrame", nil, "")
            writer.write(index)
            writer.write(count)
        case .emptyBody: writer.write("emptyBody", nil, "")
        case .processorFailed(let detail): writer.write("processorFailed", nil, detail)
        case .notEncodable(let detail): writer.write("notEncodable", nil, detail)
        case .outOfMemory(let byteCount):
            writer.write("outOfMemory", nil, "")
            writer.write(byteCount)
        case .decodeTimedOut(let format, _): writer.write("decodeTimedOut", format, "")
        case .decoderCrashed(let format, _): writer.write("decoderCrashed", format, "")
        }
    }

    init(from reader: inout WireReader) throws {
        let name = try reader.string()
        let formatName = try reader.string()
        let format = ImageFormat(rawValue: formatName)
        let detail = try reader.string()
        func known() throws -> ImageFormat {
            guard let format else { throw WireReader.Violation(reason: "an error without a format") }
            return format
        }
        switch name {
        case "unsupportedFormat": self = .unsupportedFormat(detail)
        case "codecUnavailable": self = .codecUnavailable(try known(), trait: detail)
        case "corrupt": self = .corrupt(try known(), detail)
        case "truncated": self = .truncated(try known())
        case "needsMoreData": self = .needsMoreData(format, byteCount: try reader.optionalInt().map { max(0, $0) })
        case "imageTooLarge":
            let size = try PixelSize(from: &reader)
            self = .imageTooLarge(width: size.width, height: size.height, limit: try reader.int())
        case "tooManyFrames": self = .tooManyFrames(try known(), limit: try reader.int())
        case "tooCostly": self = .tooCostly(try known(), detail)
        case "noSuchFrame": self = .noSuchFrame(try reader.int(), count: try reader.int())
        case "emptyBody": self = .emptyBody
        case "processorFailed": self = .processorFailed(detail)
        case "notEncodable": self = .notEncodable(detail)
        case "outOfMemory": self = .outOfMemory(byteCount: try reader.optionalInt())
        default: throw WireReader.Violation(reason: "an unknown error")
        }
    }
}

extension WireWriter {
    fileprivate mutating func write(_ name: String, _ format: ImageFormat?, _ detail: String) {
        write(name)
        write(format?.rawValue ?? "")
        write(detail)
    }
}
