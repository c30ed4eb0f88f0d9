// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    // An async call stays where its caller runs: on an event loop it costs no look at the task's executor.
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "cloakroom",
    // Those of `CloakroomClient`; everything else is for Linux.
    platforms: [.macOS(.v12), .iOS(.v15), .tvOS(.v15), .watchOS(.v8)],
    products: [
        .executable(name: "cloakroom", targets: ["cloakroom"]),
        .library(name: "FormSchema", targets: ["FormSchema", "JSON"]),
        .library(name: "CloakroomClient", targets: ["CloakroomClient"]),
        // For the benchmarks.
        .library(name: "VaultSQLite", targets: ["VaultSQLite", "Vault", "Sensitive"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
    ],
    targets: [
        .systemLibrary(name: "CLibevent", pkgConfig: "libevent_core", providers: [.apt(["libevent-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CPCRE2", pkgConfig: "libpcre2-8", providers: [.apt(["libpcre2-dev"])]),

        .target(name: "CWipe"),
        .target(name: "CKeyMemory"),
        .target(name: "CPostgres"),
        .target(name: "CHiredis"),
        .target(name: "CBuild"),
        .target(name: "CDatabaseFile", dependencies: ["CSQLite"]),
        .target(name: "Sensitive", swiftSettings: strict),
        .target(name: "Threads", swiftSettings: strict),
        .target(name: "Fairness", swiftSettings: strict),
        .target(name: "HTTPWire", swiftSettings: strict),
        .target(name: "JSON", swiftSettings: strict),
        .target(
            name: "EventIO", dependencies: ["CKeyMemory", "CLibevent", "COpenSSL", "Threads"], swiftSettings: strict),
        .target(name: "EventHTTP", dependencies: ["EventIO", "Fairness", "HTTPWire"], swiftSettings: strict),
        .target(name: "FormSchema", dependencies: ["JSON", "Sensitive", "CPCRE2"], swiftSettings: strict),
        .target(name: "Crypto", dependencies: ["CKeyMemory", "COpenSSL"], swiftSettings: strict),
        .target(name: "Access", dependencies: ["Crypto", "Fairness", "JSON"], swiftSettings: strict),
        .plugin(name: "EmbedElements", capability: .buildTool()),
        .target(
            name: "Elements",
            exclude: ["Demo", "Docs", "Engine", "Frame", "Page", "Scripts", "Shared", "Types", "embed"],
            swiftSettings: strict, plugins: ["EmbedElements"]),
        .target(name: "Vault", dependencies: ["Crypto", "Sensitive", "Threads"], swiftSettings: strict),
        .target(
            name: "VaultSQLite", dependencies: ["Vault", "Crypto", "Sensitive", "Threads", "CDatabaseFile", "CSQLite"],
            swiftSettings: strict),
        .target(
            name: "VaultPostgres", dependencies: ["Vault", "Crypto", "Sensitive", "Threads", "CPostgres"],
            swiftSettings: strict),
        .target(
            name: "VolatileRedis", dependencies: ["Vault", "EventIO", "Sensitive", "CHiredis"], swiftSettings: strict),
        .target(
            name: "VaultRemote", dependencies: ["Vault", "EventHTTP", "HTTPWire", "JSON", "Sensitive"],
            swiftSettings: strict),
        .target(name: "AuditLog", dependencies: ["Crypto", "Threads"], swiftSettings: strict),
        .target(
            name: "Configuration", dependencies: ["Access", "FormSchema", "JSON", "Sensitive", "Yams"],
            swiftSettings: strict),
        .target(
            name: "Gateway",
            dependencies: [
                "Access", "AuditLog", "CBuild", "Configuration", "Crypto", "Elements", "EventHTTP", "EventIO",
                "Fairness", "HTTPWire",
                "JSON", "FormSchema",
                "Sensitive", "Vault", "VaultPostgres", "VaultRemote", "VaultSQLite", "VolatileRedis",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict
        ),
        // For programs that call a gateway: Foundation alone, no system library, Apple's platforms too.
        .target(name: "CloakroomClient", swiftSettings: strict),
        .executableTarget(
            name: "cloakroom",
            dependencies: [
                "Access", "CWipe", "Configuration", "Gateway",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict
        ),

        .target(name: "Interposing", path: "Tests/Interposing"),
        .testTarget(name: "HTTPWireTests", dependencies: ["HTTPWire"], swiftSettings: strict),
        .testTarget(name: "JSONTests", dependencies: ["JSON"], swiftSettings: strict),
        .target(
            name: "EventIOTesting", dependencies: ["EventIO"], path: "Tests/EventIOTesting", swiftSettings: strict),
        .testTarget(
            name: "EventIOTests", dependencies: ["EventIO", "EventIOTesting", "Interposing"], swiftSettings: strict),
        .testTarget(
            name: "EventHTTPTests",
            dependencies: ["EventHTTP", "EventIO", "EventIOTesting", "HTTPWire", "Interposing"],
            swiftSettings: strict),
        .testTarget(name: "FormSchemaTests", dependencies: ["FormSchema", "JSON", "Sensitive"], swiftSettings: strict),
        .target(
            name: "VaultTesting", dependencies: ["Crypto", "Vault", "Sensitive"], path: "Tests/VaultTesting",
            swiftSettings: strict),
        .testTarget(name: "ThreadsTests", dependencies: ["Threads"], swiftSettings: strict),
        .testTarget(name: "FairnessTests", dependencies: ["Fairness"], swiftSettings: strict),
        .testTarget(name: "CryptoTests", dependencies: ["CKeyMemory", "Crypto", "Interposing"], swiftSettings: strict),
        .testTarget(
            name: "AccessTests", dependencies: ["Access", "COpenSSL", "Crypto", "JSON"], swiftSettings: strict),
        .testTarget(
            name: "VaultTests",
            dependencies: ["Crypto", "FileTesting", "Interposing", "Threads", "Vault", "VaultTesting", "Sensitive"],
            swiftSettings: strict),
        .testTarget(
            name: "VaultSQLiteTests",
            dependencies: ["Interposing", "VaultSQLite", "Vault", "VaultTesting", "Sensitive"],
            exclude: ["Fixtures"],
            swiftSettings: strict),
        .executableTarget(
            name: "durability-driver", dependencies: ["VaultSQLite", "Vault", "Sensitive"],
            path: "Tests/Durability/Driver", swiftSettings: strict),
        .testTarget(
            name: "DurabilityTests", dependencies: ["durability-driver", "ProcessTesting"], swiftSettings: strict),
        .target(name: "ProcessTesting", path: "Tests/ProcessTesting", swiftSettings: strict),
        .target(
            name: "PostgresTesting", dependencies: ["ProcessTesting"], path: "Tests/PostgresTesting",
            swiftSettings: strict),
        .testTarget(
            name: "VaultPostgresTests",
            dependencies: ["Crypto", "VaultPostgres", "Vault", "VaultTesting", "PostgresTesting", "Sensitive"],
            exclude: ["Fixtures"],
            swiftSettings: strict),
        .target(
            name: "RedisTesting", dependencies: ["ProcessTesting"], path: "Tests/RedisTesting", swiftSettings: strict),
        .testTarget(
            name: "VolatileRedisTests",
            dependencies: ["VolatileRedis", "Vault", "VaultTesting", "RedisTesting", "Sensitive"], swiftSettings: strict
        ),
        .target(name: "FileTesting", path: "Tests/FileTesting", swiftSettings: strict),
        .target(
            name: "AuditLogTesting", dependencies: ["AuditLog", "FileTesting"], path: "Tests/AuditLogTesting",
            swiftSettings: strict),
        .testTarget(
            name: "AuditLogTests",
            dependencies: ["AuditLog", "AuditLogTesting", "FileTesting", "Interposing", "JSON"],
            swiftSettings: strict),
        .testTarget(
            name: "ConfigurationTests",
            dependencies: [
                "Access", "Configuration", "EventIOTesting", "FileTesting", "FormSchema", "Gateway", "Sensitive",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "GatewayTests",
            dependencies: [
                "Gateway", "Access", "AuditLog", "AuditLogTesting", "Configuration", "Crypto", "EventIOTesting",
                "FileTesting", "Interposing",
                "VaultTesting", "cloakroom",
            ],
            swiftSettings: strict),
        .testTarget(name: "ElementsTests", dependencies: ["Crypto", "Elements"], swiftSettings: strict),
        .testTarget(
            name: "EndToEndTests",
            dependencies: ["CloakroomClient", "JSON", "PostgresTesting", "ProcessTesting", "RedisTesting", "Threads"],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
