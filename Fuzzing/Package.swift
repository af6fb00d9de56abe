// swift-tools-version: 6.2
import PackageDescription

// libFuzzer targets in one binary: TINTYPE_FUZZ names what is fuzzed (see Subject.swift). Built by scripts/fuzz, which adds
// the sanitizers and the coverage instrumentation to every module.
let package = Package(
    name: "fuzzing",
    dependencies: [.package(name: "tintype", path: "..", traits: ["AllCodecs"])],
    targets: [
        .target(name: "CLibFuzzer"),
        // Links to the tool's parser of command lines: an executable of another package cannot be imported.
        .target(name: "CommandLineTool", dependencies: [.product(name: "Tintype", package: "tintype")]),
        .executableTarget(
            name: "FuzzTarget",
            dependencies: ["CLibFuzzer", "CommandLineTool", .product(name: "Tintype", package: "tintype")]),
    ],
    swiftLanguageModes: [.v6]
)
