import Testing

/// The modules that one target may import. Nothing knows anything of a layer above its own.
struct Row: Sendable, CustomTestStringConvertible {
  let target: String
  /// Other targets of the package.
  let ours: Set<String>
  /// Modules of the system and of the toolchain.
  let system: Set<String>

  init(_ target: String, ours: Set<String> = [], system: Set<String> = []) {
    self.target = target
    self.ours = ours
    self.system = system
  }

  var testDescription: String { target }

  /// One row per target. This is the place to argue.
  ///
  /// BSON, HTTP and Telemetry each write hexadecimal digits, and BSON, SQLite and Telemetry each read a clock: ten lines
  /// of each. A target below them would be one more for every program that takes one of them, and a call across
  /// targets in their innermost loops; HTTP writes 16 digits at once, Telemetry writes into a line on the stack.
  static let all: [Row] = [
    // The clock, and the counter that distinguishes ObjectIDs.
    Row("BSON", system: ["Glibc", "Synchronization"]),
    Row("HTTP"),
    // The clock, for the time limit of statements.
    // A flag by which any thread stops a connection.
    Row("SQLite", ours: ["CSQLite"], system: ["Glibc", "Synchronization"]),
    // The clock of a thread, for what hashes of passwords cost.
    Row("Crypto", ours: ["COpenSSL"], system: ["Glibc"]),
    // Requests to others, and the thread that makes them.
    Row("Outbound", ours: ["CCurl"], system: ["Dispatch", "Glibc", "Synchronization"]),
    // The clock, and counters that every thread counts in.
    Row("Telemetry", system: ["Glibc", "Synchronization"]),
    // Waiting for descriptors.
    Row("Polling", ours: ["CPolling"], system: ["Glibc"]),
    // The queues that everything runs on, and semaphores; the simulator has its own.
    Row("Scheduling", ours: ["CLinux"], system: ["Dispatch", "Glibc"]),
    // Shares that every thread takes from.
    Row("Sharing", system: ["Synchronization"]),
    Row("Compression", system: ["Glibc"]),
    Row("Model", ours: ["BSON"]),
    // Trigonometry.
    Row("Query", ours: ["BSON", "Model"], system: ["Glibc"]),
    // Trigonometry, the digits of doubles, the system's time zones, which are kept in memory.
    Row("Documents", ours: ["BSON", "Model", "Query"], system: ["Glibc", "Synchronization"]),
    Row(
      "Storage",
      ours: ["BSON", "CMemory", "Model", "Query", "SQLite", "Scheduling", "Sharing", "Telemetry"],
      system: ["Glibc", "Synchronization"]),
    Row("Access", ours: ["BSON", "Crypto", "Model", "Query"]),
    // Counters, and what is handed from thread to thread.
    Row(
      "Feeds", ours: ["BSON", "Model", "Query", "Sharing", "Storage", "Telemetry"],
      system: ["Synchronization"]),
    // The state of a scope, which any thread may ask for.
    Row(
      "Audit", ours: ["BSON", "Crypto", "Model", "Query", "Sharing", "Storage"], system: ["Synchronization"]),
    // A thread that starts processes and talks to them, and callers that wait for these.
    Row(
      "Functions", ours: ["BSON", "CProcess", "Polling", "Sharing", "Telemetry"],
      system: ["Dispatch", "Glibc", "Synchronization"]),
    // Sockets to log servers, with TLS; the state of a node, which its lane and the store's writer share.
    Row(
      "Cluster", ours: ["BSON", "COpenSSL", "Crypto", "Outbound", "Scheduling", "Storage", "Telemetry"],
      system: ["Glibc", "Synchronization"]),
    // Files for browsers, which know nothing of the program that serves them.
    Row("Console"),
    Row(
      "Triggers", ours: ["BSON", "Documents", "Feeds", "Functions", "Storage", "Telemetry"],
      system: ["Synchronization"]),
    Row(
      "API",
      ours: [
        "Access", "Audit", "BSON", "Compression", "Console", "Crypto", "Documents", "Feeds", "Functions",
        "HTTP", "Model", "Outbound",
        "Query", "Scheduling", "Sharing", "Storage", "Telemetry", "Triggers",
      ],
      system: ["Synchronization"]),
    // Threads and queues that live Realms belong to.
    Row(
      "Live", ours: ["CRuntime", "Feeds", "Model", "Query", "Storage"],
      system: ["Dispatch", "Glibc", "Synchronization"]),
    // Programs have Foundation's values in their models: the only target that knows it, and so all of it, with `IndexSet`.
    Row(
      "RealmSwift", ours: ["Audit", "BSON", "Feeds", "Live", "Model", "Outbound", "Query", "Storage"],
      system: ["Dispatch", "Foundation", "Glibc", "Observation", "Synchronization"]),
    // Server and API never import each other: they meet in App.
    Row(
      "Server", ours: ["HTTP", "Polling", "Telemetry", "CLinux", "COpenSSL"],
      system: ["Dispatch", "Glibc", "Synchronization"]),
    Row(
      "App",
      ours: [
        "API", "Access", "Audit", "BSON", "Cluster", "Crypto", "Feeds", "Functions", "HTTP", "Model",
        "Outbound",
        "Query", "Server", "Sharing", "Storage", "Telemetry", "Triggers",
      ],
      system: ["Dispatch", "Glibc", "Synchronization"]),
    Row("gatehouse", ours: ["App"], system: ["Glibc"]),
    Row("example", ours: ["API", "BSON", "Functions", "HTTP", "Server", "Storage", "Telemetry"]),
  ]

  /// Module maps of the system's libraries: no Swift files, and one importer each, but for OpenSSL, which is two
  /// libraries: that of everything else, and that of TLS, which servers and clients use differently.
  static let libraries: Set<String> = [
    "CCurl", "CSQLite", "CLinux", "CMemory", "COpenSSL", "CPolling", "CProcess", "CRuntime",
  ]
}
