// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "benchmarks",
    dependencies: [.package(name: "cloakroom", path: "..")],
    targets: [
        .target(name: "CAllocationCount"),
        .executableTarget(
            name: "vaultbench", dependencies: [.product(name: "VaultSQLite", package: "cloakroom")]),
        .executableTarget(
            name: "evaluation",
            dependencies: ["CAllocationCount", .product(name: "FormSchema", package: "cloakroom")]
        ),
    ],
    swiftLanguageModes: [.v6]
)
