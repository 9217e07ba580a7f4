// swift-tools-version: 6.2
import PackageDescription

// A program of somebody else's, which has a gateway in it, and a Model and a Query of its own. ConsumerTests builds it
// against a tagged clone of this package.
let package = Package(
  name: "shelf",
  dependencies: [.package(url: Context.environment["GATEHOUSE_REPOSITORY"] ?? "", from: "0.1.0")],
  targets: [
    .target(name: "Model"),
    .target(name: "Query", dependencies: ["Model"]),
    .executableTarget(
      name: "shelf", dependencies: ["Model", "Query", .product(name: "Gatehouse", package: "gatehouse")]),
  ],
  swiftLanguageModes: [.v6]
)
