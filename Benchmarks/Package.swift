// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "tintype-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "tintype", path: "..", traits: ["AllCodecs"])],
    targets: [
        .target(name: "CAllocationCount"),
        // Peers of the disk cache.
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .systemLibrary(name: "CLMDB", providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
        .executableTarget(
            name: "tintype-bench",
            dependencies: [
                .product(name: "Tintype", package: "tintype"),
                .product(name: "TintypeResponses", package: "tintype"),
                .product(name: "TintypeImaging", package: "tintype"),
                .product(name: "TintypeNetworking", package: "tintype"),
                .product(name: "TintypeCaching", package: "tintype"),
                "CAllocationCount", "CSQLite", "CLMDB",
            ],
            path: "Sources/TintypeBench"),
    ],
    swiftLanguageModes: [.v6]
)
