import FoundationEssentials
import GatehouseTestSupport
import Glibc
import Testing

/// `kill -9` during migrations leaves whole steps, and the next run goes on behind them.
struct KilledMigrationTests {
  private static let steps = 5
  private static let objects = 1000

  /// Steps that each add 1 to a property of all objects: one that took place twice, or in part, would show.
  private static func folder() throws -> Folder {
    let folder = try Sample.nodeStore()
    let file = try folder.write(Sample.nodes(0..<objects), to: "nodes.ndjson")
    let outcome = try Gatehouse.run(["import", "Node", file, "--data", folder.data], in: folder)
    try #require(outcome.status == 0, "\(outcome.error)")
    try FileManager.default.createDirectory(
      atPath: folder.file("data/migrations"), withIntermediateDirectories: true)
    let schema = Sample.nodeSchema.replacing(#""_id": "int","#, with: #""_id": "int", "n": "int","#)
    _ = try folder.write(
      #"{"schema": \#(schema), "data": [{"class": "Node", "set": {"n": "1"}}]}"#,
      to: "data/migrations/0001_count.json")
    for step in 2...steps {
      _ = try folder.write(
        #"{"data": [{"class": "Node", "set": {"n": "n + 1"}}]}"#, to: "data/migrations/000\(step)_add.json")
    }
    return folder
  }

  /// How many steps the objects show, which must be the same for all of them.
  private static func shown(_ folder: Folder) throws -> Int {
    let exported = try Gatehouse.run(["export", "Node", "--data", folder.data], in: folder)
    try #require(exported.status == 0, "\(exported.error)")
    let counts = try Set(exported.lines.map { line in try JSON(line)["n"].map { "\($0)" } ?? "none" })
    try #require(counts.count == 1 && exported.lines.count == objects, "\(counts)")
    return (0...steps).first { counts == ["\(JSON.int(Int64($0)))"] } ?? 0
  }

  /// Moments that depend on nothing but time, also during a commit itself.
  @Test(arguments: [20, 60, 150, 300, 500])
  func `a killed migration goes on behind the last step that is there`(milliseconds: UInt32) throws {
    let folder = try Self.folder()
    let arguments = ["migrate", "--data", folder.data]
    var last = 0
    for _ in 0..<2 {
      let process = try ChildProcess(
        Gatehouse.path, arguments, workingDirectory: folder.path,
        streams: [.read("/dev/null"), .write("/dev/null"), .write("/dev/null")])
      // Not to wait for something, but to choose the moment.
      usleep(milliseconds * 1000)
      process.send(SIGKILL)
      process.wait()
      let shown = try Self.shown(folder)
      #expect(shown >= last)
      last = shown
    }
    let rest = try Gatehouse.run(arguments, in: folder)
    #expect(rest.status == 0, "\(rest.error)")
    #expect(rest.lines.filter { $0.contains(": version ") }.count == Self.steps - last)
    #expect(try Self.shown(folder) == Self.steps)
    #expect(try Gatehouse.run(["check", "--data", folder.data], in: folder).status == 0)
  }
}
