import GatehouseBSON
import GatehouseFunctions
import GatehouseStorage
import GatehouseTelemetry
import GatehouseTestSupport
import GatehouseTriggers
import Synchronization
import Testing

@testable import GatehouseApp

/// Parts of an app that files say.
struct AppFilesTests {
  @Test func `a trigger whose secret is not there leaves the others alone`() async throws {
    try await Shell.with { shell in
      let hook =
        #"{"name":"NAME","type":"AUTHENTICATION","config":{"operation_type":"LOGIN","providers":["anon-user"]},"#
        + #""event_processors":{"WEBHOOK":{"config":{"url":"https://example.org/","secret_name":"NAME"}}}}"#
      _ = Machine.run("mkdir -p '\(shell.folder)/d/triggers' '\(shell.folder)/d/auth/secrets'")
      for name in ["a", "b"] {
        _ = try shell.write(hook.replacing("NAME", with: name), to: "d/triggers/\(name).json")
      }
      _ = try shell.write("open sesame", to: "d/auth/secrets/b")
      let directory = "\(shell.folder)/d"
      let warnings = Mutex<[String]>([])
      let actions = TriggerActions { (_) throws(FunctionError) in .null }
      let runner = TriggerRunner(try Store(directory: directory), metrics: Registry(), actions)
      let files = AppFiles(triggersIn: directory, AppTriggers(runner)) { text in
        warnings.withLock { $0.append(text) }
      }
      #expect(try files.read().map(\.name) == ["b"])
      #expect(
        warnings.withLock(\.self) == ["the trigger a is not called: auth/secrets/a is not there"])
    }
  }
}

/// Files that are taken while somebody else takes them, too.
@Suite struct SerialFilesTests {
  /// A file whose first taking waits, after it has been read, for a gate.
  private final class SlowFile: WatchedFiles {
    private struct State {
      var text = ""
      var taken: [String] = []
      var readings = 0
    }

    private let state = Mutex(State())
    let gate: AsyncStream<Void>
    private let opening: AsyncStream<Void>.Continuation

    init() { (gate, opening) = AsyncStream.makeStream() }

    var stamp: FileStamp { FileStamp(of: []) }
    var readings: Int { state.withLock(\.readings) }
    var taken: [String] { state.withLock(\.taken) }

    func write(_ text: String) { state.withLock { $0.text = text } }
    func open() { opening.finish() }

    func reload() async {
      let (text, isFirst) = state.withLock { state in
        state.readings += 1
        return (state.text, state.readings == 1)
      }
      if isFirst { for await _ in gate {} }
      state.withLock { $0.taken.append(text) }
    }
  }

  private func until(_ isSo: () -> Bool) async {
    for _ in 0..<100_000 where !isSo() { try? await Task.sleep(for: .milliseconds(1)) }
  }

  @Test func `what was read last is what stays, whoever takes files at once`() async {
    let file = SlowFile()
    let files = SerialFiles(file)
    file.write("old")
    async let first: Void = files.reload()
    await until { file.readings > 0 }
    file.write("new")
    async let second: Void = files.reload()
    for _ in 0..<1_000 { await Task.yield() }
    file.open()
    _ = await (first, second)
    #expect(file.taken == ["old", "new"])
  }

  @Test func `files that take long keep no others waiting that change later`() async {
    let (slow, quick) = (SlowFile(), SlowFile())
    quick.open()
    let path = "\(Machine.scratch)/gatehouse-\(ObjectID.generate())"
    defer { _ = Machine.run("rm -f '\(path)' '\(path)2'") }
    struct Stamped: WatchedFiles {
      let files: SlowFile
      let path: String
      var stamp: FileStamp { FileStamp(of: [path]) }
      func reload() async { await files.reload() }
    }
    let parts = [Stamped(files: slow, path: path), Stamped(files: quick, path: path + "2")]
    let rounds = Mutex(0)
    var watch = FileWatch(parts.map { ($0, $0.stamp) })
    watch.pause = { _ in
      let round = rounds.withLock { rounds in
        rounds += 1
        return rounds
      }
      switch round {
      case 1: _ = Machine.run("echo > '\(path)'")
      case 2:
        await until { slow.readings > 0 }
        _ = Machine.run("echo > '\(path)2'")
      default:
        // The second file is taken, and the first one is still.
        await until { !quick.taken.isEmpty }
        #expect(quick.taken.count == 1 && slow.taken.isEmpty)
        slow.open()
        throw CancellationError()
      }
    }
    await watch.run()
    #expect(slow.taken.count == 1)
  }
}
