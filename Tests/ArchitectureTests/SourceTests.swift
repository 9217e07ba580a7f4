import Testing

/// Rules about the text of the sources.
struct SourceTests {
  @Test func `no file is longer than 500 lines`() throws {
    for file in try SourceFile.all(in: "Sources") + SourceFile.all(in: "Tests") {
      #expect(file.lines.count <= 501, "\(file.path) has \(file.lines.count - 1) lines")
    }
  }

  @Test func `nothing is left for later in the sources`() throws {
    let mark = "TO" + "DO"
    for file in try SourceFile.all(in: "Sources") + SourceFile.all(in: "Tests") {
      for (offset, line) in file.lines.enumerated()
      where line.utf8.contains(UInt8(ascii: "T")) && line.contains(mark) {
        Issue.record("\(file.path):\(offset + 1) \(line)")
      }
    }
  }

  @Test func `no conflict of a merge is left in any text`() throws {
    let texts = try ["Sources", "Tests", "Scripts", "openapi", "docker"].flatMap(SourceFile.others)
    let swift = try SourceFile.all(in: "Sources") + SourceFile.all(in: "Tests")
    let pages = try ["Sources", "README.md", "CHANGELOG.md"].flatMap(SourceFile.pages)
    let marks = ["<" + "<<<<<< ", ">" + ">>>>>> "]
    for file in texts + swift + pages {
      let found = file.lines.filter { line in marks.contains { line.hasPrefix($0) } }
      #expect(found.isEmpty, "\(file.path) \(found)")
    }
  }

  // `as!` and implicitly unwrapped types included.
  @Test func `nothing is forced unless a comment proves it`() throws {
    for file in try SourceFile.all(in: "Sources") {
      for (number, text) in file.code(with: "!")
      where text.contains(/\btry!|\bas!|[\w\)\]]!(?=[\s.,;:)\]\[}?]|$)/) {
        let above = number >= 2 ? file.lines[number - 2] : ""
        let isProven = text.contains("//") || above.contains("//") || isInString(text)
        #expect(isProven, "\(file.path):\(number) \(text)")
      }
    }
  }

  // The sentence stands in the comment above the declaration, or at the top of its body.
  @Test func `an unchecked Sendable says why`() throws {
    for file in try SourceFile.all(in: "Sources") {
      for (number, text) in file.code(with: "@") where text.contains("@unchecked Sendable") {
        let above = file.lines[..<(number - 1)].reversed().prefix { $0.contains("//") }
        let below = file.lines[number...].prefix { $0.contains("//") }
        #expect(
          (above + below).contains { $0.contains(#/(?://|[.:]) Because /#) },
          "\(file.path):\(number) has no sentence that starts with 'Because'")
      }
    }
  }

  /// All of them, so that a new one is seen in review.
  @Test func `the unchecked Sendables are these`() throws {
    var found: [String] = []
    for file in try SourceFile.all(in: "Sources") {
      found += file.code(with: "@").filter { $0.text.contains("@unchecked Sendable") }.map { _ in file.path }
    }
    #expect(found == SourceTests.uncheckedSendables)
  }

  static let uncheckedSendables = [
    "Sources/API/Calls/DataAccess.swift",
    "Sources/API/Calls/EventAccess.swift",
    "Sources/API/Calls/FunctionAccess.swift",
    "Sources/API/Calls/SessionValidity.swift",
    "Sources/API/DataSource/WatchCollection.swift",
    "Sources/API/Events/EventStream.swift",
    "Sources/API/Events/ReadRecorder.swift",
    "Sources/API/Events/ShardedEventStream.swift",
    "Sources/API/Events/ShardedEventStream.swift",
    "Sources/API/Gateway.swift",
    "Sources/API/Shards/ShardMerge.swift",
    "Sources/App/Apps/AppRouter.swift",
    "Sources/Cluster/NATS/NATSLog.swift",
    "Sources/Cluster/Sockets/TLSClientContext.swift",
    "Sources/Cluster/Sockets/TLSClientSession.swift",
    "Sources/Crypto/KeyHandle.swift",
    "Sources/Feeds/Delivery/LoopBroker.swift",
    "Sources/Feeds/Delivery/MultiplexLoop.swift",
    "Sources/Feeds/Delivery/MultiplexedStream.swift",
    "Sources/Feeds/Delivery/StreamMember.swift",
    "Sources/Feeds/Delivery/Subscriber.swift",
    "Sources/Functions/Workers/PendingCall.swift",
    "Sources/Functions/Workers/Worker.swift",
    "Sources/HTTP/Messages/HeadBytes.swift",
    "Sources/Live/LiveRealm.swift",
    "Sources/Live/Results/LiveResults.swift",
    "Sources/Outbound/Transfer.swift",
    "Sources/RealmSwift/App/NetworkTransport.swift",
    "Sources/RealmSwift/Notifications/NotificationToken.swift",
    "Sources/RealmSwift/Notifications/NotificationToken.swift",
    "Sources/RealmSwift/Notifications/RealmChanges.swift",
    "Sources/RealmSwift/Observed/ObjectTracking.swift",
    "Sources/RealmSwift/Observed/ObservedValue.swift",
    "Sources/RealmSwift/Projections/Projection.swift",
    "Sources/RealmSwift/Realm/RealmFile.swift",
    "Sources/RealmSwift/Schema/ClassLayout.swift",
    "Sources/RealmSwift/Schema/KeyPathStrings.swift",
    "Sources/RealmSwift/Threads/ThreadSafeReference.swift",
    "Sources/RealmSwift/Threads/ThreadSafeReference.swift",
    "Sources/Scheduling/DispatchScheduler.swift",
    "Sources/Scheduling/SystemSignal.swift",
    "Sources/Server/Loop/EventLoop.swift",
    "Sources/Server/Loop/RequestStream.swift",
    "Sources/Server/Loop/RequestTask.swift",
    "Sources/Server/Loop/ResponseStream.swift",
    "Sources/Server/Loop/SocketConnection.swift",
    "Sources/Server/System/SignalSource.swift",
    "Sources/Server/TLS/TLSContext.swift",
    "Sources/Storage/Cache/AnonymousMapping.swift",
    "Sources/Storage/Cache/SetAssociativeCache.swift",
    "Sources/Storage/Cache/ShardedCache.swift",
    "Sources/Storage/Maintenance/BackgroundCheckpoint.swift",
    "Sources/Storage/Past/PastStore.swift",
    "Sources/Storage/Pins/Pin.swift",
    "Sources/Storage/Pins/PinPool.swift",
    "Sources/Storage/Pins/PinnedReader.swift",
    "Sources/Storage/Reading/Threads/ReaderPool.swift",
    "Sources/Storage/State/Published.swift",
    "Sources/Storage/Writing/Writer/Writer.swift",
    "Sources/Telemetry/Tally.swift",
  ]

  /// The folders of Storage whose job it is to spell SQL: statements that are fixed, and those made of queries.
  private static let sqlFolders = ["Storage/Statements", "Storage/SQL", "Storage/SQL/Predicates"]

  @Test func `SQL is spelled where statements are, or there is a reason`() throws {
    var reasons = StyleExceptions.sql
    for file in try SourceFile.all(in: "Sources") where !SourceTests.sqlFolders.contains(file.folder) {
      let lines = file.sqlLines
      guard !lines.isEmpty, StyleExceptions.sql[file.folder] == nil else {
        if !lines.isEmpty { reasons[file.folder] = nil }
        continue
      }
      for (number, text) in lines { Issue.record("\(file.path):\(number) \(text)") }
    }
    #expect(reasons.isEmpty, "no longer spells SQL: \(reasons.keys.sorted())")
  }

  @Test func `SQL is told from other texts`() {
    let file = SourceFile(
      path: "Sources/A/B.swift",
      lines: [
        #"let a = "SELECT 1""#, #"// "SELECT 1""#, #"let b = f("of", " (SELECT count(*) FROM t)")"#,
        #"let c = "SELECTION" + "Created" + "DELETE""#, #"let d = """"#, "  UPDATE t SET a = 1", "  Update",
        #"  """"#,
        "UPDATE t", #"let e = """#, #"let f = "BEGIN IMMEDIATE""#,
      ])
    #expect(file.sqlLines.map(\.number) == [1, 3, 6, 11])
  }

  @Test func `only the table of problem codes knows the status codes of errors`() throws {
    let home = "Sources/API/Problems/Problem+Code.swift"
    for target in ["BSON", "Model", "Query", "Storage", "API", "App"] {
      for file in try SourceFile.all(in: "Sources/\(target)") where file.path != home {
        for (number, text) in file.code(with: "(")
        where text.contains(/Status\(rawValue: *\d|\bstatus: *[1-5]\d\d\b|\.init\(rawValue: *[1-5]\d\d\)/) {
          Issue.record("\(file.path):\(number) \(text)")
        }
      }
    }
  }

  /// Otherwise backups would not have them: the store, the folder of other data directories, and the identity of an app in its cluster are
  /// no part of a backup's list.
  @Test func `files of a data directory are named by one list`() throws {
    var found: Set<String> = []
    for file in try SourceFile.all(in: "Sources/App") {
      for (_, text) in file.code(with: "/") {
        for match in text.matches(of: /\\\((?:\w+\.)?(?:data|dataDirectory|directory)\)\/([a-z][a-z_.-]*)/) {
          found.insert(String(match.1))
        }
      }
    }
    #expect(found == ["apps", "cluster", "gatehouse.db"])
  }

  @Test func `every target has its page`() throws {
    for row in Row.all where row.target != "gatehouse" && row.target != "example" {
      let page = "Sources/\(row.target)/\(row.target).docc/\(row.target).md"
      #expect(SourceFile.exists(page), "\(page) is missing")
    }
  }

  /// Whether the only exclamation marks of a line stand between quotes.
  private func isInString(_ text: String) -> Bool {
    !text.replacing(/"(?:[^"\\]|\\.)*"/, with: "").contains("!")
  }
}
