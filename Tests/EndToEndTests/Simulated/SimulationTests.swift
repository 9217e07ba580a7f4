import FoundationEssentials
import GatehouseTestSupport
import Glibc
import Testing

/// The gateway under faults that come from a seed: the short form of `Scripts/simulate`.
@Suite struct SimulationTests {
  /// SwiftPM builds it beside the program. It is no part of the tests: it has functions in the place of the C library's.
  private static let path =
    Gatehouse.path.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/simulate"

  @Test func `a seed is the same run each time`() throws {
    let runs = try (simulate(["--replay", "7"]), simulate(["--replay", "7"]))
    #expect(runs.0.status == 0, "\(runs.0.text)")
    #expect(runs.0.text.contains("\ntrace "))
    #expect(runs.0.text == runs.1.text)
    let other = try simulate(["--replay", "8"])
    #expect(other.text != runs.0.text)
  }

  @Test func `faults of the first seeds lose and make up nothing`() throws {
    let run = try simulate(["--seeds", "60", "--seconds", "40"])
    #expect(run.status == 0, "\(run.text)")
  }

  /// A line for each seed that has found something: its number, and the parameters that make the run small.
  @Test func `seeds that once found something find nothing any more`() throws {
    let corpus = try String(contentsOfFile: "\(Machine.root)/Tests/Corpus/simulation/seeds", encoding: .utf8)
    for line in corpus.split(separator: "\n") where !line.hasPrefix("#") {
      let words = line.split(separator: " ").map(String.init)
      let run = try simulate(["--replay"] + words)
      #expect(run.status == 0, "\(run.text)")
    }
  }

  private func simulate(_ arguments: [String]) throws -> (status: Int32, text: String) {
    try #require(access(Self.path, X_OK) == 0, "`swift build --product simulate` makes it")
    let folder = try Folder()
    let output = folder.file("output")
    let process = try ChildProcess(
      Self.path, arguments, workingDirectory: folder.path,
      streams: [.read("/dev/null"), .write(output), .write("/dev/null")])
    return (process.wait(), try folder.contents(output))
  }
}
