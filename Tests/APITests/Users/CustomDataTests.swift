import GatehouseAccess
import GatehouseBSON
import GatehouseFunctions
import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// Custom data of users: where it comes from, and who sees it.
@Suite struct CustomDataTests {
  private static let key = ["authorization": "Bearer k3y-of-the-administrator"]

  private func with(_ body: (UserSite) async throws -> Void) async throws {
    let functions = FunctionHost()
    functions.register("who") { $0.user?["custom_data"] ?? .null }
    let schema =
      #"[{"name":"Person","primaryKey":"_id","properties":{"_id":"int","user":"string","team":"string","n":"int"}},{"name":"people","schemaless":true}]"#
    let fixture = try await Fixture(
      schema, functions: functions, users: .open, adminKey: "k3y-of-the-administrator")
    try await body(UserSite(fixture: fixture))
    await fixture.remove()
  }

  /// The claim of an access token.
  private func userData(_ fields: [String: String]) throws -> Value? {
    let parts = (fields["authorization"] ?? "").split(separator: ".")
    let bytes = try #require(Base64.decode(String(parts[1]), as: .urlSafe))
    guard case .document(let claims) = try Value(json: bytes, as: .plain) else { return nil }
    return claims["user_data"]
  }

  private func who(_ site: UserSite, _ tokens: UserSite.Tokens) async throws -> String {
    try await site.post("/functions/call", #"{"name":"who","arguments":[]}"#, tokens.access).text
  }

  @Test func `an operator gives users data and roles, which count at once`() async throws {
    try await with { site in
      let fixture = site.fixture
      _ = try await fixture.send(.put, "/v1/roles", Self.key, json: #"{"editor":{"classes":{}}}"#)
      let user = try UserSite.Tokens(try await site.logIn("anon-user", "{}"))
      #expect(try userData(user.access) == nil)
      let path = "/v1/users/\(user.user)"
      let patch = { (json: String) in
        try await fixture.send(
          .patch, path, Self.key.merging(["content-type": "application/merge-patch+json"]) { $1 },
          Array(json.utf8))
      }
      #expect(try await patch(#"{"customData":{"team":"red","deep":{"a":1,"b":2}}}"#).status == 200)
      let changed = try await patch(
        #"{"customData":{"deep":{"a":null},"n":5,"none":null},"roles":["editor"]}"#)
      #expect(
        changed.text.hasSuffix(
          #""customData":{"team":"red","deep":{"b":2},"n":5},"roles":["editor"],"disabled":false}"#),
        "\(changed.text)")
      #expect(try await fixture.send(.get, path, Self.key).text == changed.text)
      #expect(
        try await who(site, user) == #"{"team":"red","deep":{"b":{"$numberInt":"2"}},"n":{"$numberInt":"5"}}"#
      )
      #expect(try await site.profile(user)["custom_data"] != nil)
      let renewed = try await fixture.send(.post, "\(UserSite.base)/auth/session", user.refresh)
      let token = try #require(try renewed.document["access_token"]?.string)
      #expect(
        try userData(["authorization": "Bearer \(token)"])?.plainJSON
          == Array(#"{"team":"red","deep":{"b":2},"n":5}"#.utf8))
      for (json, status, code) in [
        (#"{"customData":5}"#, UInt16(422), "invalid_content"),
        (#"{"roles":["nobody"]}"#, 422, "invalid_content"),
        (#"{"team":"red"}"#, 422, "invalid_content"), ("[]", 422, "invalid_content"),
        (#"{"customData":{"x":"\#(String(repeating: "y", count: 9_000))"}}"#, 400, "invalid_parameter"),
      ] {
        let refused = try await patch(json)
        #expect((refused.status, refused.code) == (status, code), "\(json.prefix(40)) \(refused.text)")
      }
      let unknown = try await fixture.send(.get, "/v1/users/0123456789abcdef01234567", Self.key)
      #expect((unknown.status, unknown.code) == (404, "user_not_found"))
      #expect(try await fixture.send(.get, path, user.access).status == 403)
    }
  }

  @Test func `objects of a class are custom data, as they were when a token was made`() async throws {
    try await with { site in
      let fixture = site.fixture
      let users = try #require(fixture.gateway.context.users.users)
      users.use(CustomDataSource("Person", property: "user"))
      let user = try UserSite.Tokens(try await site.logIn("anon-user", "{}"))
      #expect(try await who(site, user) == "{}")
      _ = try await fixture.send(
        .post, "/v1/collections/Person", Self.key,
        json:
          #"[{"_id":1,"user":"\#(user.user)","team":"red","n":7},{"_id":2,"user":"other","team":"blue","n":8}]"#
      )
      #expect(try await who(site, user) == "{}")
      #expect(try await site.profile(user)["custom_data"]?.plainJSON.isEmpty == false)
      let renewed = try await fixture.send(.post, "\(UserSite.base)/auth/session", user.refresh)
      let access = ["authorization": "Bearer \(try #require(try renewed.document["access_token"]?.string))"]
      let data = #"{"_id":1,"user":"\#(user.user)","team":"red","n":7}"#
      #expect(try userData(access)?.plainJSON == Array(data.utf8))
      let seen = try await site.post("/functions/call", #"{"name":"who","arguments":[]}"#, access).text
      #expect(seen.contains(#""team":"red""#) && seen.contains(user.user))
    }
  }

  @Test(arguments: ["\"ID\"", "{\"$oid\":\"ID\"}"])
  func `documents of a schemaless class are custom data`(id: String) async throws {
    try await with { site in
      let users = try #require(site.fixture.gateway.context.users.users)
      users.use(CustomDataSource("people", property: "owner"))
      let user = try UserSite.Tokens(try await site.logIn("anon-user", "{}"))
      let owner = id.replacing("ID", with: user.user)
      let made = try await site.fixture.send(
        .post, "/v1/collections/people", Self.key, json: #"{"_id":1,"owner":\#(owner),"team":"red"}"#)
      try #require(made.status == 201, "\(made.text)")
      let data = try #require(try await site.profile(user)["custom_data"])
      #expect(String(decoding: data.plainJSON, as: UTF8.self).contains(#""team":"red""#))
      let patched = try await site.fixture.send(
        .patch, "/v1/users/\(user.user)", Self.key, json: #"{"customData":{"team":"blue"}}"#)
      #expect((patched.status, patched.code) == (400, "invalid_parameter"))
    }
  }

  @Test(
    arguments: [
      (#"{"enabled":false,"collection_name":5}"#, nil),
      (#"{"enabled":true}"#, "“collection_name” is missing."),
      (#"{"enabled":true,"collection":"A"}"#, "There is no member “collection”."),
      (
        #"{"enabled":true,"collection_name":"A","user_id_field":"u","on_user_creation_function_name":"f"}"#,
        "A trigger of type AUTHENTICATION for CREATE calls the function."
      ),
    ] as [(String, String?)])
  func `a file that means nothing is refused`(json: String, text: String?) throws {
    let notation = try Value(json: json)
    do throws(ConfigurationError) {
      #expect(try CustomDataSource.source(notation: notation) == nil && text == nil)
    } catch {
      #expect(error.text == text)
    }
  }

  @Test func `push notifications are refused as by the service`() async throws {
    try await with { site in
      let user = try UserSite.Tokens(try await site.logIn("anon-user", "{}"))
      let path = "\(UserSite.app)/push/providers/gcm_blah/registration"
      let put = try await site.fixture.send(.put, path, user.access, json: #"{"registrationToken":"t"}"#)
      #expect(try put.refusal == "404 service not found: 'gcm_blah' ServiceNotFound")
      let removed = try await site.fixture.send(.delete, path, user.access)
      #expect(try removed.refusal == "404 service not found: 'gcm_blah' ServiceNotFound")
      let nobody = try await site.fixture.send(.put, path, json: "{}")
      #expect(try nobody.refusal == "401 expected Authorization header with JWT (Bearer schema)")
    }
  }
}
