import FoundationEssentials
import GatehouseTestSupport
import Testing

/// A server as administrators see it over HTTP: settings, slow queries, tasks, calls of functions.
struct FromAfarTests {
  private func started(_ folder: Folder, options: [String] = []) throws -> RunningServer {
    let nodes = try folder.write(Sample.nodes(0..<5_000), to: "nodes.ndjson")
    let imported = try Gatehouse.run(["import", "Node", nodes, "--data", folder.data], in: folder)
    try #require(imported.status == 0, "\(imported.error)")
    return try RunningServer(folder, options: options, environment: [Machine.path])
  }

  /// Begins a task, and returns its state once it has ended.
  private func run(_ task: String, on server: RunningServer) throws -> JSON {
    let begun = try server.send("POST", "/v1/tasks/\(task)", body: "{}")
    #expect(begun.status == "202 Accepted", "\(begun)")
    while true {
      let tasks = try server.send("GET", "/v1/tasks").json
      guard case .array(let all) = tasks, let status = all.first(where: { $0["name"] == .string(task) })
      else {
        throw SystemError(call: "task \(task)", code: 0)
      }
      if status["state"] != .string("running") { return status }
    }
  }

  @Test func `settings are shown as they are in force, with where they come from`() throws {
    let folder = try Sample.nodeStore()
    _ = try folder.write(
      #"{"limits": {"idleSeconds": 70}, "slowQueryMilliseconds": 7, "adminKey": "an-administrator-of-tests"}"#,
      to: "data/gatehouse.json")
    let server = try RunningServer(
      folder, options: ["--event-loops", "1"], environment: ["GATEHOUSE_LIMITS_FIELDS=50"])
    let fields = ["Authorization": "Bearer an-administrator-of-tests"]
    guard case .array(let settings) = try server.send("GET", "/v1/settings", fields: fields).json else {
      throw SystemError(call: "settings", code: 0)
    }
    func setting(_ name: String) throws -> JSON {
      try #require(settings.first { $0["name"] == .string(name) })
    }
    #expect(try setting("limits.idleSeconds")["value"] == .string("70"))
    #expect(try setting("limits.idleSeconds")["source"] == .string("file"))
    #expect(try setting("limits.fields")["source"] == .string("environment"))
    #expect(try setting("eventLoops")["source"] == .string("flag"))
    #expect(try setting("durability")["source"] == .string("default"))
    #expect(try setting("adminKey")["value"] == nil)
    #expect(try setting("slowQueryMilliseconds")["live"] == .bool(true))
    #expect(try server.send("GET", "/v1/settings").status == "401 Unauthorized")
    #expect(server.stop() == 0)
  }

  @Test func `slow queries are remembered without their values`() throws {
    let folder = try Sample.nodeStore()
    let server = try started(folder, options: ["--slow-query-milliseconds", "1"])
    let slow =
      "/v1/collections/Node?filter=label%20LIKE%20%22*secret*word*%22%20OR%20next.next.label%20CONTAINS%20%22zz%22"
    #expect(try server.send("GET", slow).status == "200 OK")
    let answer = try server.send("GET", "/v1/slow-queries")
    guard case .array(let queries) = try answer.json, let query = queries.first else {
      throw SystemError(call: "no slow query: \(answer.body)", code: 0)
    }
    #expect(query["class"] == .string("Node"))
    #expect(answer.body.contains("SELECT") && !answer.body.contains("secret"))
    #expect(server.stop() == 0)
  }

  @Test func `a store is checked, compacted and backed up from afar`() throws {
    let folder = try Sample.nodeStore()
    let server = try started(folder, options: ["--backup-to", folder.file("backups")])
    #expect(try run("check", on: server)["findings"] == .array([]))
    #expect(try server.send("DELETE", "/v1/collections/Node?filter=_id%20%3E%2010").status == "200 OK")
    #expect(try run("compact", on: server)["state"] == .string("done"))
    #expect(try run("check", on: server)["findings"] == .array([]))
    let backup = try run("backup", on: server)
    #expect(backup["state"] == .string("done"), "\(backup)")
    let listed = try Gatehouse.run(["restore", "--list", folder.file("backups")], in: folder)
    #expect(listed.status == 0 && listed.lines.count == 1, "\(listed)")
    let unknown = try server.send("POST", "/v1/tasks/nothing", body: "{}")
    #expect(unknown.status == "404 Not Found" && unknown.body.contains("task_not_found"))
    #expect(server.stop() == 0)
  }

  @Test func `without a place for backups there is no such task`() throws {
    let folder = try Sample.nodeStore()
    let server = try started(folder)
    let refused = try server.send("POST", "/v1/tasks/backup", body: "{}")
    #expect(refused.status == "404 Not Found" && refused.body.contains("task_not_found"))
    #expect(try server.send("GET", "/v1/tasks").body.contains("compact"))
    #expect(server.stop() == 0)
  }

  @Test(.enabled(if: Machine.program("node") != nil, "node is not there"))
  func `calls of a function are remembered with its console`() throws {
    let folder = try Sample.nodeStore()
    try FileManager.default.createDirectory(
      atPath: folder.file("data/functions"), withIntermediateDirectories: true)
    _ = try folder.write(
      "exports = (n) => { console.log('said', n); if (n > 1) throw new Error('too many'); return n; };",
      to: "data/functions/f.js")
    let server = try RunningServer(folder, environment: [Machine.path])
    for argument in 1...2 {
      _ = try server.send(
        "POST", "/v1/functions/f", body: "[\(argument)]")
    }
    guard case .array(let calls) = try server.send("GET", "/v1/functions/f/calls").json else {
      throw SystemError(call: "calls", code: 0)
    }
    #expect(calls.map { $0["outcome"] } == [.string("thrown"), .string("ok")])
    guard case .array(let lines)? = calls.last?["console"], let line = lines.first else {
      throw SystemError(call: "console", code: 0)
    }
    #expect(line["text"] == .string("said 1"))
    #expect(try server.send("GET", "/v1/functions/none/calls").body == "[]")
    #expect(server.stop() == 0)
  }
}
