import TintypeBase

/// The icon files of the demo, by name; `scripts/draw-demo-icons` makes them.
enum DemoIcons {
    static func files() -> [String: Data] {
        jpg.merging(png) { first, _ in first }
            .merging(webp) { first, _ in first }
            .merging(gif) { first, _ in first }
            .compactMapValues { Data(base64Encoded: $0) }
    }
}
