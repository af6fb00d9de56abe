// swift-tools-version: 6.2
import PackageDescription

// libFuzzer targets in one binary: TINTYPE_FUZZ names what is fuzzed (see Subject.swift). Built by scripts/fuzz, which adds
// the sanitizers and the coverage instrumentation to every module.
let package = Package(
    name: "fuzzing",
    dependencies: [.package(name: "tintype", path: "..", traits: ["AllCodecs"])],
    targets: [
        .target(name: "CLibFuzzer"),
        .executableTarget(
            name: "FuzzTarget",
            dependencies: [
                "CLibFuzzer", .product(name: "Tintype", package: "tintype"),
                .product(name: "TintypeResponses", package: "tintype"),
                .product(name: "TintypeCommandLine", package: "tintype"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
