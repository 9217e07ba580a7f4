// swift-tools-version: 6.2
import PackageDescription

// Flags that every target of ours is built with. Warnings are errors, so that a build that succeeds is a
// build that says nothing.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  // A function that waits goes on where its caller does, as everything of a request does on the request's loop.
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
  .unsafeFlags(
    [
      // A request passes through many modules, in small steps.
      "-cross-module-optimization",
      // That accesses to an object never overlap is checked in debug builds, with which the tests are run.
      "-enforce-exclusivity=unchecked",
    ], .when(configuration: .release)),
]

// For targets that should hold no unsafe code at all: whatever creeps in must then say `unsafe`.
let safe: [SwiftSetting] = strict + [.strictMemorySafety()]

let package = Package(
  name: "gatehouse",
  products: [.executable(name: "gatehouse", targets: ["gatehouse"])],
  targets: [
    // Layer 0: the system's libraries, and formats that know nothing of each other.
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CMemory"),
    .systemLibrary(name: "CProcess"),
    .systemLibrary(name: "COpenSSL", providers: [.apt(["libssl-dev"])]),
    .target(name: "BSON", swiftSettings: strict),
    .target(name: "HTTP", swiftSettings: strict),
    .target(name: "Telemetry", swiftSettings: strict),
    .target(name: "Sharing", swiftSettings: strict),
    .target(name: "SQLite", dependencies: ["CSQLite"], swiftSettings: strict),
    .target(name: "Crypto", dependencies: ["COpenSSL"], swiftSettings: strict),

    // Layer 1: the data model and the query language.
    .target(name: "Model", dependencies: ["BSON"], swiftSettings: safe),
    .target(name: "Query", dependencies: ["BSON", "Model"], swiftSettings: safe),

    // Layer 2: the store.
    .target(
      name: "Storage", dependencies: ["BSON", "CMemory", "Model", "Query", "SQLite", "Sharing", "Telemetry"],
      swiftSettings: strict),

    // Layer 3: what is made of the store, and what comes with it.
    .target(name: "Access", dependencies: ["BSON", "Crypto", "Model", "Query"], swiftSettings: safe),
    .target(
      name: "Functions", dependencies: ["BSON", "CProcess", "Telemetry"],
      resources: [
        .embedInCode("Worker/bootstrap.js"),
        .embedInCode("Worker/tag.js"),
        .embedInCode("Worker/types.js"),
        .embedInCode("Worker/bson.js"),
        .embedInCode("Worker/ejson.js"),
        .embedInCode("Worker/calls.js"),
        .embedInCode("Worker/channel.js"),
        .embedInCode("Worker/realm.js"),
        .embedInCode("Worker/http.js"),
        .embedInCode("Worker/context.js"),
        .embedInCode("Worker/functions.js"),
        .embedInCode("Worker/worker.js"),
      ], swiftSettings: strict),
    .target(
      name: "Feeds", dependencies: ["BSON", "Model", "Query", "Storage", "Telemetry"], swiftSettings: safe),

    .target(
      name: "Audit", dependencies: ["BSON", "Crypto", "Model", "Query", "Sharing", "Storage"],
      swiftSettings: safe),

    // Layer 4: requests and sockets, which never meet but in App.
    .target(
      name: "API",
      dependencies: [
        "Access", "Audit", "BSON", "Crypto", "Feeds", "Functions", "HTTP", "Model", "Query", "Sharing",
        "Storage",
        "Telemetry",
      ],
      resources: [.embedInCode("openapi.yaml")], swiftSettings: safe),
    .target(
      name: "Server", dependencies: ["HTTP", "Telemetry", "CLinux", "COpenSSL"],
      swiftSettings: strict),

    // Layer 5: everything wired together.
    .target(
      name: "App",
      dependencies: [
        "API", "Access", "Audit", "BSON", "Feeds", "Functions", "HTTP", "Model", "Query", "Server", "Sharing",
        "Storage",
        "Telemetry",
      ],
      swiftSettings: strict),
    .executableTarget(name: "gatehouse", dependencies: ["App"], swiftSettings: strict),
    // A gateway in a program of one's own.
    .executableTarget(
      name: "example", dependencies: ["API", "BSON", "Functions", "HTTP", "Server", "Storage", "Telemetry"],
      swiftSettings: strict),

    .testTarget(
      name: "BSONTests", dependencies: ["BSON", "BSONConverter", "Seeded", "Workbench"], swiftSettings: strict
    ),
    .executableTarget(
      name: "BSONConverter", dependencies: ["BSON"], path: "Tests/BSONConverter", swiftSettings: strict),
    .testTarget(
      name: "HTTPTests", dependencies: ["FuzzTargets", "HTTP", "Seeded", "Workbench"], swiftSettings: strict),
    // What is fuzzed, for the fuzzer and for the test that replays its corpus.
    .target(
      name: "FuzzTargets", dependencies: ["BSON", "Conformance", "HTTP", "Model", "Query"],
      path: "Tests/FuzzTargets", swiftSettings: strict),
    .testTarget(
      name: "ServerTests", dependencies: ["HTTP", "Server", "Telemetry", "Workbench"], exclude: ["tls"],
      swiftSettings: strict),
    .testTarget(name: "SharingTests", dependencies: ["Seeded", "Sharing"], swiftSettings: strict),
    .testTarget(name: "TelemetryTests", dependencies: ["Telemetry", "Workbench"], swiftSettings: strict),
    .testTarget(
      name: "CryptoTests", dependencies: ["Crypto", "Workbench"], exclude: ["oracle.py"],
      swiftSettings: strict),
    .testTarget(name: "SQLiteTests", dependencies: ["SQLite"], swiftSettings: strict),
    .testTarget(
      name: "StorageTests",
      dependencies: [
        "BSON", "Conformance", "Model", "Query", "SQLite", "Seeded", "Sharing", "Storage", "Workbench",
      ],
      swiftSettings: strict),
    .testTarget(name: "FunctionsTests", dependencies: ["BSON", "Functions"], swiftSettings: strict),
    .testTarget(
      name: "AuditTests",
      dependencies: ["Audit", "BSON", "Model", "Query", "Seeded", "Storage", "Workbench"],
      swiftSettings: strict),
    .testTarget(
      name: "APITests",
      dependencies: [
        "API", "Access", "Audit", "BSON", "Crypto", "Feeds", "Functions", "HTTP", "Model", "Query", "Seeded",
        "Sharing", "Storage", "Telemetry", "Workbench",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "AccessTests", dependencies: ["Access", "BSON", "Crypto", "Model", "Query", "Workbench"],
      swiftSettings: strict
    ),
    .testTarget(
      name: "FeedsTests", dependencies: ["Feeds", "Model", "Seeded", "Storage"], swiftSettings: strict),
    // Reads the shared corpus of queries, for every target that answers queries.
    .target(
      name: "Conformance", dependencies: ["BSON", "Model", "Query", "Seeded"], path: "Tests/Conformance",
      swiftSettings: strict),
    .testTarget(
      name: "QueryTests", dependencies: ["BSON", "Conformance", "Model", "Query", "Seeded"],
      swiftSettings: strict),
    // The corpora, and hostile queries, through a real server.
    .testTarget(
      name: "ConformanceTests",
      dependencies: ["API", "BSON", "Conformance", "Model", "Server", "Storage", "Workbench"],
      swiftSettings: strict),
    .testTarget(name: "ModelTests", dependencies: ["BSON", "Model", "Seeded"], swiftSettings: strict),
    // Random numbers that are the same in every run.
    .target(name: "Seeded", path: "Tests/Seeded", swiftSettings: strict),
    // What tests find around them, and what several of them use: programs, keys.
    .target(name: "Workbench", path: "Tests/Workbench", swiftSettings: strict),
    .testTarget(
      name: "AppTests", dependencies: ["App", "BSON", "HTTP", "Model", "Server", "Workbench"],
      swiftSettings: strict),
    // Runs the program, and an oracle in Python.
    .testTarget(
      name: "EndToEndTests", dependencies: ["gatehouse", "Workbench"],
      exclude: ["browser.py", "count.py", "geonames_oracle.py", "realm_client.py"], swiftSettings: strict),
    .testTarget(name: "ArchitectureTests", dependencies: ["Workbench"], swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)

// What only the benchmarks need is built only for them.
if Context.environment["GATEHOUSE_BENCH"] != nil {
  package.targets.append(
    .executableTarget(
      name: "server-bench", dependencies: ["HTTP", "Server"], path: "Scripts/bench.d/server",
      exclude: ["allocations.c", "bare.c", "idle.py"], swiftSettings: strict))
  package.targets.append(
    .executableTarget(
      name: "query-bench", dependencies: ["BSON", "Conformance", "Model", "Query", "SQLite", "Storage"],
      path: "Scripts/bench.d/query", swiftSettings: strict))
}

// The sanitizers are for what meets the bytes of strangers: the rest would take most of their time to build.
if Context.environment["GATEHOUSE_SANITIZE"] != nil {
  var needed: Set = ["HTTPTests", "ServerTests"]
  // Dependencies are declared before or after whoever needs them.
  for _ in package.targets {
    for target in package.targets where needed.contains(target.name) {
      for case .byNameItem(let name, _) in target.dependencies { needed.insert(name) }
    }
  }
  package.targets.removeAll { !needed.contains($0.name) }
  package.products = []
}

// Its main function comes from libFuzzer: `Scripts/fuzz`.
if Context.environment["GATEHOUSE_FUZZ"] != nil {
  package.targets.append(
    .executableTarget(
      name: "fuzzer", dependencies: ["FuzzTargets"], path: "Tests/Fuzzer",
      swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])]))
}
