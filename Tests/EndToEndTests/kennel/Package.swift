// swift-tools-version: 6.2
import PackageDescription

// A program of somebody else's, whose models an app for iOS has as well. `Scripts/check-example` builds and runs it against a tagged
// clone of this package.
let package = Package(
  name: "kennel",
  dependencies: [.package(url: Context.environment["GATEHOUSE_REPOSITORY"] ?? "", from: "0.1.0")],
  targets: [
    // As an app of Swift 5 has them.
    .target(
      name: "KennelModels", dependencies: [.product(name: "RealmSwift", package: "gatehouse")],
      swiftSettings: [.swiftLanguageMode(.v5)]),
    .executableTarget(
      name: "visits", dependencies: ["KennelModels", .product(name: "RealmSwift", package: "gatehouse")],
      swiftSettings: [.swiftLanguageMode(.v5)]),
    .executableTarget(
      name: "kennel", dependencies: ["KennelModels", .product(name: "RealmSwift", package: "gatehouse")]),
    .testTarget(
      name: "KennelTests", dependencies: ["KennelModels", .product(name: "RealmSwift", package: "gatehouse")]),
  ],
  swiftLanguageModes: [.v6]
)
