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

/// The module of a folder. Names of targets are global in a build, and a program that is built with ours may well have
/// a `Model` and a `Query` of its own: so ours bear a prefix, which their folders do without.
func module(_ folder: String) -> String {
  if folder == "RealmSwift" { return folder }
  let libraries = [
    "CSQLite", "CLinux", "CMemory", "CPolling", "CProcess", "CRuntime", "COpenSSL", "CCurl", "CSimulation",
  ]
  return libraries.contains(folder) ? "CGatehouse\(folder.dropFirst())" : "Gatehouse\(folder)"
}

func modules(_ folders: [String]) -> [Target.Dependency] { folders.map { .byName(name: module($0)) } }

extension Target {
  /// A library of the system, in `Sources`.
  static func system(_ folder: String, package: String? = nil) -> Target {
    .systemLibrary(name: module(folder), path: "Sources/\(folder)", providers: package.map { [.apt([$0])] })
  }

  /// A library of ours: its folder in `Sources`, and the folders of those that it uses.
  static func library(
    _ folder: String, uses: [String] = [], resources: [String] = [], _ settings: [SwiftSetting] = strict
  ) -> Target {
    .target(
      name: module(folder), dependencies: modules(uses), path: "Sources/\(folder)",
      resources: resources.map { .embedInCode($0) }, swiftSettings: settings)
  }

  /// A program in `Sources`.
  static func program(_ name: String, uses: [String]) -> Target {
    .executableTarget(name: name, dependencies: modules(uses), swiftSettings: strict)
  }

  /// What several test targets use, in `Tests`.
  static func support(_ folder: String, uses: [String] = []) -> Target {
    .target(
      name: module(folder), dependencies: modules(uses), path: "Tests/\(folder)", swiftSettings: strict)
  }

  /// Tests, in `Tests`: the folders of the libraries that they use, and programs that they run.
  static func tests(
    _ name: String, uses: [String], programs: [String] = [], exclude: [String] = []
  ) -> Target {
    .testTarget(
      name: name, dependencies: modules(uses) + programs.map { .byName(name: $0) }, exclude: exclude,
      swiftSettings: strict)
  }
}

let package = Package(
  name: "gatehouse",
  products: [
    .executable(name: "gatehouse", targets: ["gatehouse"]),
    // A gateway in a program of one's own, as `example` is one.
    .library(
      name: "Gatehouse",
      targets: [
        "API", "BSON", "Functions", "HTTP", "Model", "Scheduling", "Server", "Sharing", "Storage",
        "Telemetry",
      ].map(module)),
    // The Realm Swift API, in any program.
    .library(name: "RealmSwift", targets: ["RealmSwift"]),
  ],
  targets: [
    // Layer 0: the system's libraries, and formats that know nothing of each other.
    .system("CSQLite", package: "libsqlite3-dev"),
    .system("CLinux"),
    .system("CMemory"),
    .system("CPolling"),
    .system("CProcess"),
    .system("CRuntime"),
    .system("COpenSSL", package: "libssl-dev"),
    .system("CCurl", package: "libcurl4-openssl-dev"),
    .library("BSON"),
    .library("HTTP"),
    .library("Telemetry"),
    .library("Scheduling", uses: ["CLinux"]),
    .library("Sharing"),
    .library("Compression"),
    .library("Polling", uses: ["CPolling"]),
    .library("SQLite", uses: ["CSQLite"]),
    .library("Crypto", uses: ["COpenSSL"]),
    .library("Outbound", uses: ["CCurl"]),

    // Layer 1: the data model and the query language.
    .library("Model", uses: ["BSON"], safe),
    .library("Query", uses: ["BSON", "Model"], safe),
    .library("Documents", uses: ["BSON", "Model", "Query"], safe),

    // Layer 2: the store.
    .library(
      "Storage", uses: ["BSON", "CMemory", "Model", "Query", "SQLite", "Scheduling", "Sharing", "Telemetry"]),

    // Layer 3: what is made of the store, and what comes with it.
    .library("Access", uses: ["BSON", "Crypto", "Model", "Query"], safe),
    .library(
      "Functions", uses: ["BSON", "CProcess", "Polling", "Sharing", "Telemetry"],
      resources: [
        "bootstrap.js", "tag.js", "types.js", "bson.js", "ejson.js", "calls.js", "channel.js", "problem.js",
        "realm.js",
        "mongodb.js", "users.js", "utils.js", "http.js", "response.js", "context.js", "functions.js",
        "worker.js",
      ].map { "Worker/\($0)" }),
    .library("Feeds", uses: ["BSON", "Model", "Query", "Sharing", "Storage", "Telemetry"], safe),
    .library("Audit", uses: ["BSON", "Crypto", "Model", "Query", "Sharing", "Storage"], safe),

    // The replicated log, and the node's part in it.
    .library(
      "Cluster", uses: ["BSON", "COpenSSL", "Crypto", "Outbound", "Scheduling", "Storage", "Telemetry"]),

    .library("Triggers", uses: ["BSON", "Documents", "Feeds", "Functions", "Storage", "Telemetry"], safe),

    // Layer 4: the page for browsers; requests and sockets, which never meet but in App.
    .library(
      "Console",
      resources: [
        "Base/api.js", "Base/app.js", "Base/dom.js", "Base/json.js", "Base/live.js", "Base/problem.js",
        "Base/route.js",
        "Base/schema.js", "Base/session.js", "Data/class.js", "Data/classes.js", "Data/create.js",
        "Data/difference.js", "Data/documents.js", "Data/edit.js", "Data/editors.js", "Data/explain.js",
        "Data/filter.js",
        "Data/graph.js", "Data/grid.js", "Data/object.js", "Data/rows.js", "Data/transfer.js",
        "Data/value.js",
        "Live/changes.js", "Live/timeline.js", "Live/undo.js", "Page/announce.js", "Page/curl.js",
        "Page/dialog.js", "Page/enter.js", "Page/form.js", "Page/gateway.js", "Page/icon.svg",
        "Page/index.html",
        "Page/main.js", "Page/style.css", "Page/texts.js", "Page/views.js", "Place/apps.js", "Place/audit.js",
        "Place/keys.js",
        "Place/metrics.js", "Place/openmetrics.js", "Place/roles.js", "Place/server.js",
        "Place/users.js", "Plots/chart.js",
        "Plots/map.js", "Plots/outline.js", "Plots/plot.js", "Run/functions.js", "Run/triggers.js",
      ], safe),
    .library(
      "API",
      uses: [
        "Access", "Audit", "BSON", "Compression", "Console", "Crypto", "Documents", "Feeds", "Functions",
        "HTTP", "Model", "Outbound",
        "Query", "Scheduling", "Sharing", "Storage", "Telemetry", "Triggers",
      ],
      resources: ["openapi.yaml", "Schema/classes.json"], safe),
    .library("Server", uses: ["HTTP", "Polling", "Telemetry", "CLinux", "COpenSSL"]),

    // Live views of the store, in its process.
    .library("Live", uses: ["CRuntime", "Feeds", "Model", "Query", "Storage"]),
    // The Realm Swift API. Its module has the name that programs import.
    .library(
      "RealmSwift", uses: ["Audit", "BSON", "Feeds", "Live", "Model", "Outbound", "Query", "Storage"]),

    // Layer 5: everything wired together.
    .library(
      "App",
      uses: [
        "API", "Access", "Audit", "BSON", "Cluster", "Crypto", "Feeds", "Functions", "HTTP", "Model",
        "Outbound",
        "Query", "Server", "Sharing", "Storage", "Telemetry", "Triggers",
      ],
      resources: [
        "data_source", "environment", "functions", "http_endpoints", "migration", "providers", "roles",
        "schema",
        "trigger", "value",
      ].map {
        "Formats/\($0).schema.json"
      }
        + [
          "config.json", "gatehouse.json", "openNotes.js", "providers.json", "roles.json", "schema.json",
          "tagUrgent.js", "tagUrgent.json",
        ].map {
          "Initial/\($0)"
        } + ["client.ts", "client.py", "client.swift.txt"].map { "Clients/\($0)" }),
    .program("gatehouse", uses: ["App"]),
    // A gateway in a program of one's own.
    .program("example", uses: ["API", "BSON", "Functions", "HTTP", "Server", "Storage", "Telemetry"]),

    // Random numbers that are the same in every run.
    .support("Seeded"),
    // What tests find around them, and what several of them use: programs, keys.
    .support("TestSupport"),
    // All that the file of a store holds, to compare two of them.
    .support("StoredFiles", uses: ["SQLite", "Storage"]),
    // Reads the shared corpus of queries, for every target that answers queries.
    .support("Conformance", uses: ["BSON", "Model", "Query", "Seeded"]),
    // What is fuzzed, for the fuzzer and for the test that replays its corpus.
    .support("FuzzTargets", uses: ["BSON", "Cluster", "Conformance", "HTTP", "Model", "Query", "Storage"]),
    // A gateway under faults that come from a seed, and the system in its place: `Scripts/simulate`.
    .target(name: module("CSimulation"), dependencies: modules(["CSQLite"]), path: "Tests/CSimulation"),
    .executableTarget(
      name: "simulate",
      dependencies: modules([
        "API", "Access", "Audit", "BSON", "CSimulation", "Cluster", "Crypto", "Feeds", "Functions", "HTTP",
        "Model", "Outbound", "Scheduling", "Seeded", "Sharing", "Storage", "Telemetry", "Triggers",
      ]), path: "Tests/Simulate", swiftSettings: strict),
    .executableTarget(
      name: "BSONConverter", dependencies: modules(["BSON"]), path: "Tests/BSONConverter",
      swiftSettings: strict),
    .executableTarget(
      name: "DocumentsOracle", dependencies: modules(["BSON", "Documents"]), path: "Tests/DocumentsOracle",
      swiftSettings: strict),

    .tests("BSONTests", uses: ["BSON", "Seeded", "TestSupport"], programs: ["BSONConverter"]),
    .tests("HTTPTests", uses: ["FuzzTargets", "HTTP", "Seeded", "TestSupport"]),
    .tests("ServerTests", uses: ["HTTP", "Polling", "Server", "Telemetry", "TestSupport"], exclude: ["tls"]),
    .tests("PollingTests", uses: ["Polling"]),
    .tests("SharingTests", uses: ["Seeded", "Sharing"]),
    .tests("TelemetryTests", uses: ["Telemetry", "TestSupport"]),
    .tests("CryptoTests", uses: ["BSON", "Crypto", "TestSupport"], exclude: ["oracle.py"]),
    .tests("OutboundTests", uses: ["Outbound", "TestSupport"], exclude: ["server.py"]),
    .tests("SQLiteTests", uses: ["SQLite"]),
    .tests("ModelTests", uses: ["BSON", "Model", "Seeded"]),
    .tests("QueryTests", uses: ["BSON", "Conformance", "Model", "Query", "Seeded"]),
    .tests(
      "DocumentsTests", uses: ["BSON", "Documents", "Model", "Query", "Seeded", "TestSupport"],
      programs: ["DocumentsOracle"]),
    .tests(
      "StorageTests",
      uses: [
        "BSON", "Conformance", "Model", "Query", "SQLite", "Seeded", "Sharing", "Storage", "StoredFiles",
        "TestSupport",
      ]),
    .tests("AccessTests", uses: ["Access", "BSON", "Crypto", "Model", "Query", "Seeded", "TestSupport"]),
    .tests("FunctionsTests", uses: ["BSON", "Functions", "Seeded", "Sharing"]),
    .tests(
      "FeedsTests",
      uses: ["BSON", "Feeds", "Model", "Query", "Seeded", "Sharing", "Storage", "Telemetry", "TestSupport"]),
    .tests(
      "TriggersTests",
      uses: ["BSON", "Functions", "Model", "Storage", "Telemetry", "TestSupport", "Triggers"]),
    .tests(
      "ClusterTests",
      uses: [
        "BSON", "Cluster", "Crypto", "Model", "SQLite", "Scheduling", "Seeded", "Storage", "StoredFiles",
        "TestSupport",
      ]),
    .tests("AuditTests", uses: ["Audit", "BSON", "Model", "Query", "Seeded", "Storage", "TestSupport"]),
    .tests(
      "APITests",
      uses: [
        "API", "Access", "Audit", "BSON", "Console", "Crypto", "Feeds", "Functions", "HTTP", "Model", "Query",
        "RealmSwift", "Seeded", "Sharing", "Storage", "Telemetry", "TestSupport", "Triggers",
      ]),
    // The corpora, and hostile queries, through a real server.
    .tests(
      "ConformanceTests",
      uses: [
        "API", "BSON", "Conformance", "HTTP", "Model", "Query", "Server", "Sharing", "Storage", "TestSupport",
      ]),
    .tests(
      "AppTests",
      uses: [
        "API", "Access", "App", "BSON", "Crypto", "Documents", "HTTP", "Model", "Outbound", "Query", "Server",
        "Storage", "Telemetry", "TestSupport", "Triggers",
      ]),
    // Runs the program, and an oracle in Python.
    .tests(
      "EndToEndTests", uses: ["RealmSwift", "Storage", "StoredFiles", "TestSupport"], programs: ["gatehouse"],
      exclude: [
        "AppServices/issuer_server.py", "AppServices/smtp_server.py", "AppServices/webhook_server.py",
        "browser.py", "collector.py", "consumer", "count.py", "formats_oracle.py", "geonames_oracle.py",
        "hosting.py", "kennel",
        "many_subscriptions.py", "realm_client.py", "s3_server.py",
      ]),
    .tests(
      "RealmSwiftTests",
      uses: ["BSON", "Live", "Model", "Query", "RealmSwift", "Seeded", "Storage", "TestSupport"]),
    .tests("ArchitectureTests", uses: ["TestSupport"]),
  ],
  swiftLanguageModes: [.v6]
)

// What only the benchmarks need is built only for them.
if Context.environment["GATEHOUSE_BENCH"] != nil {
  package.targets.append(
    .executableTarget(
      name: "server-bench", dependencies: modules(["HTTP", "Server"]), path: "Scripts/bench.d/server",
      exclude: ["allocations.c", "bare.c", "idle.py"], swiftSettings: strict))
  package.targets.append(
    .executableTarget(
      name: "query-bench",
      dependencies: modules(["BSON", "Conformance", "Model", "Query", "SQLite", "Storage"]),
      path: "Scripts/bench.d/query", swiftSettings: strict))
  package.targets.append(
    .executableTarget(
      name: "cluster-bench", dependencies: modules(["Cluster"]), path: "Scripts/bench.d/cluster.d",
      exclude: ["publish.c"], swiftSettings: strict))
  package.targets.append(
    .executableTarget(
      name: "capture-bench",
      dependencies: modules(["API", "BSON", "HTTP", "Model", "Server", "Storage"]),
      path: "Scripts/bench.d/capture", exclude: ["create.lua"], swiftSettings: strict))
  package.targets.append(
    .executableTarget(
      name: "owners-bench", dependencies: modules(["BSON", "Feeds", "Model", "Storage"]),
      path: "Scripts/bench.d/owners", swiftSettings: strict))
  package.targets.append(
    .executableTarget(
      name: "triggers-bench",
      dependencies: modules(["BSON", "Functions", "Model", "Storage", "Telemetry", "Triggers"]),
      path: "Scripts/bench.d/triggers", swiftSettings: strict))
  package.targets.append(
    .executableTarget(
      name: "swift-bench", dependencies: modules(["CSQLite", "RealmSwift"]), path: "Scripts/bench.d/swift",
      swiftSettings: strict))
}

// Only the tests that are to run, and what they need, are built for the sanitizers.
if let tests = Context.environment["GATEHOUSE_SANITIZE"] {
  var needed = Set(tests.split(separator: ",").map(String.init))
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
      name: "fuzzer", dependencies: modules(["FuzzTargets"]), path: "Tests/Fuzzer",
      swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])]))
}
