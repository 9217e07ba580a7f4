import GatehouseTestSupport
import Glibc
import Testing

/// Triggers of a running server, as its operator sees them.
@Suite(.enabled(if: hasNode, "Node is not installed")) struct TriggerServeTests {
  private static let key = ["Authorization": "Bearer k3y-of-the-administrator"]

  private static func trigger(_ config: String, disabled: Bool = false) -> String {
    """
    {"name":"t","type":"DATABASE","disabled":\(disabled),"config":{"collection":"Node",\(config)},
     "event_processors":{"FUNCTION":{"config":{"function_name":"note"}}}}
    """
  }

  /// Notes events, and fails where a node says so. What it notes may not call it again.
  private static let note = """
    exports = event => {
      const label = event.fullDocument?.label ?? event.fullDocumentBeforeChange?.label ?? "";
      if (label === "bad") throw new Error("no bad ones");
      console.log(`told ${event.operationType} ${event.documentKey._id} ${label}`);
    };
    """

  private func server(_ folder: Folder) throws -> RunningServer {
    try RunningServer(folder, environment: ["GATEHOUSE_ADMIN_KEY=k3y-of-the-administrator"])
  }

  private func folder(_ trigger: String) throws -> Folder {
    let folder = try Sample.nodeStore()
    try AppFiles.write(trigger, to: "triggers/t.json", folder)
    try AppFiles.write(#"[{"name":"note","private":true}]"#, to: "functions/config.json", folder)
    try AppFiles.write(Self.note, to: "functions/note.js", folder)
    return folder
  }

  /// The state of the trigger; null while it is taken anew.
  private func state(_ server: RunningServer) throws -> JSON {
    let answer = try server.send("GET", "/v1/triggers", fields: Self.key)
    guard case .array(let states) = try answer.json else { throw SystemError(call: answer.body, code: 0) }
    return states.first ?? .null
  }

  private func waits(_ server: RunningServer, for name: String, _ value: String) throws -> Bool {
    try server.soon { try state(server)[name]?.string == value }
  }

  private func create(_ server: RunningServer, _ id: Int, _ label: String) throws {
    let made = try server.send(
      "POST", "/v1/collections/Node", fields: Self.key,
      body: #"{"_id":\#(id),"label":"\#(label)","next":null}"#)
    try #require(made.status == "201 Created", "\(made.body)")
  }

  private func told(_ folder: Folder) throws -> [String] {
    try folder.contents(folder.file("serve.log")).matches(of: /told ([^"\\]+)/).map { String($0.1) }
  }

  @Test func `a call that fails is shown, and one goes on behind it by a request`() throws {
    let folder = try folder(Self.trigger(#""operation_types":["INSERT"]"#))
    let server = try server(folder)
    for (id, label) in [(1, "a"), (2, "bad"), (3, "c")] { try create(server, id, label) }
    #expect(try waits(server, for: "state", "retrying"))
    let failed = try state(server)
    #expect(failed["error"]?.string?.contains("no bad ones") == true && failed["function"]?.string == "note")
    #expect(try told(folder) == ["insert 1 a"])
    let resume = "/v1/triggers/t/resume"
    #expect(try server.send("POST", resume, body: #"{"skip":true}"#).status == "401 Unauthorized")
    #expect(
      try server.send("POST", "/v1/triggers/u/resume", fields: Self.key, body: "{}").status == "404 Not Found"
    )
    #expect(
      try server.send("POST", resume, fields: Self.key, body: #"{"skips":true}"#).status.hasPrefix("422"))
    #expect(try server.send("POST", resume, fields: Self.key, body: #"{"skip":true}"#).status == "200 OK")
    #expect(try server.soon { try told(folder).count == 2 })
    #expect(try told(folder) == ["insert 1 a", "insert 3 c"])
    #expect(try waits(server, for: "state", "running"))
    #expect(server.stop() == 0)
  }

  @Test func `one that is suspended stays so until somebody has it go on`() throws {
    // A path through links cannot be followed.
    let folder = try folder(Self.trigger(#""filter":"next.label == 'a'""#))
    var server = try server(folder)
    #expect(try waits(server, for: "state", "suspended"))
    let reason = try #require(try state(server)["error"]?.string)
    #expect(!reason.isEmpty)
    try create(server, 1, "a")
    #expect(server.stop() == 0)
    try AppFiles.write(Self.trigger(#""filter":"label == 'a'""#), to: "triggers/t.json", folder)
    server = try self.server(folder)
    let kept = try state(server)
    #expect(kept["state"]?.string == "suspended" && kept["error"]?.string == reason)
    #expect(
      try server.send("POST", "/v1/triggers/t/resume", fields: Self.key, body: "{}").status == "200 OK")
    #expect(try server.soon { try told(folder) == ["insert 1 a"] })
    #expect(try waits(server, for: "state", "running"))
    #expect(server.stop() == 0)
  }

  @Test(arguments: [false, true])
  func `one that was disabled is told of what it missed, or not`(skips: Bool) throws {
    let config = #""skip_catchup_events":\#(skips),"full_document_before_change":true"#
    let folder = try folder(Self.trigger(config))
    let server = try server(folder)
    try create(server, 1, "a")
    #expect(try server.soon { try told(folder).count == 1 })
    try AppFiles.write(Self.trigger(config, disabled: true), to: "triggers/t.json", folder)
    server.process.send(SIGHUP)
    #expect(try waits(server, for: "state", "disabled"))
    try create(server, 2, "b")
    try AppFiles.write(Self.trigger(config), to: "triggers/t.json", folder)
    server.process.send(SIGHUP)
    #expect(try waits(server, for: "state", "running"))
    #expect(try server.send("DELETE", "/v1/collections/Node/1", fields: Self.key).status == "204 No Content")
    let expected = ["insert 1 a"] + (skips ? [] : ["insert 2 b"]) + ["delete 1 a"]
    #expect(try server.soon { try told(folder).count == expected.count })
    #expect(try told(folder) == expected)
    #expect(server.stop() == 0)
  }
}
