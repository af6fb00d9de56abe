// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that building the root never needs GTK.
let package = Package(
    name: "tintype-gtk",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "TintypeGTK", targets: ["TintypeGTK"]),
        // GTK itself, for those who have no binding of their own.
        .library(name: "CGTK", targets: ["CGTK"]),
        .executable(name: "gallery", targets: ["Gallery"]),
    ],
    traits: [
        .trait(name: "AllCodecs", description: "Every optional codec of Tintype")
    ],
    dependencies: [
        .package(
            name: "tintype", path: "..",
            traits: [.defaults, .init(name: "AllCodecs", condition: .when(traits: ["AllCodecs"]))])
    ],
    targets: [
        .systemLibrary(name: "CGTK", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"]), .brew(["gtk4"])]),
        // The GObject subclass (macros) and the declarations of libdispatch's main-queue entry points.
        .target(name: "CTintypeGTK", dependencies: ["CGTK"]),
        .target(
            name: "TintypeGTK",
            dependencies: ["CGTK", "CTintypeGTK", .product(name: "Tintype", package: "tintype")]),
        .executableTarget(
            name: "Gallery",
            dependencies: [
                "TintypeGTK", "CGTK", .product(name: "Tintype", package: "tintype"),
                .product(name: "TintypeDemo", package: "tintype"),
            ],
            // It draws the images of its server pixel by pixel, which takes minutes without optimization.
            swiftSettings: [.unsafeFlags(["-O"])]),
        // XCTest, not Swift Testing: GTK belongs to the process's main thread, where only XCTest runs its tests.
        .testTarget(
            name: "TintypeGTKTests",
            dependencies: ["TintypeGTK", "CGTK", .product(name: "Tintype", package: "tintype")]),
    ],
    swiftLanguageModes: [.v6]
)
