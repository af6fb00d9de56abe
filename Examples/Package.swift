// swift-tools-version: 6.2
import PackageDescription

// Programs to read and to start from. A package of its own, as yours would be: only the path of the dependency differs.
let package = Package(
    name: "tintype-examples",
    platforms: [.macOS(.v15)],
    traits: [
        .trait(name: "AllCodecs", description: "Every optional codec of Tintype")
    ],
    dependencies: [
        .package(
            name: "tintype", path: "..",
            traits: [.init(name: "AllCodecs", condition: .when(traits: ["AllCodecs"]))])
    ],
    targets: ["link-preview-server", "thumbnailer", "json-client"].map { name in
        .executableTarget(
            name: name,
            dependencies: [
                .product(name: "Tintype", package: "tintype"), .product(name: "TintypeResponses", package: "tintype"),
            ])
    },
    swiftLanguageModes: [.v6]
)
