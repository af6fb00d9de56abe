import TintypeBase

/// One row of the demo: an app, as an app store's list shows it.
struct DemoApp: Decodable, Equatable, Sendable {
    let name: String
    /// Path of the icon on the demo's origin.
    let icon: String
    let downloads: Int

    /// The rows of `propertyList`. Some share an icon, and the icon of one does not exist.
    static func all() throws -> [DemoApp] {
        try PropertyListDecoder().decode([DemoApp].self, from: Data(propertyList.utf8))
    }

    static let propertyList = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <array>
        <dict>
            <key>name</key><string>Lighthouse</string>
            <key>icon</key><string>/icons/lighthouse.png</string>
            <key>downloads</key><integer>48210</integer>
        </dict>
        <dict>
            <key>name</key><string>Compass</string>
            <key>icon</key><string>/icons/compass.webp</string>
            <key>downloads</key><integer>1250400</integer>
        </dict>
        <dict>
            <key>name</key><string>Ledger</string>
            <key>icon</key><string>/icons/ledger.png</string>
            <key>downloads</key><integer>83117</integer>
        </dict>
        <dict>
            <key>name</key><string>Tide Tables</string>
            <key>icon</key><string>/icons/tide-tables.jpg</string>
            <key>downloads</key><integer>19840</integer>
        </dict>
        <dict>
            <key>name</key><string>Orchard</string>
            <key>icon</key><string>/icons/orchard.png</string>
            <key>downloads</key><integer>402665</integer>
        </dict>
        <dict>
            <key>name</key><string>Postcard</string>
            <key>icon</key><string>/icons/postcard.jpg</string>
            <key>downloads</key><integer>1987</integer>
        </dict>
        <dict>
            <key>name</key><string>Metronome</string>
            <key>icon</key><string>/icons/metronome.webp</string>
            <key>downloads</key><integer>673204</integer>
        </dict>
        <dict>
            <key>name</key><string>Sundial</string>
            <key>icon</key><string>/icons/sundial.gif</string>
            <key>downloads</key><integer>5518</integer>
        </dict>
        <dict>
            <key>name</key><string>Field Notes</string>
            <key>icon</key><string>/icons/field-notes.png</string>
            <key>downloads</key><integer>91230</integer>
        </dict>
        <dict>
            <key>name</key><string>Darkroom</string>
            <key>icon</key><string>/icons/darkroom.jpg</string>
            <key>downloads</key><integer>2764019</integer>
        </dict>
        <dict>
            <key>name</key><string>Semaphore</string>
            <key>icon</key><string>/icons/semaphore.gif</string>
            <key>downloads</key><integer>812</integer>
        </dict>
        <dict>
            <key>name</key><string>Barometer</string>
            <key>icon</key><string>/icons/barometer.webp</string>
            <key>downloads</key><integer>60433</integer>
        </dict>
        <dict>
            <key>name</key><string>Compass Pro</string>
            <key>icon</key><string>/icons/compass.webp</string>
            <key>downloads</key><integer>74208</integer>
        </dict>
        <dict>
            <key>name</key><string>Lantern</string>
            <key>icon</key><string>/icons/lantern.png</string>
            <key>downloads</key><integer>35990</integer>
        </dict>
        <dict>
            <key>name</key><string>Typecase</string>
            <key>icon</key><string>/icons/typecase.gif</string>
            <key>downloads</key><integer>12034</integer>
        </dict>
        <dict>
            <key>name</key><string>Old Almanac</string>
            <key>icon</key><string>/icons/almanac.png</string>
            <key>downloads</key><integer>27</integer>
        </dict>
        <dict>
            <key>name</key><string>Greenhouse</string>
            <key>icon</key><string>/icons/greenhouse.webp</string>
            <key>downloads</key><integer>156872</integer>
        </dict>
        <dict>
            <key>name</key><string>Observatory</string>
            <key>icon</key><string>/icons/observatory.jpg</string>
            <key>downloads</key><integer>509331</integer>
        </dict>
        <dict>
            <key>name</key><string>Carousel</string>
            <key>icon</key><string>/icons/carousel.webp</string>
            <key>downloads</key><integer>3301745</integer>
        </dict>
        <dict>
            <key>name</key><string>Waypoint</string>
            <key>icon</key><string>/icons/waypoint.webp</string>
            <key>downloads</key><integer>984120</integer>
        </dict>
        <dict>
            <key>name</key><string>Ledger for Teams</string>
            <key>icon</key><string>/icons/ledger.png</string>
            <key>downloads</key><integer>22741</integer>
        </dict>
        <dict>
            <key>name</key><string>Quill</string>
            <key>icon</key><string>/icons/quill.webp</string>
            <key>downloads</key><integer>7366</integer>
        </dict>
        <dict>
            <key>name</key><string>Foundry</string>
            <key>icon</key><string>/icons/foundry.jpg</string>
            <key>downloads</key><integer>45102</integer>
        </dict>
        <dict>
            <key>name</key><string>Waypoint Lite</string>
            <key>icon</key><string>/icons/waypoint.webp</string>
            <key>downloads</key><integer>230517</integer>
        </dict>
        <dict>
            <key>name</key><string>Darkroom Mini</string>
            <key>icon</key><string>/icons/darkroom.jpg</string>
            <key>downloads</key><integer>118406</integer>
        </dict>
        <dict>
            <key>name</key><string>Sundial Widget</string>
            <key>icon</key><string>/icons/sundial.gif</string>
            <key>downloads</key><integer>940</integer>
        </dict>
        <dict>
            <key>name</key><string>Night Lantern</string>
            <key>icon</key><string>/icons/lantern.png</string>
            <key>downloads</key><integer>16275</integer>
        </dict>
        <dict>
            <key>name</key><string>Orchard Kids</string>
            <key>icon</key><string>/icons/orchard.png</string>
            <key>downloads</key><integer>64008</integer>
        </dict>
        </array>
        </plist>
        """
}
