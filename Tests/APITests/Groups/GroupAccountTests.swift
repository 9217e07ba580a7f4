import GatehouseAccess
import GatehouseAudit
import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseStorage
import Testing

@testable import GatehouseAPI

/// Users, whom an app has once, and the trails and streams of App Services, where classes are in groups.
@Suite struct GroupAccountTests {
  private static let account = #"{"email":"ann@example.com","password":"secret1"}"#

  /// Makes a user, and orders of which one is theirs.
  private func with(
    _ body: (_ fixture: Fixture, _ user: UserSite.Tokens, _ administrator: [String: String]) async throws ->
      Void
  ) async throws {
    let providers = Providers(
      allowsAnonymous: true, passwords: Providers.Passwords(confirmation: .atOnce))
    try await GroupedFixture.with(users: providers) { fixture, _ in
      let key = try await fixture.gateway.context.access.makeKey(name: "", role: "admin", classes: [])
      let administrator = ["authorization": "Bearer \(key.text)"]
      let rule = #"{"read":"owner == %%user.id","write":"owner == %%user.id"}"#
      let roles = #"{"user":{"classes":{"Order":\#(rule)}}}"#
      let applied = try await fixture.send(.put, "/v1/roles", administrator, json: roles)
      try #require(applied.status == 200, "\(applied.text)")
      let site = UserSite(fixture: fixture)
      try await site.register("ann@example.com")
      let login = try await site.post(
        "/auth/providers/local-userpass/login", #"{"username":"ann@example.com","password":"secret1"}"#)
      let user = try UserSite.Tokens(login)
      for order in [#"{"id":1,"owner":"\#(user.user)","n":7}"#, #"{"id":2,"owner":"other","n":8}"#] {
        let made = try await fixture.send(.post, "/v1/collections/Order", administrator, json: order)
        try #require(made.status == 201, "\(made.text)")
      }
      try await body(fixture, user, administrator)
    }
  }

  @Test func `the custom data of users are objects of a group's class`() async throws {
    try await with { fixture, user, _ in
      let users = try #require(fixture.gateway.context.users.users)
      users.use(CustomDataSource("Order", property: "owner"))
      let site = UserSite(fixture: fixture)
      let data = try #require(try await site.profile(user)["custom_data"])
      let text = String(decoding: data.plainJSON, as: UTF8.self)
      #expect(text.contains(#""id":1,"n":7"#), "\(text)")
    }
  }

  @Test func `fields of requests are credentials for a group's class`() async throws {
    try await with { fixture, _, _ in
      let fields = ["email": "ann@example.com", "password": "secret1"]
      let find = DataAPITests.content("Order", #""projection":{"_id":1}"#)
      for _ in 0..<2 {
        let found = try await fixture.send(.post, DataAPITests.target("find"), fields, json: find)
        #expect(found.text == #"{"documents":[{"_id":1}]}"#, "\(found.text)")
      }
      let wrong = try await fixture.send(
        .post, DataAPITests.target("find"), ["email": "ann@example.com", "password": "secret2"], json: find)
      #expect(wrong.status == 401, "\(wrong.text)")
    }
  }

  @Test func `clients of App Services watch a group's class`() async throws {
    try await with { fixture, user, administrator in
      let json =
        #"{"name":"watch","arguments":[{"database":"d","collection":"Order"}],"service":"mongodb-atlas"}"#
      let request = Base64.encode(Array(json.utf8)).percentEncoded
      let path = "/api/client/v2.0/app/a/functions/call?baas_request=\(request)"
      let watcher = try await fixture.watch(path, user.access)
      let orders = [(3, "other"), (4, user.user)].map { #"{"id":\#($0),"owner":"\#($1)","n":1}"# }
      for order in orders + [#"{"id":9}"#] {
        let name = order == #"{"id":9}"# ? "City" : "Order"
        let made = try await fixture.send(.post, "/v1/collections/\(name)", administrator, json: order)
        try #require(made.status == 201, "\(made.text)")
      }
      await watcher.wait { $0.contains("insert") }
      #expect(
        watcher.text.contains(#""coll":"Order""#) && watcher.text.contains(user.user), "\(watcher.text)")
      #expect(!watcher.text.contains("other") && !watcher.text.contains("City"), "\(watcher.text)")
      await watcher.leave()
    }
  }

  @Test func `what is read and written of a group's class is in the trail of the group`() async throws {
    let auditing = Auditing()
    try await GroupedFixture.with(audit: auditing) { fixture, archive in
      let written = try await fixture.send(
        .post, "/v1/collections/Order", ["audit-activity": "order"], json: #"{"id":1,"n":2}"#)
      #expect(written.status == 201, "\(written.text)")
      #expect(
        try await fixture.send(.get, "/v1/collections/Order/1", ["audit-activity": "look"]).status == 200)
      let begun = try await fixture.send(
        .post, "/v1/groups/archive/audit/scopes", json: #"{"activity":"scope"}"#)
      let scope = try #require(begun.fields["location"]?.split(separator: "/").last.map(String.init))
      #expect(begun.fields["location"] == "/v1/groups/archive/audit/scopes/\(scope)")
      _ = try await fixture.send(.get, "/v1/collections/Order", ["audit-scope": scope])
      let ended = try await fixture.send(
        .post, "/v1/groups/archive/audit/scopes/\(scope)/commit", json: "{}")
      #expect(ended.status == 204, "\(ended.text)")
      let events = try await fixture.send(.get, "/v1/groups/archive/collections/AuditEvent")
      for activity in ["order", "look", "scope"] {
        #expect(events.text.contains(#""activity":"\#(activity)""#), "\(events.text)")
      }
      // The app's own store has nothing of it.
      #expect(fixture.store.schema[StoredEvent.className] == nil)
      #expect(archive.schema[StoredEvent.className] != nil)
    }
  }
}
