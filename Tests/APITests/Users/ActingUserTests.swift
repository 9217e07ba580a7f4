import FoundationEssentials
import GatehouseAccess
import GatehouseBSON
import GatehouseFunctions
import GatehouseHTTP
import GatehouseTestSupport
import Testing

@testable import GatehouseAPI

/// Functions that run as a user of whom the configuration speaks, in the place of their caller.
@Suite(.enabled(if: Machine.program("node") != nil, "Node is not installed")) struct ActingUserTests {
  private static let path = "/api/client/v2.0/app/any/auth/providers/local-userpass"
  private static let schema = """
    [{"name":"Note","primaryKey":"_id","properties":{"_id":"int","owner":"string"}}]
    """
  private static let source = """
    exports = (...values) => [context.user.id, context.realm.objects("Note").length, ...values];
    """

  /// Registers a user, and returns the identifier and an access token.
  private func user(_ name: String, _ fixture: Fixture) async throws -> (id: String, token: String) {
    _ = try await fixture.send(
      .post, "\(Self.path)/register", json: #"{"email":"\#(name)@example.org","password":"secret1"}"#)
    let login = try await fixture.send(
      .post, "\(Self.path)/login", json: #"{"username":"\#(name)@example.org","password":"secret1"}"#)
    let members = try login.document
    guard case .string(let id)? = members["user_id"], case .string(let token)? = members["access_token"]
    else {
      throw APIError.stopping
    }
    return (id, token)
  }

  @Test func `a function has the rights of the user whom it names`() async throws {
    let folder = "\(Machine.scratch)/functions-\(FoundationEssentials.UUID())"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var configuration = FunctionConfiguration()
    configuration.directory = folder
    let key = "k3y-of-the-administrator"
    let fixture = try await Fixture(
      nil, functions: FunctionHost(configuration),
      users: Providers(passwords: Providers.Passwords(confirmation: .atOnce)), adminKey: key)
    let administrator = ["authorization": "Bearer \(key)"]
    for (target, content) in [
      ("/v1/schema", Self.schema),
      ("/v1/roles", #"{"user":{"classes":{"Note":{"read":"owner == %%user.id","write":true}}}}"#),
    ] {
      let answer = try await fixture.send(.put, target, administrator, json: content)
      try #require(answer.status == 200, "\(answer.text)")
    }
    let (ann, _) = try await user("ann", fixture)
    let (bob, token) = try await user("bob", fixture)
    let notes = #"[{"_id":1,"owner":"\#(ann)"},{"_id":2,"owner":"\#(ann)"},{"_id":3,"owner":"\#(bob)"}]"#
    _ = try await fixture.send(.post, "/v1/collections/Note", administrator, json: notes)
    let entries = """
      [{"name":"own"},{"name":"hers","run_as_user_id":"\(ann)","can_evaluate":{"%%user.id":"\(bob)"}},
       {"name":"chosen","run_as_user_id_function":"who"},{"name":"who","private":true,"run_as_system":true},
       {"name":"nobody","run_as_user_id":"000000000000000000000001"}]
      """
    let who = "exports = first => first === 'a' ? '\(ann)' : new BSON.ObjectId('\(bob)');"
    for (name, text) in [
      ("own.js", Self.source), ("hers.js", Self.source), ("chosen.js", Self.source),
      ("nobody.js", Self.source),
      ("who.js", who), ("config.json", entries),
    ] {
      try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
    }
    let asBob = ["authorization": "Bearer \(token)"]
    for (name, arguments, result) in [
      ("own", "[]", #"["\#(bob)",1]"#), ("hers", "[7]", #"["\#(ann)",2,7]"#),
      ("chosen", #"["a"]"#, #"["\#(ann)",2,"a"]"#), ("chosen", #"["b"]"#, #"["\#(bob)",1,"b"]"#),
    ] {
      let answer = try await fixture.send(.post, "/v1/functions/\(name)", asBob, json: arguments)
      #expect(answer.text == result, "\(name)")
    }
    let nobody = try await fixture.send(.post, "/v1/functions/nobody", asBob, json: "[]")
    #expect(nobody.status >= 400 && nobody.text.contains("no such user"), "\(nobody.text)")
    await fixture.remove()
  }
}
