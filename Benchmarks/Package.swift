// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "tintype-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "tintype", path: "..", traits: ["AllCodecs"])],
    targets: [
        .target(name: "CAllocationCount"),
        .executableTarget(
            name: "tintype-bench",
            dependencies: [
                .product(name: "Tintype", package: "tintype"),
                .product(name: "TintypeImaging", package: "tintype"),
                .product(name: "TintypeNetworking", package: "tintype"),
                .product(name: "TintypeCaching", package: "tintype"),
                "CAllocationCount",
            ],
            path: "Sources/TintypeBench"),
    ],
    swiftLanguageModes: [.v6]
)
