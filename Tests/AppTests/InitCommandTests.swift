import GatehouseAPI
import GatehouseAccess
import GatehouseBSON
import GatehouseCrypto
import GatehouseFunctions
import GatehouseModel
import GatehouseStorage
import GatehouseTelemetry
import GatehouseTestSupport
import GatehouseTriggers
import Testing

@testable import GatehouseApp

/// Directories to begin from, and the files of configuration in them.
@Suite struct InitCommandTests {
  @Test func `a directory gets files that all mean something`() async throws {
    try await Shell.with { shell in
      let outcome = try await shell.run("init @/new")
      #expect(outcome.code == 0)
      #expect(outcome.output.hasPrefix("@/new has gatehouse.json, schema.json, auth/roles.json, "))
      let directory = "\(shell.folder)/new"
      _ = try Settings(SettingsSources(Environment([]), flags: [("--data", directory)]))
      let schema = try Schema(notation: try JSONFile.value(at: "\(directory)/schema.json"))
      let auth = AuthFolder(directory)
      try #require(try auth.roles).validate(in: schema)
      #expect(try auth.providers?.allowsKeys == true)
      var configuration = FunctionConfiguration()
      configuration.directory = "\(directory)/functions"
      let host = FunctionHost(configuration)
      #expect(try host.functions().map { $0.name } == ["openNotes", "tagUrgent"])
      let actions = TriggerActions { (_) throws(FunctionError) in .null }
      let runner = TriggerRunner(try Store(directory: directory), metrics: Registry(), actions)
      #expect(try AppFiles(triggersIn: directory, AppTriggers(runner)).read().map(\.name) == ["tagUrgent"])
    }
  }

  @Test func `what is there is not overwritten, and nothing else is written`() async throws {
    try await Shell.with { shell in
      try shell.write("[]", to: "schema.json")
      let outcome = try await shell.run("init @")
      #expect(
        outcome == Shell.Outcome(code: 1, error: "gatehouse: cannot write @/schema.json: File exists\n"))
      #expect(try shell.read("schema.json") == "[]")
      #expect(!shell.exists("gatehouse.json"))
    }
  }

  @Test(arguments: FileFormat.allCases)
  func `the format of each file is described`(format: FileFormat) async throws {
    try await Shell.with { shell in
      let outcome = try await shell.run("describe \(format.rawValue)")
      #expect(outcome.code == 0)
      guard case .document(let schema) = try Value(json: outcome.output) else { return }
      #expect(schema["$schema"] == .string("https://json-schema.org/draft/2020-12/schema"))
    }
  }

  @Test func `of another file there is no description`() async throws {
    try await Shell.with { shell in
      let outcome = try await shell.run("describe x")
      #expect(outcome.code == 2)
      #expect(outcome.error.hasPrefix("gatehouse: FILE must be settings, schema, roles, "))
    }
  }

  @Test func `the settings of a data directory are read where nothing else is named`() throws {
    let folder = try scratch()
    defer { _ = Machine.run("rm -r '\(folder)'") }
    #expect(Machine.run("echo '{\"limits\": {\"idleSeconds\": 7}}' > '\(folder)/gatehouse.json'").status == 0)
    let settings = try Settings(SettingsSources(Environment([("GATEHOUSE_DATA", folder)]), flags: []))
    #expect((settings.data, settings.idleSeconds) == (folder, 7))
  }

  @Test func `roles and providers that change are taken, and those with an error are not`() async throws {
    let folder = try scratch()
    defer { _ = Machine.run("rm -r '\(folder)'") }
    let store = try Store(directory: folder)
    let notation = try Value(json: #"[{"name": "A", "primaryKey": "i", "properties": {"i": "int"}}]"#)
    _ = try await store.apply(try Schema(notation: notation), destructive: false)
    let access = try AccessControl(store)
    let cost = try ScryptCost(iterations: 2, blockSize: 1, parallelism: 1)
    let users = try await Users(store, providers: .none, cost: cost)
    let warnings = Warnings()
    var files = AccessFiles(folder: AuthFolder(folder), access: access, users: users)
    files.warn = { warnings.append($0) }
    let steps = [
      (#"{"member": {"classes": {"A": {"read": true}}}}"#, true, 0),
      ("{\"member\": {\"classes\":\n{\"B\": {\"read\": true}}}}", true, 1),
      ("{", true, 2),
      ("{}", false, 2),
    ]
    _ = Machine.run("mkdir '\(folder)/auth'")
    let round = Warnings()
    var watch = FileWatch([(files, files.stamp)])
    watch.pause = { _ in
      let index = round.texts.count
      if index > 0, index <= steps.count {
        let isTaken = {
          access.hasRole("member") == steps[index - 1].1 && warnings.texts.count == steps[index - 1].2
        }
        for _ in 0..<1_000_000 where !isTaken() { await Task.yield() }
        #expect(access.hasRole("member") == steps[index - 1].1)
        #expect(warnings.texts.count == steps[index - 1].2)
      }
      guard index < steps.count else { throw CancellationError() }
      round.append("")
      #expect(Machine.run("printf '%s' '\(steps[index].0)' > '\(folder)/auth/roles.json'").status == 0)
    }
    await watch.run()
    #expect(
      warnings.texts.first?.contains(
        "auth/roles.json, line 2: /member/classes/B: The schema has no such class.") == true)
    await store.close()
  }

  private func scratch() throws -> String {
    let folder = "\(Machine.scratch)/gatehouse-\(ObjectID.generate())"
    _ = Machine.run("mkdir '\(folder)'")
    return folder
  }
}
