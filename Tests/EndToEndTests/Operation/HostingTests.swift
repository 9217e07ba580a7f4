import FoundationEssentials
import GatehouseTestSupport
import Testing

/// A web site beside the API, and contents that are compressed, as a client in Python sees them.
@Suite(.enabled(if: Geonames.python != nil, "python3 is not there"))
struct HostingTests {
  @Test func `files of a folder are served, and text is compressed for those who ask for it`() throws {
    let folder = try Sample.nodeStore()
    let nodes = try folder.write(Sample.nodes(0..<2_000), to: "nodes.ndjson")
    let imported = try Gatehouse.run(["import", "Node", nodes, "--data", folder.data], in: folder)
    try #require(imported.status == 0, "\(imported.error)")
    try FileManager.default.createDirectory(atPath: folder.file("site"), withIntermediateDirectories: true)
    let server = try RunningServer(
      folder, options: ["--hosting", folder.file("site"), "--hosting-fallback", "index.html"])
    let output = folder.file("said")
    let process = try ChildProcess(
      Geonames.python ?? "python3",
      ["\(Machine.root)/Tests/EndToEndTests/hosting.py", "\(server.port)", folder.file("site")],
      environment: [Machine.path], workingDirectory: folder.path,
      streams: [.read("/dev/null"), .write(output), .write(folder.file("error"))])
    let status = process.wait()
    let said = try folder.contents(output) + folder.contents(folder.file("error"))
    #expect(status == 0 && said == "all right\n", "\(said)")
    #expect(server.stop() == 0)
  }

  @Test func `a folder that is not there is told when the server starts`() throws {
    let folder = try Sample.nodeStore()
    let outcome = try Gatehouse.run(
      ["serve", "--data", folder.data, "--listen", "127.0.0.1:0", "--hosting", "nowhere"], in: folder)
    #expect(outcome.status != 0 && outcome.error.contains("nowhere"), "\(outcome)")
  }

  @Test(arguments: [".", "data", "data/functions"])
  func `a folder with the database, or beside it, is no web site`(hosting: String) throws {
    let folder = try Sample.nodeStore()
    try FileManager.default.createDirectory(
      atPath: folder.file("data/functions"), withIntermediateDirectories: true)
    let outcome = try Gatehouse.run(
      ["serve", "--data", folder.data, "--listen", "127.0.0.1:0", "--hosting", hosting], in: folder)
    #expect(outcome.status != 0 && outcome.error.contains("the data directory"), "\(outcome)")
  }
}
