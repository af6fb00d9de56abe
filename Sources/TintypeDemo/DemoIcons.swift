import TintypeBase

/// The icon files of the demo, which `scripts/draw-demo-icons` draws and SwiftPM embeds in the code.
package enum DemoIcons {
    /// Returns the files by name, such as `compass.webp`.
    package static func files() -> [String: Data] {
        let files: [String: [UInt8]] = [
            "barometer.webp": PackageResources.barometer_webp,
            "carousel.webp": PackageResources.carousel_webp,
            "compass.webp": PackageResources.compass_webp,
            "darkroom.jpg": PackageResources.darkroom_jpg,
            "field-notes.png": PackageResources.field_notes_png,
            "foundry.jpg": PackageResources.foundry_jpg,
            "greenhouse.webp": PackageResources.greenhouse_webp,
            "lantern.png": PackageResources.lantern_png,
            "ledger.png": PackageResources.ledger_png,
            "lighthouse.png": PackageResources.lighthouse_png,
            "metronome.webp": PackageResources.metronome_webp,
            "observatory.jpg": PackageResources.observatory_jpg,
            "orchard.png": PackageResources.orchard_png,
            "postcard.jpg": PackageResources.postcard_jpg,
            "quill.webp": PackageResources.quill_webp,
            "semaphore.gif": PackageResources.semaphore_gif,
            "sundial.gif": PackageResources.sundial_gif,
            "tide-tables.jpg": PackageResources.tide_tables_jpg,
            "typecase.gif": PackageResources.typecase_gif,
            "waypoint.webp": PackageResources.waypoint_webp,
        ]
        return files.mapValues { Data($0) }
    }
}
