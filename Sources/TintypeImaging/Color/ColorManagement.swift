import CLCMS
import TintypeBase

/// The transforms from the colours of images to sRGB, for every codec.
enum ColorManagement {
    /// The kind of samples of an image.
    enum Model: Sendable { case gray, rgb, cmyk }

    private struct Key: Hashable {
        var source: ColorSource
        var layout: ColorTransform.Layout
    }

    /// The result for a profile, which is cached.
    private enum Verdict {
        case isSRGB
        case convert(ColorTransform)
        case unusable(String)
    }

    private static let cache = Locked<[(key: Key, verdict: Verdict)]>([])
    #if TINTYPE_PLAIN_MEMORY
        // LeakSanitizer does not follow the tagged pointers of `Data` and enums: cached objects would look like leaks.
        private static let cachedVerdictCount = 0
    #else
        private static let cachedVerdictCount = 24
    #endif
    /// Larger profiles are rare (tables of printers); they are opened each time.
    private static let largestCachedProfile = 1 << 20

    /// Returns the transform for samples with this profile. Nil if they need none: there is no profile, it is sRGB, or it
    /// cannot be used, which adds a warning.
    ///
    /// Safe from any thread. The first image with a profile costs a few milliseconds; later ones find the transform in a
    /// cache.
    static func transform(
        profile: Data?, model: Model, layout: ColorTransform.Layout, warnings: inout [String]
    ) -> ColorTransform? {
        guard let profile else { return nil }
        return transform(.profile(profile), model: model, layout: layout, warnings: &warnings)
    }

    /// Returns the transform for any definition of colours.
    static func transform(
        _ source: ColorSource, model: Model, layout: ColorTransform.Layout, warnings: inout [String]
    ) -> ColorTransform? {
        var space = ICCHeader.DataSpace.rgb
        if case .profile(let profile) = source {
            switch usableSpace(of: profile, model: model) {
            case .success(let found): space = found
            case .failure(let reason):
                warnings.append("the ICC profile was ignored: \(reason.text)")
                return nil
            }
        }
        switch verdict(Key(source: source, layout: layout), space: space) {
        case .isSRGB: return nil
        case .convert(let transform): return transform
        case .unusable(let reason):
            warnings.append("the colour profile was ignored: \(reason)")
            return nil
        }
    }

    private struct Reason: Error { var text: String }

    private static func usableSpace(of profile: Data, model: Model) -> Result<ICCHeader.DataSpace, Reason> {
        guard let header = ICCHeader(profile) else { return .failure(Reason(text: "it is damaged")) }
        guard header.describesSamples else { return .failure(Reason(text: "it is not for images")) }
        switch (header.dataSpace, model) {
        case (.rgb, .rgb), (.rgb, .gray), (.gray, .gray), (.cmyk, .cmyk): return .success(header.dataSpace)
        default: return .failure(Reason(text: "it is for other colours than the image has"))
        }
    }

    private static func verdict(_ key: Key, space: ICCHeader.DataSpace) -> Verdict {
        let found = cache.withLock { entries -> Verdict? in
            guard let index = entries.firstIndex(where: { $0.key == key }) else { return nil }
            let entry = entries.remove(at: index)
            entries.append(entry)
            return entry.verdict
        }
        if let found { return found }
        // Two threads may build the same one; a second entry is harmless.
        let made = makeVerdict(key, space: space)
        if key.source.byteCount <= largestCachedProfile {
            cache.withLock { entries in
                entries.append((key, made))
                if entries.count > cachedVerdictCount { entries.removeFirst() }
            }
        }
        return made
    }

    private static func makeVerdict(_ key: Key, space: ICCHeader.DataSpace) -> Verdict {
        if case .codePoints(let points) = key.source {
            return CodePointTransform(points).map { .convert(ColorTransform($0, layout: key.layout)) } ?? .isSRGB
        }
        guard let profile = key.source.openProfile() else { return .unusable("it is damaged or unknown") }
        defer { cmsCloseProfile(profile) }
        guard let sRGB = cmsCreate_sRGBProfile() else { return .unusable("there is no memory for it") }
        defer { cmsCloseProfile(sRGB) }
        guard let transform = ICCTransformBuilder(profile: profile, sRGB: sRGB, space: space).build(key.layout) else {
            return .unusable("lcms cannot use it")
        }
        return transform.isIdentity ? .isSRGB : .convert(transform.transform)
    }
}

extension ColorSource {
    fileprivate var byteCount: Int {
        if case .profile(let data) = self { data.count } else { 0 }
    }
}

/// A builder of lcms transforms from one opened profile.
struct ICCTransformBuilder {
    let profile: cmsHPROFILE
    let sRGB: cmsHPROFILE
    let space: ICCHeader.DataSpace

    func build(_ layout: ColorTransform.Layout) -> (transform: ColorTransform, isIdentity: Bool)? {
        guard let transform = make(layout) else { return nil }
        guard space != .cmyk, let probe = layout == .rgba8 ? transform : make(.rgba8) else { return (transform, false) }
        guard !isIdentity(probe) else { return (transform, true) }
        guard space == .rgb, let conversion = MatrixConversion(profile: profile, sRGB: sRGB) else {
            return (transform, false)
        }
        return (ColorTransform(conversion, layout: layout), false)
    }

    private func make(_ layout: ColorTransform.Layout) -> ColorTransform? {
        let source =
            switch layout {
            case .rgba8: space == .gray ? LCMSFormat.grayInRGBA8 : LCMSFormat.rgba8
            case .rgba16: space == .gray ? LCMSFormat.grayInRGBA16 : LCMSFormat.rgba16
            case .cmyk8: LCMSFormat.cmyk8
            case .cmyk8Inverted: LCMSFormat.cmyk8Inverted
            }
        // With optimisation, 16 bits go through a coarse table with errors of up to 12 steps in the shadows of a power curve.
        let flags = layout == .rgba16 ? UInt32(cmsFLAGS_NOOPTIMIZE) : 0
        return cmsCreateTransform(profile, source, sRGB, LCMSFormat.rgba8, UInt32(INTENT_PERCEPTUAL), flags)
            .map { ColorTransform($0, layout: layout) }
    }

    /// Returns whether a transform changes no colour by more than one step: sRGB has many names and versions.
    private func isIdentity(_ transform: ColorTransform) -> Bool {
        let levels: [UInt8] = [0, 1, 8, 20, 40, 64, 90, 128, 160, 192, 224, 240, 255]
        var samples: [UInt8] = []
        if space == .gray {
            for level in 0...255 { samples += [UInt8(level), UInt8(level), UInt8(level), 255] }
        } else {
            for red in levels {
                for green in levels {
                    for blue in levels { samples += [red, green, blue, 255] }
                }
            }
        }
        var results = samples
        results.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            transform.convert(from: base, to: base, pixelCount: bytes.count / 4)
        }
        return zip(samples, results).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
    }
}
