import TintypeBase

/// One row of the demo: an app, as an app store lists it.
package struct DemoApp: Decodable, Equatable, Sendable {
    package let name: String
    /// The path of the icon on the demo's server.
    package let icon: String
    package let downloads: Int

    /// Returns the rows of `Apps.plist`. Some share an icon; the icon of one does not exist.
    package static func all() throws -> [DemoApp] {
        try PropertyListDecoder().decode([DemoApp].self, from: Data(PackageResources.Apps_plist))
    }
}
