import FoundationEssentials
import GatehouseTestSupport
import Glibc
import Testing

/// Databases beside the default one, in a running server.
struct AppsServeTests {
  private static let operatorKey = "an operator's key of a test"

  private func server(_ folder: Folder, options: [String] = []) throws -> RunningServer {
    try RunningServer(
      folder, options: options, environment: ["GATEHOUSE_ADMIN_KEY=\(AppsServeTests.operatorKey)"])
  }

  private func bearer(_ key: String) -> [String: String] { ["Authorization": "Bearer \(key)"] }

  private var asOperator: [String: String] { bearer(AppsServeTests.operatorKey) }

  /// Makes an app, and returns the key of its administrator.
  private func create(_ name: String, _ server: RunningServer) throws -> String {
    let answer = try server.send("POST", "/v1/apps", fields: asOperator, body: #"{"name":"\#(name)"}"#)
    try #require(answer.status == "201 Created", "\(answer.body)")
    #expect(answer.fields["location"] == "/v1/apps/\(name)")
    return try #require(try answer.json["key"]?.string)
  }

  private func code(_ answer: RunningServer.Answer) throws -> String? { try answer.json["code"]?.string }

  @Test func `entity tags of an app are none in the next one of its name`() throws {
    let folder = try Sample.nodeStore()
    let server = try server(folder)
    var tags: [String] = []
    for _ in 0..<2 {
      let key = try create("shop", server)
      let ask = { (method: String, path: String, field: (String, String)?, body: String?) in
        var fields = bearer(key)
        if let field { fields[field.0] = field.1 }
        return try server.send(method, "/v1/apps/shop/\(path)", fields: fields, body: body)
      }
      _ = try ask("PUT", "schema", nil, Sample.nodeSchema)
      let made = try ask("POST", "collections/Node", nil, #"{"_id":1,"label":"a"}"#)
      let version = try #require(made.fields["realm-version"])
      let node = "collections/Node/1"
      let tag = try #require(try ask("GET", node, nil, nil).fields["etag"])
      #expect(tag.hasPrefix("\"x") && tag.hasSuffix("-\(version)\""), "\(tag)")
      #expect(try ask("GET", node, ("If-None-Match", tag), nil).status == "304 Not Modified")
      if let old = tags.first {
        #expect(old != tag && old.hasSuffix("-\(version)\""))
        #expect(try ask("GET", node, ("If-None-Match", old), nil).status == "200 OK")
        #expect(try ask("DELETE", node, ("If-Match", old), nil).status == "412 Precondition Failed")
      }
      tags.append(tag)
      let changed = try ask("PATCH", node, ("If-Match", "\"\(version)\""), #"{"label":"b"}"#)
      #expect(changed.status == "200 OK", "\(changed.body)")
      let next = try #require(changed.fields["etag"])
      #expect(try ask("DELETE", node, ("If-Match", "\(tag), \(next)"), nil).status == "204 No Content")
      let removed = try server.send("DELETE", "/v1/apps/shop?confirm=shop", fields: asOperator)
      #expect(removed.status == "204 No Content", "\(removed.body)")
    }
    #expect(server.stop() == 0)
  }

  @Test func `apps have objects and keys of their own`() throws {
    let folder = try Sample.nodeStore()
    let server = try server(folder)
    let (shop, club) = (try create("shop", server), try create("club", server))
    #expect(shop != club)
    let applied = try server.send(
      "PUT", "/v1/apps/shop/schema", fields: bearer(shop), body: Sample.nodeSchema)
    #expect(applied.status == "200 OK", "\(applied.body)")
    let made = try server.send(
      "POST", "/v1/apps/shop/collections/Node", fields: bearer(shop), body: #"{"_id":1,"label":"a"}"#)
    #expect(made.status == "201 Created")
    #expect(made.fields["location"] == "/v1/apps/shop/collections/Node/1")
    for id in 2...3 {
      let body = #"{"_id":\#(id),"label":"b"}"#
      #expect(
        try server.send("POST", "/v1/apps/shop/collections/Node", fields: bearer(shop), body: body).status
          == "201 Created")
    }
    let page = try server.send("GET", "/v1/apps/shop/collections/Node?limit=2", fields: bearer(shop))
    let link = try #require(page.fields["link"])
    #expect(link.hasPrefix("</v1/apps/shop/collections/Node?"))
    _ = try server.send("PUT", "/v1/apps/club/schema", fields: bearer(club), body: Sample.nodeSchema)
    let next = String(link.dropFirst().prefix { $0 != ">" })
    #expect(
      try server.send("GET", next, fields: bearer(shop)).body == #"[{"_id":3,"label":"b","next":null}]"#)
    #expect(try server.send("GET", "/v1/apps/club/collections/Node", fields: bearer(club)).body == "[]")
    #expect(try server.send("GET", "/v1/collections/Node", fields: asOperator).body == "[]")
    let replaced = try server.send(
      "POST", "/v1/apps/shop/collections/Node?mode=modified", fields: bearer(shop),
      body: #"{"_id":3,"label":"d"}"#)
    #expect(replaced.fields["content-location"] == "/v1/apps/shop/collections/Node/3", "\(replaced)")
    // A ticket of one app opens nothing in another, and a key that was used in one is new in another.
    let ticket = try server.send(
      "POST", "/v1/apps/shop/tickets", fields: bearer(shop), body: #"{"url":"/v1/collections/Node"}"#)
    let text = try #require(try ticket.json["ticket"]?.string)
    let elsewhere = try server.send(
      "GET", "/v1/apps/club/collections/Node?ticket=\(text)", fields: ["Accept": "text/event-stream"])
    #expect(try elsewhere.status == "401 Unauthorized" && code(elsewhere) == "invalid_ticket")
    for (name, key) in [("shop", shop), ("club", club)] {
      let answer = try server.send(
        "POST", "/v1/apps/\(name)/collections/Node",
        fields: bearer(key).merging(["Idempotency-Key": "\"a\""]) { $1 }, body: #"{"_id":4,"label":"c"}"#)
      #expect(answer.status == "201 Created")
      #expect(
        try server.send("DELETE", "/v1/apps/\(name)/collections/Node/4", fields: bearer(key)).status
          == "204 No Content")
    }
    // A key is nothing there either, not even the operator's.
    for (path, key) in [
      ("/v1/apps/shop/collections", club), ("/v1/apps/club/collections", shop), ("/v1/collections", shop),
      ("/v1/apps/shop/collections", AppsServeTests.operatorKey),
    ] {
      let answer = try server.send("GET", path, fields: bearer(key))
      #expect(answer.status == "401 Unauthorized", "\(path)")
      #expect(try code(answer) == "unauthorized")
    }
    #expect(try server.send("GET", "/v1/apps/shop/collections").status == "401 Unauthorized")
    // Its administrators have no apps in it, and make none beside it.
    #expect(try code(try server.send("GET", "/v1/apps/shop/apps", fields: bearer(shop))) == "route_not_found")
    #expect(try server.send("GET", "/v1/apps", fields: bearer(shop)).status == "401 Unauthorized")
    #expect(server.stop() == 0)
    // It is on the disk, and a command finds it.
    let exported = try Gatehouse.run(["export", "Node", "--data", folder.data, "--app", "shop"], in: folder)
    #expect(exported.lines.count == 3, "\(exported.error)")
    #expect(try Gatehouse.run(["check", "--data", folder.data, "--app", "club"], in: folder).status == 0)
    let listed = try Gatehouse.run(["app", "list", "--data", folder.data], in: folder)
    #expect(listed.lines == ["club", "shop"])
    let none = try Gatehouse.run(["check", "--data", folder.data, "--app", "none"], in: folder)
    #expect(none.status == 2 && none.error.contains("--app"))
  }

  @Test func `an app is removed for who says its name twice, and its name can be had again`() throws {
    let folder = try Sample.nodeStore()
    let server = try server(folder)
    let (first, _) = (try create("shop", server), try create("club", server))
    #expect(try server.send("GET", "/v1/apps/shop/collections", fields: bearer(first)).body == "[]")
    for path in ["/v1/apps/shop", "/v1/apps/shop?confirm=club"] {
      let refused = try server.send("DELETE", path, fields: asOperator)
      #expect(refused.status == "428 Precondition Required")
      #expect(try code(refused) == "app_unconfirmed")
    }
    let taken = try server.send("POST", "/v1/apps", fields: asOperator, body: #"{"name":"shop"}"#)
    #expect(try taken.status == "409 Conflict" && code(taken) == "app_exists")
    #expect(
      try server.send("DELETE", "/v1/apps/shop?confirm=shop", fields: asOperator).status == "204 No Content")
    #expect(!FileManager.default.fileExists(atPath: "\(folder.data)/apps/shop"))
    let gone = try server.send("GET", "/v1/apps/shop/collections", fields: bearer(first))
    #expect(try gone.status == "404 Not Found" && code(gone) == "app_not_found")
    let second = try create("shop", server)
    #expect(
      try server.send("GET", "/v1/apps/shop/collections", fields: bearer(first)).status == "401 Unauthorized")
    #expect(try server.send("GET", "/v1/apps/shop/collections", fields: bearer(second)).body == "[]")
    for name in ["", "1a", "a/b", "..", "default", "auth", String(repeating: "a", count: 64)] {
      let refused = try server.send("POST", "/v1/apps", fields: asOperator, body: #"{"name":"\#(name)"}"#)
      #expect(
        try refused.status == "422 Unprocessable Content" && code(refused) == "invalid_app_name", "\(name)")
    }
    #expect(server.stop() == 0)
  }

  @Test func `there are as many apps as there may be`() throws {
    let folder = try Sample.nodeStore()
    let server = try server(folder, options: ["--apps-limit", "1"])
    _ = try create("one", server)
    let refused = try server.send("POST", "/v1/apps", fields: asOperator, body: #"{"name":"two"}"#)
    #expect(try refused.status == "409 Conflict" && code(refused) == "too_many_apps")
    #expect(server.stop() == 0)
  }

  @Test func `an app has settings of its own`() throws {
    let folder = try Sample.nodeStore()
    let server = try server(folder)
    let key = try create("shop", server)
    for (settings, code) in [
      (#"{"listen":"127.0.0.1:1"}"#, "invalid_app_settings"),
      (#"{"limits.requestsPerSecond":-1}"#, "invalid_app_settings"),
      (#"{"adminKey":"short"}"#, "invalid_app_settings"),
      (#"{"cors.origins":"any","cors.credentials":true}"#, "invalid_app_settings"),
    ] {
      let refused = try server.send(
        "PATCH", "/v1/apps/shop", fields: asOperator, body: #"{"settings":\#(settings)}"#)
      #expect(try self.code(refused) == code)
    }
    let changed = try server.send(
      "PATCH", "/v1/apps/shop", fields: asOperator, body: #"{"settings":{"limits.requestsPerSecond":1}}"#)
    #expect(try changed.json["settings"] == JSON(#"{"limits.requestsPerSecond":"1"}"#))
    let statuses = try (0..<5).map { _ in
      try server.send("GET", "/v1/apps/shop/collections", fields: bearer(key)).status
    }
    #expect(statuses.first == "200 OK" && statuses.contains("429 Too Many Requests"))
    #expect(try server.send("GET", "/v1/collections", fields: asOperator).status == "200 OK")
    // A secret is shown to nobody.
    let guarded = try server.send(
      "PATCH", "/v1/apps/shop", fields: asOperator, body: #"{"settings":{"adminKey":"0123456789abcdef"}}"#)
    #expect(try guarded.json["settings"]?["adminKey"]?.string == "***")
    let back = try server.send(
      "PATCH", "/v1/apps/shop", fields: asOperator,
      body: #"{"settings":{"limits.requestsPerSecond":null,"adminKey":null}}"#)
    #expect(try back.json["settings"] == JSON("{}"))
    #expect(server.stop() == 0)
  }

  @Test func `tokens of users are for the app whose users they are`() throws {
    let folder = try Sample.nodeStore()
    for name in ["one", "two"] {
      let made = try Gatehouse.run(["app", "create", name, "--data", folder.data], in: folder)
      try #require(made.status == 0, "\(made.error)")
      try AppFiles.write(#"{"anon-user":{}}"#, to: "apps/\(name)/auth/providers.json", folder)
    }
    let server = try server(folder)
    let logIn = { (id: String) in
      try server.send(
        "POST", "/api/client/v2.0/app/\(id)/auth/providers/anon-user/login", body: "{}")
    }
    let token = try #require(try logIn("one").json["access_token"]?.string)
    let refresh = try #require(try logIn("two").json["refresh_token"]?.string)
    // The path has no app in it; the token has.
    let profile = try server.send("GET", "/api/client/v2.0/auth/profile", fields: bearer(token))
    #expect(profile.status == "200 OK")
    #expect(
      try server.send("POST", "/api/client/v2.0/auth/session", fields: bearer(refresh)).status
        == "201 Created")
    #expect(try server.send("GET", "/v1/apps/one/collections", fields: bearer(token)).status == "200 OK")
    for path in ["/v1/apps/two/collections", "/v1/collections"] {
      #expect(try server.send("GET", path, fields: bearer(token)).status == "401 Unauthorized", "\(path)")
    }
    // An id that no app has is nobody's, but for that of the default database.
    let unknown = try logIn("three")
    #expect(unknown.status == "404 Not Found")
    #expect(try unknown.json["error_code"]?.string == "AppNotFound")
    #expect(try logIn("default").json["error_code"]?.string == "AuthProviderNotFound")
    #expect(
      try server.send("GET", "/app/three/endpoint/x").json["error_code"]?.string == "AppNotFound")
    #expect(server.stop() == 0)
  }

  @Test func `without apps, the wire answers to any id`() throws {
    let folder = try Sample.nodeStore()
    let server = try RunningServer(folder)
    for id in ["a", "default", "shop-abcde"] {
      #expect(try server.send("GET", "/api/client/v2.0/app/\(id)/location").status == "200 OK")
    }
    #expect(try code(try server.send("GET", "/v1/apps/shop/collections")) == "route_not_found")
    #expect(server.stop() == 0)
  }

  /// Moments that depend on nothing but time.
  @Test(arguments: [5, 15, 30, 60, 120])
  func `a process that is killed while it makes an app leaves all of it or nothing`(milliseconds: UInt32)
    throws
  {
    let folder = try Sample.nodeStore()
    let process = try ChildProcess(
      Gatehouse.path, ["app", "create", "shop", "--data", folder.data], workingDirectory: folder.path,
      streams: [.read("/dev/null"), .write("/dev/null"), .write("/dev/null")])
    // Not to wait for something, but to choose the moment.
    usleep(milliseconds * 1000)
    process.send(SIGKILL)
    process.wait()
    let listed = try Gatehouse.run(["app", "list", "--data", folder.data], in: folder).lines
    if listed == ["shop"] {
      let keys = try Gatehouse.run(["key", "list", "--data", folder.data, "--app", "shop"], in: folder)
      #expect(keys.lines.count == 1 && keys.output.contains("admin"), "\(keys.output)")
    } else {
      #expect(listed.isEmpty)
    }
    let server = try server(folder)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(folder.data)/apps")) ?? []
    #expect(names == listed)
    #expect(server.stop() == 0)
  }
}
