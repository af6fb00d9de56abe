// swift-tools-version: 6.2
import PackageDescription

// The codec traits. `AVIF` and `HEIC` are on by default; `AllCodecs` turns on everything.
// JPEG, PNG, GIF, WebP, BMP and ICO are always in.
let codecTraits: Set<Trait> = [
    .trait(name: "AVIF", description: "AVIF through libavif"),
    .trait(name: "HEIC", description: "HEIC/HEIF through libheif"),
    .trait(
        name: "FFmpeg", description: "HEIC in two thirds of the time, through libavcodec where it is installed",
        enabledTraits: ["HEIC"]),
    .trait(name: "JXL", description: "JPEG XL through libjxl"),
    .trait(name: "TIFF", description: "TIFF through libtiff"),
    .trait(name: "SVG", description: "SVG through librsvg"),
    .trait(
        name: "AllCodecs", description: "Every optional codec",
        enabledTraits: ["AVIF", "HEIC", "FFmpeg", "JXL", "TIFF", "SVG"]),
    .default(enabledTraits: ["AVIF", "HEIC"]),
]

// C targets hold pixel loops and setjmp glue: without -O3 a debug build runs them 20 to 50 times slower.
let fastC: [CSetting] = [.unsafeFlags(["-O3"])]

func system(_ name: String, pkgConfig: String? = nil, apt: String, brew: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt]), .brew([brew])])
}

let package = Package(
    name: "tintype",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Tintype", targets: ["Tintype"]),
        .library(name: "TintypeResponses", targets: ["TintypeResponses"]),
        .library(name: "TintypeImaging", targets: ["TintypeImaging"]),
        .library(name: "TintypeCaching", targets: ["TintypeCaching"]),
        .library(name: "TintypeNetworking", targets: ["TintypeNetworking"]),
        // For the fuzzer, which is a package of its own.
        .library(name: "TintypeCommandLine", targets: ["TintypeCommandLine"]),
        // For the Gallery in GTK/, which is a package of its own.
        .library(name: "TintypeDemo", targets: ["TintypeDemo"]),
        .executable(name: "tintype", targets: ["TintypeCLI"]),
    ],
    traits: codecTraits,
    targets: [
        // C libraries. The .pc files of the codecs carry flags that SwiftPM refuses noisily,
        // so only those that need them use pkg-config; the others rely on `link`.
        system("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev", brew: "curl"),
        system("CICU", apt: "libicu-dev", brew: "icu4c"),
        system("CCrypto", pkgConfig: "libcrypto", apt: "libssl-dev", brew: "openssl@3"),
        system("CXXHash", pkgConfig: "libxxhash", apt: "libxxhash-dev", brew: "xxhash"),
        system("CJPEG", apt: "libjpeg62-turbo-dev", brew: "jpeg-turbo"),
        system("CZlib", apt: "zlib1g-dev", brew: "zlib"),
        system("CDeflate", apt: "libdeflate-dev", brew: "libdeflate"),
        system("CWebP", apt: "libwebp-dev", brew: "webp"),
        system("CLCMS", apt: "liblcms2-dev", brew: "little-cms2"),
        system("CAVIF", apt: "libavif-dev", brew: "libavif"),
        system("CHEIF", apt: "libheif-dev", brew: "libheif"),
        system("CJXL", apt: "libjxl-dev", brew: "jpeg-xl"),
        system("CTIFF", apt: "libtiff-dev", brew: "libtiff"),
        system("CSeccomp", apt: "libseccomp-dev", brew: "libseccomp"),
        system("CRSVG", pkgConfig: "librsvg-2.0", apt: "librsvg2-dev", brew: "librsvg"),

        // C that Swift cannot do: macros, variadics, setjmp, run-time choice of instruction set.
        .target(name: "CCurlShim", dependencies: ["CCurl"]),
        .target(name: "CICUShim", dependencies: ["CICU"], linkerSettings: [.linkedLibrary("icuuc")]),
        .target(name: "CSystemShim"),
        .target(
            name: "CJPEGShim", dependencies: ["CJPEG"], cSettings: fastC, linkerSettings: [.linkedLibrary("jpeg")]),
        .target(name: "CPixelKernels", cSettings: fastC),
        .target(name: "CIsolation", dependencies: ["CSeccomp"], linkerSettings: [.linkedLibrary("seccomp")]),
        .target(name: "CHEVCDecoder", dependencies: ["CHEIF"]),

        // The layers.
        .target(name: "TintypeBase", dependencies: ["CSystemShim"]),
        .target(
            name: "TintypeImaging",
            dependencies: [
                "TintypeBase", "CSystemShim", "CPixelKernels", "CIsolation",
                "CJPEG", "CJPEGShim", "CZlib", "CDeflate", "CWebP", "CLCMS",
                .target(name: "CAVIF", condition: .when(traits: ["AVIF"])),
                .target(name: "CHEIF", condition: .when(traits: ["HEIC"])),
                .target(name: "CHEVCDecoder", condition: .when(traits: ["FFmpeg"])),
                .target(name: "CJXL", condition: .when(traits: ["JXL"])),
                .target(name: "CTIFF", condition: .when(traits: ["TIFF"])),
                .target(name: "CRSVG", condition: .when(traits: ["SVG"])),
            ]),
        .target(name: "TintypeCaching", dependencies: ["TintypeBase", "CSystemShim", "CCrypto", "CXXHash"]),
        .target(
            name: "TintypeNetworking", dependencies: ["TintypeBase", "CCurl", "CCurlShim", "CICUShim", "CZlib"]),
        .target(
            name: "Tintype",
            dependencies: ["TintypeImaging", "TintypeCaching", "TintypeNetworking", "TintypeBase", "CCrypto"]),
        .target(name: "TintypeResponses", dependencies: ["TintypeCaching", "TintypeNetworking", "TintypeBase"]),
        // The app list, icons, server and drawing of `tintype demo`; the Gallery of GTK/ uses the server, too.
        .target(
            name: "TintypeDemo", dependencies: ["Tintype", "TintypeBase"],
            resources: [.embedInCode("Apps.plist"), .embedInCode("Icons")]),
        // The tool is a library, so that its tests and the fuzzer can import it, with a thin executable.
        .target(
            name: "TintypeCommandLine",
            dependencies: ["Tintype", "TintypeResponses", "TintypeBase", "TintypeDemo", "CCrypto", "CSystemShim"]),
        .executableTarget(name: "TintypeCLI", dependencies: ["TintypeCommandLine"]),

        // Tests. `TestOrigin` is the scripted loopback HTTP server that several suites share.
        .systemLibrary(
            name: "CSSL", path: "Tests/CSSL", pkgConfig: "libssl",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .target(
            name: "TestOrigin", dependencies: ["TintypeBase", "CCrypto", "CSSL", "CZlib"],
            path: "Tests/TestOrigin"),
        .testTarget(name: "TintypeBaseTests", dependencies: ["TintypeBase"]),
        // The other process of the imaging tests: it plays animations and measures its memory, or has little memory.
        .executableTarget(
            name: "AnimationChild", dependencies: ["TintypeImaging"], path: "Tests/Processes/AnimationChild"),
        // Encodes JPEG files with any sampling factors.
        .target(
            name: "CSampledJPEG", dependencies: ["CJPEG"], path: "Tests/CSampledJPEG", cSettings: fastC,
            linkerSettings: [.linkedLibrary("jpeg")]),
        // A decode worker that misbehaves on demand, for the tests of isolation.
        .executableTarget(
            name: "HostileWorker", dependencies: ["TintypeImaging", "TintypeBase", "CIsolation"],
            path: "Tests/HostileWorker"),
        .testTarget(
            name: "TintypeImagingTests",
            dependencies: [
                "TintypeImaging", "CPixelKernels", "CIsolation", "CJPEG", "CJPEGShim", "CWebP", "CLCMS", "CDeflate",
                "AnimationChild", "CSampledJPEG", "HostileWorker",
                .target(name: "CAVIF", condition: .when(traits: ["AVIF"])),
                .target(name: "CHEIF", condition: .when(traits: ["HEIC"])),
                .target(name: "CHEVCDecoder", condition: .when(traits: ["FFmpeg"])),
                .target(name: "CJXL", condition: .when(traits: ["JXL"])),
            ],
            resources: [.copy("Fixtures")]),
        // The other process of the cache tests: it loads, trims, clears and is killed.
        .executableTarget(name: "CacheChild", dependencies: ["TintypeCaching"], path: "Tests/Processes/CacheChild"),
        .testTarget(name: "TintypeCachingTests", dependencies: ["TintypeCaching", "CacheChild"]),
        .testTarget(
            name: "TintypeNetworkingTests", dependencies: ["TintypeNetworking", "TintypeBase", "TestOrigin"]),
        // Abuse: the soak of `make soak`, its origin and second process, and the process that the kill test kills.
        .executableTarget(
            name: "Soak", dependencies: ["Tintype", "TintypeResponses", "TintypeBase", "TestOrigin"],
            path: "Tests/Processes/Soak"),
        // Counts the instructions of hot paths for `make guard`.
        .executableTarget(
            name: "InstructionGuard", dependencies: ["Tintype", "TintypeResponses"],
            path: "Tests/Processes/InstructionGuard"),
        .testTarget(
            name: "TintypeTests", dependencies: ["Tintype", "TintypeResponses", "TestOrigin", "Soak"],
            exclude: ["Fixtures"]),
        .testTarget(name: "TintypeResponsesTests", dependencies: ["TintypeResponses", "TintypeBase", "TestOrigin"]),
        .testTarget(name: "DocumentationTests", dependencies: ["Tintype", "TintypeResponses"]),
        .testTarget(
            name: "TintypeCommandLineTests",
            dependencies: ["TintypeCommandLine", "TintypeCLI", "TintypeDemo", "Tintype", "TestOrigin"]),
    ],
    swiftLanguageModes: [.v6]
)
