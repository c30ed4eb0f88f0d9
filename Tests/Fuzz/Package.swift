// swift-tools-version: 6.2
// Read from .build/fuzz, where `fuzz.py` puts it beside links to the sources: the modules that read what strangers send, compiled for
// libFuzzer.
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"), .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    // Overflow and indexes trap in release builds, too.
    .unsafeFlags([
        "-sanitize=fuzzer", "-profile-generate", "-profile-coverage-mapping", "-enable-testing", "-parse-as-library",
    ]),
]

let package = Package(
    name: "fuzz",
    dependencies: [.package(name: "Yams", path: "Yams")],
    targets: [
        .systemLibrary(name: "CLibevent", path: "Modules/CLibevent", pkgConfig: "libevent_core"),
        .systemLibrary(name: "COpenSSL", path: "Modules/COpenSSL", pkgConfig: "openssl"),
        .systemLibrary(name: "CPCRE2", path: "Modules/CPCRE2", pkgConfig: "libpcre2-8"),
        .target(name: "CKeyMemory", path: "Modules/CKeyMemory"),
        .target(name: "Sensitive", path: "Modules/Sensitive", swiftSettings: settings),
        .target(name: "Threads", path: "Modules/Threads", swiftSettings: settings),
        .target(name: "Fairness", path: "Modules/Fairness", swiftSettings: settings),
        .target(name: "JSON", path: "Modules/JSON", swiftSettings: settings),
        .target(name: "HTTPWire", path: "Modules/HTTPWire", swiftSettings: settings),
        .target(
            name: "Crypto", dependencies: ["CKeyMemory", "COpenSSL"], path: "Modules/Crypto", swiftSettings: settings),
        .target(
            name: "EventIO", dependencies: ["CKeyMemory", "CLibevent", "COpenSSL", "Threads"], path: "Modules/EventIO",
            swiftSettings: settings),
        .target(
            name: "EventHTTP", dependencies: ["EventIO", "Fairness", "HTTPWire"], path: "Modules/EventHTTP",
            swiftSettings: settings),
        .target(
            name: "FormSchema", dependencies: ["JSON", "Sensitive", "CPCRE2"], path: "Modules/FormSchema",
            swiftSettings: settings),
        .target(
            name: "Access", dependencies: ["Crypto", "Fairness", "JSON"], path: "Modules/Access",
            swiftSettings: settings),
        .target(
            name: "Configuration", dependencies: ["Access", "FormSchema", "JSON", "Sensitive", "Yams"],
            path: "Modules/Configuration", swiftSettings: settings),
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "HTTPWire", "JSON", "EventHTTP", "EventIO", "FormSchema", "Access", "Crypto", "Configuration",
                "Sensitive",
            ],
            path: "Fuzz", swiftSettings: settings,
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-profile-generate"])]),
    ],
    swiftLanguageModes: [.v6]
)
