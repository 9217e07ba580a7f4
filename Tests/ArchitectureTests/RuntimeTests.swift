import Testing

/// The files that may reach the system's scheduler, clock, random numbers and disk by themselves. Everything else is handed
/// what it needs, or takes it from one of these, so that a simulation can put its own in their place.
struct RuntimeTests {
  /// A way to the system, and the files that may go it.
  struct Way: Sendable, CustomTestStringConvertible {
    let pattern: String
    let files: Set<String>

    var testDescription: String { pattern }
  }

  /// Targets that no simulation runs: sockets, processes, the command line, live objects and their threads.
  private static let outside: Set<String> = [
    "App", "Functions", "Live", "Outbound", "Polling", "RealmSwift", "Server", "example", "gatehouse",
  ]

  static let ways = [
    Way(pattern: "DispatchQueue(", files: ["Sources/Scheduling/DispatchScheduler.swift"]),
    Way(pattern: "DispatchSemaphore(", files: []),
    Way(pattern: "sem_init(", files: ["Sources/Scheduling/SystemSignal.swift"]),
    Way(pattern: "DispatchSource.", files: ["Sources/Scheduling/DispatchScheduler.swift"]),
    Way(
      pattern: "clock_gettime(",
      files: [
        "Sources/BSON/Values/Date+Milliseconds.swift", "Sources/Crypto/ScryptCost+Time.swift",
        "Sources/SQLite/Connection+Limits.swift", "Sources/Scheduling/SystemSignal.swift",
        "Sources/Storage/Log/CommitClock.swift",
        "Sources/Telemetry/CalendarTime.swift", "Sources/Telemetry/MonotonicClock.swift",
      ]),
    Way(pattern: "RAND_bytes(", files: ["Sources/Crypto/SecureRandom.swift"]),
    Way(pattern: "sqlite3_open_v2(", files: ["Sources/SQLite/Connection.swift"]),
    Way(
      pattern: "usleep(",
      files: ["Sources/Storage/Pins/PinPool.swift", "Sources/Storage/State/StoreView.swift"]),
    Way(
      pattern: "fdatasync(", files: ["Sources/Storage/State/LogSync.swift"]),
    Way(
      pattern: "fsync(", files: ["Sources/Storage/Maintenance/StoreSnapshot+Backup.swift"]),
  ]

  @Test(arguments: ways) func `the system is reached from few files`(way: Way) throws {
    var found: Set<String> = []
    for file in try SourceFile.all(in: "Sources") where !Self.outside.contains(file.target) {
      let isThere = file.code(with: "(").contains { _, text in
        text.ranges(of: way.pattern).contains { range in
          // Not the end of a longer name.
          range.lowerBound == text.startIndex
            || !(text[text.index(before: range.lowerBound)].isLetter
              || text[text.index(before: range.lowerBound)] == "_")
        }
      }
      if isThere { found.insert(file.path) }
    }
    #expect(found == way.files)
  }
}
