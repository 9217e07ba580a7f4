import FoundationEssentials
import GatehouseTestSupport
import Testing

/// A real browser, as Debian packages it.
enum Browser {
  /// Nil where there is none, which is said once.
  static let path: String? = {
    let found = Machine.program("chromium", "chromium-browser")
    if found == nil { print("Skipping the test with a browser: no chromium.") }
    return found
  }()
}

@Suite(.enabled(if: FaultInjection.isAvailable && Browser.path != nil))
struct BrowserTests {
  @Test func `an EventSource that loses the server gets every event once it is back`() throws {
    let (status, said) = try run("browser.py")
    #expect(status == 0 && said.contains("none lost, none twice"), "\(said)")
  }

  @Test func `a page watches eleven things over two connections, and shows one version of them`() throws {
    let (status, said) = try run("many_subscriptions.py")
    #expect(status == 0 && said.contains("all right"), "\(said)")
  }

  /// Runs a script with the program, the browser and a folder; returns its status and what it printed.
  private func run(_ name: String) throws -> (status: Int32, said: String) {
    let folder = try Folder()
    let script = "\(Machine.root)/Tests/EndToEndTests/\(name)"
    let output = folder.file("said")
    let process = try ChildProcess(
      Geonames.python ?? "python3", [script, Gatehouse.path, Browser.path ?? "", folder.path],
      environment: [Machine.path, "HOME=\(folder.path)"], workingDirectory: folder.path,
      streams: [.read("/dev/null"), .write(output), .write(folder.file("error"))])
    let status = process.wait()
    return (status, try folder.contents(output) + folder.contents(folder.file("error")))
  }
}
