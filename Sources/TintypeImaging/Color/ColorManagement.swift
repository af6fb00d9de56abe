import CLCMS
import TintypeBase

/// Finds the transform from an image's profile to sRGB, for every codec.
package enum ColorManagement {
    /// What an image's samples are.
    package enum Model: Sendable { case gray, rgb, cmyk }

    private struct Key: Hashable {
        var source: ColorSource
        var layout: ColorTransform.Layout
    }

    /// What was found out about a profile once.
    private enum Verdict {
        case isSRGB
        case convert(ColorTransform)
        case unusable(String)
    }

    private static let cache = Locked<[(key: Key, verdict: Verdict)]>([])
    #if TINTYPE_PLAIN_MEMORY
        // LeakSanitizer does not find its way through the marked pointers of `Data` and enums: what lives until the end
        // of the process would look lost, and real leaks would not stand out.
        private static let cachedVerdictCount = 0
    #else
        private static let cachedVerdictCount = 24
    #endif
    /// Larger profiles are rare (printers' tables); they are opened each time rather than kept.
    private static let largestCachedProfile = 1 << 20

    /// The transform for samples with this profile, or nil if they are to be shown as they are: there is no profile,
    /// it is sRGB, or it cannot be used, which adds a sentence to `warnings`.
    ///
    /// Safe from any thread. The first image with a profile costs a few milliseconds; later ones find the transform
    /// in a cache.
    package static func transform(
        profile: Data?, model: Model, layout: ColorTransform.Layout, warnings: inout [String]
    ) -> ColorTransform? {
        guard let profile else { return nil }
        return transform(.profile(profile), model: model, layout: layout, warnings: &warnings)
    }

    /// The same for any statement about colours.
    package static func transform(
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
        // Two threads may build the same one; the second entry does no harm.
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

/// Makes lcms transforms from one opened profile.
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
        // Optimised, 16 bits go through a coarse table that is up to 12 steps off in the shadows of a power curve.
        let flags = layout == .rgba16 ? UInt32(cmsFLAGS_NOOPTIMIZE) : 0
        return cmsCreateTransform(profile, source, sRGB, LCMSFormat.rgba8, UInt32(INTENT_PERCEPTUAL), flags)
            .map { ColorTransform($0, layout: layout) }
    }

    /// sRGB comes under many names and in many versions: what counts is that it changes no colour by more than a step.
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
