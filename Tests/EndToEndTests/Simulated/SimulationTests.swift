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

  @Test(arguments: [
    ["--replay", "14"], ["--replay", "14", "--nodes", "3"], ["--replay", "7", "--sizes", "small"],
  ])
  func `a run is the same whether its trace is written or not`(arguments: [String]) throws {
    let (plain, traced) = try (simulate(arguments), simulate(arguments + ["--trace"]))
    let digest = try #require(plain.text.split(separator: "\n").last { $0.hasPrefix("trace ") })
    #expect(traced.text.split(separator: "\n").last { $0.hasPrefix("trace ") } == digest)
    #expect(traced.text.count > 3 * plain.text.count)
  }

  @Test func `faults of the first seeds lose and make up nothing`() throws {
    let run = try simulate(["--seeds", "40", "--seconds", "15"])
    #expect(run.status == 0, "\(run.text)")
  }

  @Test(arguments: ["1", "3"])
  func `faults of many small worlds lose and make up nothing`(nodes: String) throws {
    let run = try simulate(["--sizes", "small", "--nodes", nodes, "--seeds", "200", "--seconds", "6"])
    #expect(run.status == 0, "\(run.text)")
  }

  @Test func `the nodes of a cluster lose and make up nothing, and become the same`() throws {
    let run = try simulate(["--nodes", "3", "--seeds", "20", "--seconds", "12"])
    #expect(run.status == 0, "\(run.text)")
  }

  @Test func `a run that fails is made smaller, and the smallest one fails in the same way each time`() throws
  {
    let features = ["streams", "intruder", "users", "care", "rights", "scopes", "damage", "lulls", "schema"]
    let failing =
      [
        "--replay", "7", "--versions", "4", "--clients", "2", "--requests", "10", "--watchers", "1",
        "--faults", "1",
      ]
      + features.flatMap { ["--\($0)", "0"] }
    let run = try simulate(failing + ["--minimize"])
    #expect(run.status == 1, "\(run.text)")
    let lines = run.text.split(separator: "\n").map(String.init)
    let smallest = try #require(lines.first { $0.hasPrefix("smallest: ") }, "\(run.text)")
    #expect(smallest.contains(" 0 crashes, 0 faults, 0 watchers"))
    let command = try #require(lines.first { $0.hasPrefix("  Scripts/simulate --replay 7 ") }, "\(run.text)")
    let arguments = command.split(separator: " ").map(String.init).dropFirst().filter { $0 != "--trace" }
    let again = try simulate(Array(arguments))
    #expect(again.status == 1, "\(again.text)")
    // The step, the time and the trace of the failure are the same ones.
    let failure = try #require(lines.last { $0.contains("the log has more than 4 versions") }, "\(run.text)")
    #expect(failure.contains("step ") && again.text.contains(failure), "\(again.text)")
    let trace = try #require(
      lines.last { $0.hasPrefix("trace ") }?.split(separator: ",").first, "\(run.text)")
    #expect(again.text.contains(trace), "\(again.text)")
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

  @Test(.enabled(if: Geonames.python != nil, "needs python3"))
  func `bugs that are planted have their places`() {
    let check = Machine.run("python3 '\(Machine.root)/Scripts/simulate.d/bugs.py' check 2>&1")
    #expect(check.status == 0, "\(check.output)")
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
