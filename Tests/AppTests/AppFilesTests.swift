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
