import CGTK
import Tintype
import TintypeGTK

/// Hits for each tier, requests, memory and disk in use; four times a second.
@MainActor final class StatusBar {
    let widget: Widget
    private let hits = Build.label("", css: "numeric")
    private let requests = Build.label("", css: "numeric")
    private let memory = Build.label("", css: "numeric")
    private let disk = Build.label("", css: "numeric")
    private unowned let gallery: Gallery

    init(_ gallery: Gallery) {
        self.gallery = gallery
        widget = Build.box(
            GTK_ORIENTATION_HORIZONTAL, spacing: 24, [hits, requests, Build.spacer(), memory, disk], css: "status")
        update()
        Task { [weak self] in
            while let self {
                update()
                try await Task.sleep(for: .milliseconds(250))
            }
        }
    }

    private func update() {
        let counts = gallery.counts
        let failed = counts.failed > 0 ? "   failed \(counts.failed)" : ""
        Build.setText(hits, "memory \(counts.memory)   disk \(counts.disk)   network \(counts.network)\(failed)")
        Build.setText(
            requests, "\(gallery.origin.requestCount) requests, \(StatusBar.size(gallery.origin.byteCount))")
        if let cache = gallery.pipeline.cache.memory {
            Build.setText(memory, "Memory \(StatusBar.size(cache.totalCost)), \(cache.count) images")
        }
        if let cache = gallery.pipeline.cache.disk {
            Build.setText(disk, "Disk \(StatusBar.size(cache.byteCount)), \(cache.count) files")
        }
    }

    private static func size(_ bytes: Int) -> String {
        guard bytes >= 1 << 20 else { return "\((bytes + 1023) >> 10) KiB" }
        let tenths = bytes * 10 / (1 << 20)
        return "\(tenths / 10).\(tenths % 10) MiB"
    }
}
