import GatehouseTestSupport
import Glibc
import Testing

/// `kill -9` during an import leaves a store that opens and holds only whole transactions.
struct KilledImportTests {
  /// The program is fed through a pipe that is never closed, so that it is killed at work and not at the end.
  @Test(arguments: [1, 400, 2000, 9000])
  func `an import of one transaction leaves nothing`(fed: Int) throws {
    let folder = try Sample.nodeStore()
    try killImport(options: [], fed: Sample.nodes(0..<fed), in: folder)
    #expect(try Sample.nodeKeys(folder).isEmpty)
  }

  @Test(arguments: [25, 1003, 3001, 7777])
  func `an import in batches leaves whole batches`(fed: Int) throws {
    let folder = try Sample.nodeStore()
    try killImport(options: ["--batch", "10"], fed: Sample.nodes(0..<fed), in: folder)
    let keys = try Sample.nodeKeys(folder)
    #expect(keys.count % 10 == 0 && keys.count <= fed)
    #expect(keys == Array(0..<Int64(keys.count)))
  }

  /// Moments that depend on nothing but time, also during the commit itself.
  @Test(arguments: [5, 20, 50, 80, 120, 200])
  func `an import killed at any moment is there or not`(milliseconds: UInt32) throws {
    let folder = try Sample.nodeStore()
    let file = try folder.write(Sample.nodes(0..<3000), to: "nodes.ndjson")
    let process = try ChildProcess(
      Gatehouse.path, ["import", "Node", file, "--data", folder.data], workingDirectory: folder.path,
      streams: [.read("/dev/null"), .write("/dev/null"), .write("/dev/null")])
    // Not to wait for something, but to choose the moment.
    usleep(milliseconds * 1000)
    process.send(SIGKILL)
    process.wait()
    let count = try Sample.nodeKeys(folder).count
    #expect(count == 0 || count == 3000)
  }

  private func killImport(options: [String], fed: String, in folder: Folder) throws {
    signal(SIGPIPE, SIG_IGN)
    let pipe = try Pipe()
    let process = try ChildProcess(
      Gatehouse.path, ["import", "Node", "-", "--data", folder.data] + options,
      workingDirectory: folder.path,
      streams: [.descriptor(pipe.reading), .write("/dev/null"), .write("/dev/null")])
    let isFed = pipe.write(fed)
    #expect(isFed)
    process.send(SIGKILL)
    #expect(process.wait() == -SIGKILL)
  }
}
