import GatehouseBSON
import GatehouseStorage
import Testing

@testable import GatehouseApp

/// Backups that are made beside each other, and beside those who remove them.
struct BackupWriterTests {
  private static let schema = """
    [{"name": "Node", "primaryKey": "_id", "properties": {"_id": "int", "label": "string"}}]
    """

  private func store(_ shell: Shell, _ range: Range<Int>) async throws {
    if !shell.exists("data") {
      try shell.write(Self.schema, to: "schema.json")
      #expect(try await shell.run("schema apply @/schema.json").code == 0)
    }
    let lines = range.map { #"{"_id":\#($0),"label":"\#(String(repeating: "\($0) ", count: 90))"}"# + "\n" }
      .joined()
    try shell.write(lines, to: "nodes.ndjson")
    #expect(try await shell.run("import Node @/nodes.ndjson").code == 0)
  }

  private func restore(_ place: MemoryPlace, _ shell: Shell, to name: String) async throws {
    let newest = try #require(place.names(in: .backups).compactMap(BackupName.init).max())
    let reader = BackupReader(place: place, backup: try await StoredBackup.read(newest, from: place))
    try await Restoration(into: "\(shell.folder)/\(name)").run(reader.manifest) { entry, path in
      try await reader.copy(entry, to: path) { _ in }
    }
  }

  @Test func `rounds write what changed, and nothing where nothing did`() async throws {
    try await Shell.with { shell in
      try await store(shell, 0..<5000)
      let place = MemoryPlace()
      let writer = BackupWriter(of: "\(shell.folder)/data", to: place, program: "test")
      let first = try #require(try await writer.run { _, _ in })
      #expect(first.bytes > 1_000_000)
      let before = place.names(in: .backups)
      #expect(try await writer.run { _, _ in } == nil)
      #expect(place.names(in: .backups) == before)
      for round in 0..<4 {
        try await store(shell, (5000 + round * 10)..<(5010 + round * 10))
        let next = try #require(try await writer.run { _, _ in })
        #expect(next.bytes < 200_000, "\(round)")
        try await restore(place, shell, to: "new\(round)")
        let exported = try await shell.run("export Node --data @/new\(round)")
        #expect(exported.output.split(separator: "\n").count == 5010 + round * 10)
        let check = try await shell.run("check --data @/new\(round)")
        #expect(check.error == "no faults\n")
      }
    }
  }

  @Test func `another process takes the parts that are there`() async throws {
    try await Shell.with { shell in
      try await store(shell, 0..<5000)
      let place = MemoryPlace()
      _ = try await BackupWriter(of: "\(shell.folder)/data", to: place, program: "test").run { _, _ in }
      let again = try await BackupWriter(of: "\(shell.folder)/data", to: place, program: "test").run { _, _ in
      }
      #expect((again?.bytes ?? .max) < 4_000)
      try await restore(place, shell, to: "new")
      #expect(try await shell.run("check --data @/new").error == "no faults\n")
    }
  }

  /// The moment is just before the manifest is written: everything that it needs has been found or written.
  @Test func `a backup that relies on one that is removed meanwhile is none, and the next one is whole`()
    async throws
  {
    try await Shell.with { shell in
      try await store(shell, 0..<100)
      let place = MemoryPlace()
      let writer = BackupWriter(of: "\(shell.folder)/data", to: place, program: "test")
      let first = try #require(try await writer.run { _, _ in }).name
      try await store(shell, 100..<200)
      place.observe { path in
        if path.hasPrefix("backups/") { place.remove(first.text, in: .backups) }
      }
      await #expect(throws: CommandError.backup("backups/\(first.text)", .removed)) {
        _ = try await writer.run { _, _ in }
      }
      #expect(place.names(in: .backups) == [])
      place.observe(nil)
      for name in place.names(in: .blobs) { place.remove(name, in: .blobs) }
      _ = try #require(try await writer.run { _, _ in })
      try await restore(place, shell, to: "new")
      #expect(try await shell.run("check --data @/new").error == "no faults\n")
    }
  }

  @Test func `whoever removes backups keeps what a backup that is being made has written`() async throws {
    try await Shell.with { shell in
      try await store(shell, 0..<100)
      let place = MemoryPlace()
      let writer = BackupWriter(of: "\(shell.folder)/data", to: place, program: "test")
      _ = try await writer.run { _, _ in }
      let orphan = BlobName(of: [1], by: BackupRun(now: .now))
      place.write([1], as: orphan.text, in: .blobs)
      var cleanup = BackupCleanup()
      #expect(try await cleanup.run(in: place, .count(1), now: .now) == 0)
      #expect(place.names(in: .blobs).contains(orphan.text))
      // Two days later it is nobody's; what a backup needs stays for ever.
      let count = place.names(in: .blobs).count
      var later = BackupCleanup()
      let time = Date(seconds: Date.now.seconds + 2 * 86_400)
      #expect(try await later.run(in: place, .count(1), now: time) == 0)
      #expect(place.names(in: .blobs).count == count - 1)
      try await restore(place, shell, to: "new")
    }
  }

  /// By the numbers of pages alone: a store of that size would take minutes.
  @Test func `the page that SQLite never writes is zero`() throws {
    let collector = PageCollector(since: [])
    let page = [UInt8](repeating: 1, count: SnapshotPages.pageSize)
    let count = SnapshotPages.unwritten + 2
    for number in [0, 1, count - 1] { page.withUnsafeBytes { collector.take(number, $0) } }
    // Others are missing.
    #expect(throws: StorageError.corrupt("pages")) { try collector.finish(count: count) }
    #expect(SnapshotPages.unwritten == 262_144)
    let numbers = collector.takePieces().flatMap { piece in
      stride(from: 0, to: piece.bytes.count, by: BlobName.recordSize).map { start in
        piece.bytes[start..<(start + 4)].reduce(0) { $0 << 8 | Int($1) }
      }
    }
    #expect(numbers == [0, 1, count - 1, SnapshotPages.unwritten])
  }
}
