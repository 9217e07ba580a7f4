import FoundationEssentials
import GatehouseTestSupport
import Glibc
import Testing

/// Classes of an app in databases of their own, in a running server.
struct GroupsServeTests {
  private static let operatorKey = "an operator's key of a test"
  private static let order =
    #"{"name":"Order","primaryKey":"_id","properties":{"_id":"int","text":"string?"}}"#

  private func server(_ folder: Folder, options: [String] = []) throws -> RunningServer {
    try RunningServer(
      folder, options: options, environment: ["GATEHOUSE_ADMIN_KEY=\(GroupsServeTests.operatorKey)"])
  }

  private func bearer(_ key: String) -> [String: String] { ["Authorization": "Bearer \(key)"] }

  private var asOperator: [String: String] { bearer(GroupsServeTests.operatorKey) }

  private func create(_ name: String, _ server: RunningServer) throws -> String {
    let answer = try server.send("POST", "/v1/apps", fields: asOperator, body: #"{"name":"\#(name)"}"#)
    return try #require(try answer.json["key"]?.string)
  }

  private func put(_ group: String, _ classes: String, _ server: RunningServer) throws -> RunningServer.Answer
  {
    try server.send(
      "PUT", "/v1/apps/shop/groups/\(group)", fields: asOperator, body: #"{"classes":\#(classes)}"#)
  }

  private func code(_ answer: RunningServer.Answer) throws -> String? { try answer.json["code"]?.string }

  @Test func `classes of an app are in a database of their own, before and after a restart`() throws {
    let folder = try Sample.nodeStore()
    var server = try server(folder)
    let key = try create("shop", server)
    let made = try put("archive", #"["Order"]"#, server)
    #expect(made.status == "200 OK", "\(made.body)")
    #expect(made.body.contains(#""groups":[{"name":"archive","classes":["Order"],"bytes":"#), "\(made.body)")
    for (path, schema) in [("Node", Sample.nodeSchema), ("Order", Self.order)] {
      let content = schema.hasPrefix("[") ? String(schema.dropFirst().dropLast()) : schema
      let applied = try server.send("PUT", "/v1/apps/shop/schema/\(path)", fields: bearer(key), body: content)
      #expect(applied.status == "201 Created", "\(applied.body)")
    }
    for (name, body) in [("Node", #"{"_id":1,"label":"a"}"#), ("Order", #"{"_id":2,"text":"b"}"#)] {
      let answer = try server.send(
        "POST", "/v1/apps/shop/collections/\(name)", fields: bearer(key), body: body)
      #expect(answer.status == "201 Created", "\(answer.body)")
      #expect(answer.fields["location"]?.hasPrefix("/v1/apps/shop/collections/\(name)/") == true)
    }
    let explicit = try server.send(
      "POST", "/v1/apps/shop/groups/archive/collections/Order", fields: bearer(key), body: #"{"_id":3}"#)
    #expect(explicit.fields["location"] == "/v1/apps/shop/groups/archive/collections/Order/3")
    let counts = #"[{"class":"Node","count":1},{"class":"Order","count":2}]"#
    #expect(try server.send("GET", "/v1/apps/shop/collections", fields: bearer(key)).body == counts)
    // It has its own metrics, tasks and log.
    let metrics = try server.send("GET", "/v1/apps/shop/groups/archive/metrics", fields: bearer(key))
    #expect(metrics.body.contains("gatehouse_version 3.0"), "\(metrics.body.prefix(200))")
    #expect(
      try server.send(
        "POST", "/v1/apps/shop/groups/archive/tasks/check", fields: bearer(key), body: "{}"
      ).status == "202 Accepted")
    // The operator's key is none in it, and the app's is none of the operator's.
    #expect(
      try server.send("GET", "/v1/apps/shop/groups/archive/collections", fields: asOperator).status
        == "401 Unauthorized")
    #expect(
      try server.send(
        "PUT", "/v1/apps/shop/groups/b", fields: bearer(key), body: #"{"classes":["B"]}"#
      ).status == "401 Unauthorized")
    #expect(server.stop() == 0)
    // Lines of the log name the app.
    let line = #""route":"/v1/apps/{app}/collections","app":"shop","status":200"#
    #expect(try folder.contents(folder.file("serve.log")).contains(line))
    server = try self.server(folder)
    #expect(try server.send("GET", "/v1/apps/shop/collections", fields: bearer(key)).body == counts)
    #expect(
      try server.send("GET", "/v1/apps/shop/collections/Order/2", fields: bearer(key)).body
        == #"{"_id":2,"text":"b"}"#)
    #expect(server.stop() == 0)
    // Commands know both.
    for (app, name, count) in [("shop", "Node", 1), ("shop/archive", "Order", 2)] {
      let exported = try Gatehouse.run(["export", name, "--data", folder.data, "--app", app], in: folder)
      #expect(exported.lines.count == count, "\(exported.error)")
      #expect(try Gatehouse.run(["check", "--data", folder.data, "--app", app], in: folder).status == 0)
    }
    let none = try Gatehouse.run(["check", "--data", folder.data, "--app", "shop/none"], in: folder)
    #expect(none.status == 2 && none.error.contains("APP/GROUP"), "\(none.error)")
    // A key is for classes of all groups.
    let keyFor = { (name: String) in
      try Gatehouse.run(
        ["key", "create", "--role", "read", "--class", name, "--data", folder.data, "--app", "shop"],
        in: folder)
    }
    #expect(try keyFor("Node,Order").status == 0)
    #expect(try keyFor("Line").error.contains("Line"))
    let copied = try Gatehouse.run(
      ["backup", "\(folder.path)/copy", "--data", folder.data, "--app", "shop/archive"], in: folder)
    #expect(copied.status == 0, "\(copied.error)")
    // No command makes a class where it is not.
    try "[\(Self.order)]".write(toFile: "\(folder.path)/order.json", atomically: false, encoding: .utf8)
    let applied = try Gatehouse.run(
      ["schema", "apply", "\(folder.path)/order.json", "--data", folder.data, "--app", "shop"], in: folder)
    #expect(applied.status != 0 && applied.error.contains("Order"), "\(applied)")
    // A store that is lost is not replaced by an empty one.
    #expect(unlink("\(folder.data)/apps/shop/groups/archive/gatehouse.db") == 0)
    server = try self.server(folder)
    let lost = try server.send("GET", "/v1/apps/shop/collections", fields: bearer(key))
    #expect(try lost.status.hasPrefix("503") && code(lost) == "app_unavailable", "\(lost.body)")
    #expect(
      try server.send("GET", "/v1/apps/shop", fields: asOperator).json["failure"]?.string?.contains(
        "groups/archive/gatehouse.db") == true)
    #expect(server.stop() == 0)
    // A backup of it takes its place, with the version that it had.
    let place = "\(folder.data)/apps/shop/groups/archive"
    _ = Machine.run("rm -r '\(place)'")
    let restored = try Gatehouse.run(["restore", "\(folder.path)/copy", place], in: folder)
    #expect(restored.status == 0, "\(restored.error)")
    server = try self.server(folder)
    #expect(try server.send("GET", "/v1/apps/shop/collections", fields: bearer(key)).body == counts)
    let later = try server.send(
      "POST", "/v1/apps/shop/collections/Order", fields: bearer(key), body: #"{"_id":4}"#)
    #expect(later.fields["realm-version"] == "4", "\(later.body)")
    #expect(server.stop() == 0)
  }

  @Test(.enabled(if: hasNode, "Node is not installed"))
  func `a trigger is called for changes of a group's class, and its function writes to another group`() throws
  {
    let folder = try Sample.nodeStore()
    var server = try server(folder)
    let key = try create("shop", server)
    #expect(try put("archive", #"["Order"]"#, server).status == "200 OK")
    _ = try server.send("PUT", "/v1/apps/shop/schema", fields: bearer(key), body: Sample.nodeSchema)
    _ = try server.send("PUT", "/v1/apps/shop/schema/Order", fields: bearer(key), body: Self.order)
    for (path, text) in [
      ("functions/config.json", #"[{"name":"copy","private":true}]"#),
      (
        "functions/copy.js",
        """
        exports = event => context.services.get("mongodb-atlas").db("d").collection("Node")
          .insertOne({_id: event.documentKey._id, label: event.fullDocument.text, next: null});
        """
      ),
      (
        "triggers/t.json",
        """
        {"name":"t","type":"DATABASE","config":{"collection":"Order","operation_types":["INSERT"],"full_document":true},
         "event_processors":{"FUNCTION":{"config":{"function_name":"copy"}}}}
        """
      ),
    ] { try AppFiles.write(text, to: "apps/shop/\(path)", folder) }
    let send = { (method: String, path: String, body: String?) in
      try server.send(method, "/v1/apps/shop/\(path)", fields: bearer(key), body: body)
    }
    #expect(
      try server.soon { try send("GET", "groups/archive/triggers", nil).body.contains(#""position""#) })
    // A group shows the triggers on its classes.
    #expect(try send("GET", "triggers", nil).body == "[]")
    for id in 1...3 {
      let made = try send("POST", "collections/Order", #"{"_id":\#(id),"text":"o\#(id)"}"#)
      #expect(made.status == "201 Created", "\(made.body)")
      #expect(try server.soon { try send("GET", "collections/Node/\(id)", nil).body.contains("\"o\(id)\"") })
      guard id == 2 else { continue }
      // It goes on where it was.
      #expect(server.stop() == 0)
      server = try self.server(folder)
    }
    #expect(
      try server.soon {
        let state = try send("GET", "groups/archive/triggers", nil).body
        return state.contains(#""state":"running""#) && state.contains(#""calls":1"#)
      })
    #expect(
      try send("POST", "groups/archive/triggers/t/resume", "{}").status == "200 OK")
    #expect(server.stop() == 0)
  }

  @Test(.enabled(if: hasNode, "Node is not installed"))
  func `events of different shards have different identifiers`() throws {
    let folder = try Sample.nodeStore()
    let server = try server(folder)
    let key = try create("shop", server)
    let made = try server.send(
      "PUT", "/v1/apps/shop/groups/archive", fields: asOperator, body: #"{"classes":["Order"],"shards":2}"#)
    #expect(made.status == "200 OK", "\(made.body)")
    let told = #"{"primaryKey":"_id","properties":{"_id":"string","order":"int"}}"#
    for (name, type) in [("Told", told), ("Order", Self.order)] {
      let applied = try server.send("PUT", "/v1/apps/shop/schema/\(name)", fields: bearer(key), body: type)
      #expect(applied.status == "201 Created", "\(applied.body)")
    }
    for (path, text) in [
      ("functions/config.json", #"[{"name":"note","private":true}]"#),
      (
        "functions/note.js",
        """
        exports = event => context.services.get("mongodb-atlas").db("d").collection("Told")
          .insertOne({_id: event._id._data, order: event.documentKey._id});
        """
      ),
      (
        "triggers/t.json",
        """
        {"name":"t","type":"DATABASE","config":{"collection":"Order"},
         "event_processors":{"FUNCTION":{"config":{"function_name":"note"}}}}
        """
      ),
    ] { try AppFiles.write(text, to: "apps/shop/\(path)", folder) }
    let get = { (path: String) throws -> String in
      try server.send("GET", "/v1/apps/shop/\(path)", fields: bearer(key)).body
    }
    for shard in 0..<2 {
      #expect(
        try server.soon { try get("groups/archive/\(shard)/triggers").contains(#""position""#) })
    }
    for id in 1...8 {
      let made = try server.send(
        "POST", "/v1/apps/shop/collections/Order", fields: bearer(key), body: #"{"_id":\#(id)}"#)
      #expect(made.status == "201 Created", "\(made.body)")
    }
    #expect(try server.soon { try get("collections/Told?aggregate=@count") == #"{"@count":8}"# })
    #expect(server.stop() == 0)
  }

  @Test func `groups are declared for classes that are not there, and removed without objects`() throws {
    let folder = try Sample.nodeStore()
    let server = try server(folder)
    let key = try create("shop", server)
    _ = try server.send("PUT", "/v1/apps/shop/schema", fields: bearer(key), body: Sample.nodeSchema)
    for (group, classes, status, code) in [
      ("archive", #"["Node"]"#, "409", "class_exists"), ("archive", "[]", "422", "invalid_group"),
      ("archive", #"["A","A"]"#, "422", "invalid_group"), ("archive", #"[""]"#, "422", "invalid_group"),
      ("archive", #"["AuditEvent"]"#, "422", "invalid_group"), ("main", #"["A"]"#, "422", "invalid_group"),
      ("1", #"["A"]"#, "422", "invalid_group"), ("archive", #""A""#, "422", "invalid_content"),
    ] {
      let refused = try put(group, classes, server)
      #expect(refused.status.hasPrefix(status), "\(group) \(classes) \(refused.body)")
      #expect(try self.code(refused) == code)
    }
    let elsewhere = try server.send(
      "PUT", "/v1/apps/none/groups/archive", fields: asOperator, body: #"{"classes":["A"]}"#)
    #expect(try code(elsewhere) == "app_not_found")
    #expect(try put("archive", #"["Order"]"#, server).status == "200 OK")
    #expect(try code(put("other", #"["Order"]"#, server)) == "class_in_other_group")
    // Its classes change as long as they are not there.
    #expect(try put("archive", #"["Order","Line"]"#, server).status == "200 OK")
    _ = try server.send("PUT", "/v1/apps/shop/schema/Order", fields: bearer(key), body: Self.order)
    #expect(try code(put("archive", #"["Line"]"#, server)) == "class_exists")
    #expect(try put("archive", #"["Order","Note"]"#, server).status == "200 OK")
    #expect(try put("other", #"["Line"]"#, server).status == "200 OK")
    for index in 0..<14 { #expect(try put("g\(index)", #"["G\#(index)"]"#, server).status == "200 OK") }
    #expect(try code(put("more", #"["More"]"#, server)) == "too_many_groups")
    _ = try server.send(
      "POST", "/v1/apps/shop/collections/Order", fields: bearer(key), body: #"{"_id":1}"#)
    let remove = { (path: String) in
      try server.send("DELETE", "/v1/apps/shop/groups/\(path)", fields: asOperator)
    }
    for path in ["archive", "archive?confirm=shop"] {
      let refused = try remove(path)
      #expect(try refused.status == "409 Conflict" && code(refused) == "group_not_empty", "\(refused.body)")
    }
    #expect(
      try server.send("GET", "/v1/apps/shop/collections/Order/1", fields: bearer(key)).status == "200 OK")
    #expect(try remove("other").status == "204 No Content")
    #expect(try remove("archive?confirm=archive").status == "204 No Content")
    #expect(try code(remove("archive")) == "group_not_found")
    #expect(!FileManager.default.fileExists(atPath: "\(folder.data)/apps/shop/groups/archive"))
    #expect(
      try code(server.send("GET", "/v1/apps/shop/collections/Order/1", fields: bearer(key)))
        == "unknown_class")
    // The class is one of the app's own from then on.
    let applied = try server.send("PUT", "/v1/apps/shop/schema/Order", fields: bearer(key), body: Self.order)
    #expect(applied.status == "201 Created", "\(applied.body)")
    #expect(server.stop() == 0)
  }

  @Test func `the groups of all apps have so many databases together, for which there are files`() throws {
    let folder = try Sample.nodeStore()
    let most = ["--apps-stores", "4"]
    let server = try server(folder, options: most)
    for name in ["shop", "club"] { _ = try create(name, server) }
    let put = { (path: String, content: String) in
      try server.send("PUT", "/v1/apps/\(path)", fields: asOperator, body: content)
    }
    #expect(try put("shop/groups/a", #"{"classes":["A"],"shards":3}"#).status == "200 OK")
    for shards in [2, 64] {
      let refused = try put("club/groups/b", #"{"classes":["B"],"shards":\#(shards)}"#)
      #expect(
        try code(refused) == "too_many_groups" && refused.body.contains("apps.stores"), "\(refused.body)")
    }
    #expect(try put("club/groups/b", #"{"classes":["B"]}"#).status == "200 OK")
    #expect(try code(put("club/groups/c", #"{"classes":["C"]}"#)) == "too_many_groups")
    #expect(try put("shop/groups/a", #"{"classes":["A","D"]}"#).status == "200 OK")
    #expect(server.stop() == 0)
    let command = ["app", "group", "club", "c", "--classes", "C", "--data", folder.data]
    let refused = try Gatehouse.run(command + most, in: folder)
    #expect(refused.status == 1 && refused.error.contains("at most 4 databases"), "\(refused)")
    #expect(try Gatehouse.run(command, in: folder).status == 0)
    // Each is counted where connections are.
    var limit = rlimit()
    try #require(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
    let again = try self.server(folder, options: most + ["--limits-connections", "1000000000"])
    #expect(again.stop() == 0)
    let connections = limit.rlim_max - 256 - (64 + 5) * 24
    #expect(
      try folder.contents(folder.file("serve.log")).contains("no more than \(connections) connections"))
  }

  @Test func `old changes leave the log of a group as they leave that of its app`() throws {
    let folder = try Sample.nodeStore()
    var server = try server(folder)
    let key = try create("shop", server)
    #expect(try put("archive", #"["Order"]"#, server).status == "200 OK")
    let changed = try server.send(
      "PATCH", "/v1/apps/shop", fields: asOperator, body: #"{"settings":{"log.megabytes":1}}"#)
    #expect(changed.status == "200 OK", "\(changed.body)")
    _ = try server.send("PUT", "/v1/apps/shop/schema/Order", fields: bearer(key), body: Self.order)
    let text = String(repeating: "t", count: 100_000)
    for count in 0..<40 {
      let written = try server.send(
        "PUT", "/v1/apps/shop/collections/Order/1", fields: bearer(key),
        body: #"{"_id":1,"text":"\#(count)\#(text)"}"#)
      #expect(written.status.hasPrefix("20"), "\(written.body)")
    }
    // A store looks for old changes as it is opened, and twice a minute.
    #expect(server.stop() == 0)
    server = try self.server(folder)
    #expect(
      try server.soon {
        try server.send("GET", "/v1/apps/shop/groups/archive/changes?since=1&limit=1", fields: bearer(key))
          .status.hasPrefix("410")
      })
    let own = try server.send("GET", "/v1/apps/shop/groups/main/changes?since=0", fields: bearer(key))
    #expect(own.status == "200 OK", "\(own.body)")
    #expect(server.stop() == 0)
  }

  @Test func `objects of a group are divided among shards, before and after a restart`() throws {
    let folder = try Sample.nodeStore()
    var server = try server(folder)
    let key = try create("shop", server)
    let declare = { (shards: String) in
      try server.send(
        "PUT", "/v1/apps/shop/groups/archive", fields: asOperator,
        body: #"{"classes":["Order"],"shards":\#(shards)}"#)
    }
    for shards in ["1", "65", "0"] { #expect(try code(declare(shards)) == "invalid_group") }
    let made = try declare("3")
    #expect(made.status == "200 OK" && made.body.contains(#""shards":3"#), "\(made.body)")
    #expect(try code(declare("4")) == "invalid_group")
    #expect(try put("archive", #"["Order","Line"]"#, server).body.contains(#""shards":3"#))
    let applied = try server.send("PUT", "/v1/apps/shop/schema/Order", fields: bearer(key), body: Self.order)
    #expect(applied.status == "201 Created", "\(applied.body)")
    for id in 0..<20 {
      let answer = try server.send(
        "POST", "/v1/apps/shop/collections/Order", fields: bearer(key),
        body: #"{"_id":\#(id),"text":"\#(id % 4)"}"#)
      #expect(answer.fields["location"] == "/v1/apps/shop/collections/Order/\(id)", "\(answer.body)")
    }
    let first = try server.send(
      "GET", "/v1/apps/shop/collections/Order?sort=text,_id&limit=11&fields=_id", fields: bearer(key))
    let page = { (ids: [Int]) in "[\(ids.map { "{\"_id\":\($0)}" }.joined(separator: ","))]" }
    #expect(first.body == page([0, 4, 8, 12, 16, 1, 5, 9, 13, 17, 2]))
    let link = try #require(first.fields["link"])
    #expect(server.stop() == 0)
    server = try self.server(folder)
    // A cursor holds across restarts.
    let next = try server.send("GET", String(link.dropFirst().prefix { $0 != ">" }), fields: bearer(key))
    #expect(next.body == page([6, 10, 14, 18, 3, 7, 11, 15, 19]))
    #expect(
      try server.send("GET", "/v1/apps/shop/collections/Order/7", fields: bearer(key)).body
        == #"{"_id":7,"text":"3"}"#)
    #expect(
      try server.send("GET", "/v1/apps/shop/collections", fields: bearer(key)).body.contains(
        #"{"class":"Order","count":20}"#))
    let metrics = try server.send("GET", "/v1/apps/shop/groups/archive/0/metrics", fields: bearer(key))
    #expect(metrics.body.contains("gatehouse_version"))
    let remove = { (query: String) in
      try server.send("DELETE", "/v1/apps/shop/groups/archive\(query)", fields: asOperator)
    }
    #expect(try code(remove("")) == "group_not_empty")
    #expect(server.stop() == 0)
    var exported = 0
    for shard in 0..<3 {
      let app = "shop/archive/\(shard)"
      exported += try Gatehouse.run(["export", "Order", "--data", folder.data, "--app", app], in: folder)
        .lines.count
      #expect(try Gatehouse.run(["check", "--data", folder.data, "--app", app], in: folder).status == 0)
    }
    #expect(exported == 20)
    // A shard that is lost is not replaced by an empty one, and no part of the objects is shown.
    #expect(rename("\(folder.data)/apps/shop/groups/archive/1/gatehouse.db", "\(folder.path)/lost") == 0)
    server = try self.server(folder)
    let lost = try server.send("GET", "/v1/apps/shop/collections/Order", fields: bearer(key))
    #expect(try lost.status.hasPrefix("503") && code(lost) == "app_unavailable", "\(lost.body)")
    #expect(server.stop() == 0)
    #expect(rename("\(folder.path)/lost", "\(folder.data)/apps/shop/groups/archive/1/gatehouse.db") == 0)
    server = try self.server(folder)
    #expect(try remove("?confirm=archive").status == "204 No Content")
    #expect(!FileManager.default.fileExists(atPath: "\(folder.data)/apps/shop/groups/archive"))
    #expect(server.stop() == 0)
    // The command makes the same.
    let run = { (shards: String) in
      try Gatehouse.run(
        ["app", "group", "shop", "archive", "--classes", "Order", "--shards", shards, "--data", folder.data],
        in: folder)
    }
    let wrong = try run("many")
    #expect(wrong.status == 2 && wrong.error.contains("--shards"), "\(wrong.error)")
    #expect(try run("2").status == 0)
    #expect(FileManager.default.fileExists(atPath: "\(folder.data)/apps/shop/groups/archive/1/gatehouse.db"))
  }

  @Test func `commands make and remove groups while no server has the app open`() throws {
    let folder = try Sample.nodeStore()
    let run = { (arguments: [String]) in
      try Gatehouse.run(arguments + ["--data", folder.data], in: folder)
    }
    let key = try run(["app", "create", "shop"]).output.split(separator: "\n").map(String.init)[0]
    let made = try run(["app", "group", "shop", "archive", "--classes", "Order"])
    #expect(made.status == 0, "\(made.error)")
    let server = try server(folder)
    _ = try server.send("PUT", "/v1/apps/shop/schema/Order", fields: bearer(key), body: Self.order)
    let locked = try run(["app", "group", "shop", "archive", "--classes", "Order,Line"])
    #expect(locked.status != 0 && locked.error.contains("in use"), "\(locked)")
    _ = try server.send(
      "POST", "/v1/apps/shop/collections/Order", fields: bearer(key), body: #"{"_id":1}"#)
    #expect(server.stop() == 0)
    let refused = try run(["app", "ungroup", "shop", "archive"])
    #expect(refused.status != 0 && refused.error.contains("objects"), "\(refused)")
    let bad = try run(["app", "group", "shop", "main", "--classes", "X"])
    #expect(bad.status == 2 && bad.error.contains("GROUP"), "\(bad)")
    #expect(try run(["app", "ungroup", "shop", "archive", "--confirm", "archive"]).status == 0)
    #expect(try run(["app", "ungroup", "shop", "archive"]).status != 0)
  }
}
