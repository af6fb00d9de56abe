import TintypeBase

/// The bytes of decoded frames that all viewed animations may hold together. Each gets an equal share, at most its own
/// limit.
final class FrameBudget: Sendable {
    static let shared = FrameBudget(total: 256 << 20)

    private struct State {
        var total: Int
        var images: [ObjectIdentifier: Weak] = [:]
    }

    private struct Weak {
        weak var image: AnimatedImage?
    }

    private let state: Locked<State>

    init(total: Int) { state = Locked(State(total: total)) }

    var total: Int {
        get { state.withLock { $0.total } }
        set {
            state.withLock { $0.total = max(0, newValue) }
            for image in images { image.budgetChanged() }
        }
    }

    /// Called when an image gets its first viewer, and when it loses its last.
    func update(_ image: AnimatedImage, isViewed: Bool) {
        state.withLock { state in
            state.images[ObjectIdentifier(image)] = isViewed ? Weak(image: image) : nil
        }
        for image in images { image.budgetChanged() }
    }

    /// Called when an image is destroyed while it has viewers.
    func forget(_ image: ObjectIdentifier) { state.withLock { $0.images[image] = nil } }

    var share: Int { state.withLock { $0.total / max(1, $0.images.count) } }

    var images: [AnimatedImage] { state.withLock { $0.images.values.compactMap(\.image) } }
}
